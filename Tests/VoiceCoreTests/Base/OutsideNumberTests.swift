import CAEC
import Testing

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAgent
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceMedia
@testable import VoiceNetwork
@testable import VoiceReply

/// Absurd numbers on every input.
struct OutsideNumberTests {
    private static let extremes = [Int.min, Int.min + 1, -1, 0, Int.max - 1, Int.max]

    @Test(arguments: extremes) func timesOfAServiceAreClamped(number: Int) throws {
        let decoder = ServerEventDecoder()
        guard
            case .sessionCreated(_, let expires?) = try decoder.decode(
                #"{"type":"session.created","session":{"id":"s","expires_at":\#(number)}}"#
            )
        else {
            Issue.record("no end of the session")
            return
        }
        #expect((0...253_402_300_799).contains(expires))
        guard
            case .speechStopped(_, let end) = try decoder.decode(
                #"{"type":"input_audio_buffer.speech_stopped","item_id":"i","audio_end_ms":\#(number)}"#
            ),
            case .speechStarted(_, let start) = try decoder.decode(
                #"{"type":"input_audio_buffer.speech_started","item_id":"i","audio_start_ms":\#(number)}"#
            )
        else {
            Issue.record("no turn")
            return
        }
        #expect((0...86_400_000).contains(end) && (0...86_400_000).contains(start))
        var options = ActivationMachine.Options()
        options.mode = .wake
        var activation = ActivationMachine(options: options)
        for event: ActivationEvent in [
            .start, .activate(.word("jarvis")), .conversation(.connecting), .conversation(.listening),
            .turnBegan(milliseconds: start), .turnEnded(milliseconds: end),
        ] {
            _ = activation.handle(event)
        }
    }

    @Test(arguments: extremes) func aStateFileWithAnyTimeIsRead(number: Int) {
        let saved = SavedJarvisSession(parsing: Array("id = \"voice-1\"\nused_at = \(number)\n".utf8))
        #expect(saved.map { (0...253_402_300_799).contains($0.usedAt) } ?? false)
        let line = #"{"address":"a","at":\#(number),"done":false,"kind":"podcast","second":1e300,"title":"t"}"#
        var library = MediaLibrary.reading(Array((line + "\n").utf8)).library
        #expect(library.entries.count == 1)
        let item = MediaItem(address: "a", title: "t", kind: .podcast, artist: nil)
        #expect(library.place(of: item).isFinite && library.place(of: item) <= 31_536_000)
        library.note(item, second: 3, isDone: false, at: 1_800_000_000)
        #expect(!library.entries.isEmpty)
    }

    @Test(arguments: extremes) func aVolumeIsAPercentage(number: Int) {
        #expect((VolumeChange("\(number)") != nil) == (-100...100).contains(number))
    }

    @Test(arguments: extremes) func noNumberRemovesFromAnEmptyQueue(number: Int) async {
        let (ports, logger) = (AudioPorts(), LineLog().logger)
        let player = MediaPlayer(
            settings: MediaSettings(), feed: ports.media, loudspeaker: ports.playback, network: NetworkThread(),
            volumes: VolumeController(settings: VolumeSettings(), controls: ports.volumes, logger: logger),
            stateDirectory: nil, logger: logger
        ) { _ in }
        await #expect(throws: MediaProblem.failed("nothing waits")) { try await player.remove(number, named: nil) }
    }

    @Test func retryAfterIsLimitedToADay() {
        var handshake = WebSocketHandshake(host: "h", path: "/", headers: [])
        let reply = "HTTP/1.1 503 Busy\r\nretry-after: \(Int.max)\r\ncontent-length: 0\r\n\r\n"
        let progress = Array(reply.utf8).withUnsafeBytes { bytes in
            var rest = bytes
            return handshake.receive(&rest)
        }
        guard case .refused(let refusal) = progress else {
            Issue.record("\(progress)")
            return
        }
        #expect(refusal.retryAfter == 86_400)
    }

    @Test(arguments: extremes) func aTimeOfAnyLengthHasMilliseconds(number: Int) {
        for time in [Duration.seconds(number), .milliseconds(number)] {
            #expect((time.milliseconds < 0) == (time < .zero))
            #expect((time.wholeMilliseconds > 0) == (time > .zero), "rounded up")
        }
    }

    @Test(arguments: extremes) func anEchoTestOfAnyTimeIsJudged(number: Int) throws {
        let text = "grade = \"good\"\nsummary = \"s\"\ninput = \"i\"\noutput = \"o\"\ntime = \(number)\n"
        let test = try #require(SavedEchoTest(parsing: Array(text.utf8)))
        var audio = Configuration.Audio()
        (audio.input, audio.output) = ("i", "o")
        #expect(EchoCheck.judge(test, audio: audio, now: 1_800_000_000).verdict == .ok)
    }

    /// The suppressor's count of frames, a hundred a second: small after any time, and at the same position of the
    /// window.
    @Test func framesAreCountedForYears() {
        var count: Int32 = 0
        for frame in 1...10_000 {
            count = caec_next_frame(count, 100)
            #expect((1...200).contains(count))
            #expect(Int(count) % 100 == frame % 100 && (count == 1) == (frame == 1) && (count < 100) == (frame < 100))
        }
        #expect(caec_next_frame(.max, 100) == 101)
    }

    @Test func nanCostsNothingAndIsSilent() {
        #expect(PriceTable().cost(of: TranscriptionUsage.seconds(.nan)) == 0)
        #expect(BudgetReport.text(.nan) == "0.00" && BudgetReport.text(.infinity) == "1000000000000.00")
        var account = BudgetAccount(number: 1)
        account.spending.micros = .nan
        #expect(SavedBudget(hour: account, day: account).text.contains("microusd = 0\n"))
        #expect(LevelMeter.tenths(.nan) == LevelMeter.floor && LevelMeter.tenths(.infinity) == 0)
        #expect(LevelMeter.tenths(0.1) == -200)
    }
}
