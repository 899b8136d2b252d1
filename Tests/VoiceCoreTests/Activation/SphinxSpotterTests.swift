import CSphinx
import Glibc
import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

/// The real spotter and a real synthesiser, if both are installed.
@Suite(.enabled(if: sphinxIsInstalled))
struct SphinxSpotterTests {
    static let model = "/usr/share/pocketsphinx/model/en-us"

    /// Words with a little noise, which no real room lacks.
    static func room(_ text: String, seed: UInt64 = 1) -> [Int16] {
        var random = SplitMix64(seed: seed)
        let speech = SpokenVoice.natural.samples(text)
        let silence = [Int16](repeating: 0, count: 48_000)
        let samples = silence + speech + silence
        return samples.prefix(samples.count / 960 * 960)
            .map { Int16(clamping: Int($0) / 2 + Int.random(in: -40...40, using: &random)) }
    }

    /// What the spotter detects in a text.
    private func found(_ text: String, wake: String, threshold: Double) throws -> [WakeCandidate] {
        let spotter = try SphinxSpotter(
            WakeWords(wake: wake, stop: "", threshold: threshold), model: Self.model
        )
        let input = Self.room(text)
        var decimator = TwoThirdsDecimator()
        var output = [Int16](repeating: 0, count: 640)
        var found: [WakeCandidate] = []
        try input.withUnsafeBufferPointer { input in
            guard let base = input.baseAddress else { return }
            for start in stride(from: 0, to: input.count, by: 960) {
                output.withUnsafeMutableBufferPointer { room in
                    if let to = room.baseAddress { decimator.process(base + start, count: 960, into: to) }
                }
                found += try output.withUnsafeBufferPointer { try spotter.process($0) }
            }
        }
        return found
    }

    @Test func aWordIsFoundInASentence() throws {
        let found = try found("Computer, what is the time?", wake: "computer", threshold: -50)
        #expect(found.first?.word == "computer")
        #expect(found.first?.score ?? -100 > -50)
    }

    /// The sample that the doctor runs.
    @Test func stopIsHeardInItsSample() throws {
        let words = try WakeWords(wake: "computer", stop: "stop", threshold: -20)
        let spotter = try SphinxSpotter(words.stops, model: Self.model)
        let result = SampleRun.result(spotter, of: words.stops.words[0], over: WakeSamples.samples(of: "stop"))
        guard case .heard = result else {
            Issue.record("\(result)")
            return
        }
    }

    /// An answer that is interrupted falls silent in the middle of the word, and its thresholds must not change with it.
    @Test func stopAtTheEndOfTheSoundIsHeard() throws {
        let words = try WakeWords(wake: "computer", stop: "stop", threshold: -20)
        let silence = [Int16](repeating: 0, count: 16_000)
        let samples = silence + WakeSamples.samples(of: "stop") + silence
        for milliseconds in stride(from: 1000, through: 1600, by: 100) {
            let spotter = try SphinxSpotter(words.stops, model: Self.model)
            let rule = WakeRule(words: words.stops)
            let recogniser = WakeWordRecogniser(spotter, rule: rule)
            var found: [WakeRule.Verdict] = []
            for (block, start) in stride(from: 0, through: samples.count - 640, by: 640).enumerated() {
                found += try samples[start..<start + 640].withUnsafeBufferPointer {
                    try recogniser.process(
                        $0, listening: .stop, isPlaying: 40 * block < milliseconds,
                        at: .milliseconds(60_000 + 40 * (block + 1))
                    ).map(\.verdict)
                }
            }
            #expect(found == [.stop("stop")], "silent after \(milliseconds) ms")
        }
    }

    /// While the box speaks, words are searched only where a talker is heard, and the canceller may notice one late: also when
    /// an earlier search is about to end.
    @Test(arguments: [0, 200, 400, 600], [nil, 1.4, 1.8, 2.0])
    func stopIsHeardWhereTheTalkerIsNoticed(millisecondsLate late: Int, afterATalker pause: Double?) throws {
        let words = try WakeWords(wake: "computer", stop: "stop", threshold: -20)
        let word = WakeSamples.samples(of: "stop")
        let before = 5 * 16_000
        let samples = [Int16](repeating: 0, count: before) + word + [Int16](repeating: 0, count: 32_000)
        let noticed = before + 16 * late..<before + 16 * late + word.count
        let earlier = pause.map { before - Int($0 * 16_000) }
        let recogniser = WakeWordRecogniser(
            try SphinxSpotter(words.stops, model: Self.model), rule: WakeRule(words: words.stops)
        )
        var found: [WakeRule.Verdict] = []
        for start in stride(from: 0, through: samples.count - 640, by: 640) {
            let isEarlier = earlier.map { ($0..<$0 + 640).contains(start) } ?? false
            found += try samples[start..<start + 640].withUnsafeBufferPointer {
                try recogniser.process(
                    $0, listening: .stop, isPlaying: true,
                    talker: isEarlier || noticed.contains(start) ? .heard : .absent,
                    at: .milliseconds(60_000 + start / 16 + 40)
                ).map(\.verdict)
            }
        }
        #expect(found == [.stop("stop")])
    }

    /// A list of words that PocketSphinx did not take leaves none: the owner must learn of it, and open it anew.
    @Test func rejectedWordListStopsTheOldOne() throws {
        var error = [CChar](repeating: 0, count: 512)
        let spotter = try #require(csphinx_open(Self.model, "en-us", &error, error.count))
        defer { csphinx_close(spotter) }
        let silence = [Int16](repeating: 0, count: 640)
        #expect(csphinx_listen(spotter, "stop /1e-20/\n", 13))
        #expect(csphinx_process(spotter, silence, silence.count))
        #expect(!csphinx_listen(spotter, nil, 13))
        #expect(!csphinx_process(spotter, silence, silence.count))
        #expect(!csphinx_restart(spotter))
        #expect(csphinx_listen(spotter, "stop /1e-20/\n", 13))
        #expect(csphinx_process(spotter, silence, silence.count))
    }

    @Test func otherWordsStayBelowTheThreshold() throws {
        let found = try found("I was in the garden this morning.", wake: "computer", threshold: -40)
        #expect(!found.contains { $0.score ?? 0 >= -40 })
    }

    @Test func aWordOutsideTheDictionaryIsNamed() {
        #expect(throws: WakeWordError("PocketSphinx's dictionary does not have \"zzyzyx\": choose another word")) {
            _ = try SphinxSpotter(WakeWords(wake: "hello zzyzyx", stop: "", threshold: -20), model: Self.model)
        }
    }

    /// A typing error among the stop words must not switch "stop" off.
    @Test func unknownStopWordKeepsTheOtherWords() throws {
        let words = try WakeWords(wake: "computer", stop: "stop, halt, arrette", threshold: -20)
        let spotter = try SphinxSpotter(words.stops, model: Self.model)
        let problem = spotter.gaps.first?.description ?? ""
        #expect(spotter.gaps.map(\.words) == [["arrette"]])
        #expect(problem.hasPrefix("\"arrette\": not recognised: PocketSphinx's dictionary"), "\(problem)")
        let result = SampleRun.result(spotter, of: words.stops.words[0], over: WakeSamples.samples(of: "stop"))
        guard case .heard = result else {
            Issue.record("\(result)")
            return
        }
        #expect(throws: WakeWordError("PocketSphinx's dictionary does not have \"arrette\": choose another word")) {
            _ = try SphinxSpotter(WakeWords(wake: "computer", stop: "arrette", threshold: -20).stops, model: Self.model)
        }
    }

    /// Nor may one among the wake words.
    @Test func unknownWakeWordKeepsTheOtherWords() throws {
        let words = try WakeWords(wake: "computer, zzyzyx", stop: "arrette", threshold: -20)
        let spotter = try SphinxSpotter(words, model: Self.model)
        #expect(spotter.gaps.map(\.words) == [["zzyzyx"], ["arrette"]])
        #expect(spotter.gaps.map(\.areStops) == [false, true])
    }

    /// The server is not sent the sample, PocketSphinx hears it: the doctor tries the stop word there, too.
    @Test func theDoctorTriesTheStopWordBesideAServer() throws {
        var configuration = Configuration()
        configuration.activation.wakeModels = "/nowhere"
        configuration.activation.engine = .wyoming
        configuration.activation.wyomingAddress = "127.0.0.1:1"
        let settings = try ActivationSettings(configuration)
        let stop = try #require(settings.rule?.words["stop"])
        let untouched = Untouched()
        guard case .heard? = WakeCheck.run(stop, settings, untouched, .none) else {
            Issue.record("stop is not heard")
            return
        }
    }

    private final class Untouched: WakeWordDetector {
        func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate] {
            Issue.record("the server was sent the sample")
            return []
        }

        func reset() {}
    }

    /// Stop words are heard with the default settings where PocketSphinx is installed: no engine has to be set.
    @Test func stopWordsNeedNoEngine() throws {
        var configuration = Configuration()
        configuration.activation.wakeModels = "/nowhere"
        let settings = try ActivationSettings(configuration)
        #expect(settings.engine == nil && !settings.hearsCalls)
        #expect(settings.rule?.words.words.map(\.text) == ["stop", "never mind"])
        let detector = try #require(try settings.makeDetector?(.none))
        #expect(detector.gaps.isEmpty)
        let stop = try #require(settings.rule?.words.stops.words.first)
        guard case .heard = SampleRun.result(detector, of: stop, over: WakeSamples.samples(of: "stop")) else {
            Issue.record("stop is not heard")
            return
        }
        configuration.activation.stopWords = ""
        #expect(try ActivationSettings(configuration).makeDetector == nil)
    }

    @Test func missingModelIsNamed() {
        #expect(throws: WakeWordError("there is no PocketSphinx model in /nowhere: apt install pocketsphinx-en-us")) {
            _ = try SphinxSpotter(WakeWords(wake: "hello", stop: "", threshold: -20), model: "/nowhere")
        }
    }

    /// From the audio thread's ring to the call, on the listener's own thread.
    @Test func listenerReportsTheWakeWord() async throws {
        let ports = AudioPorts()
        let verdicts = Collected<WakeRule.Verdict>()
        let words = try WakeWords(wake: "computer", stop: "", threshold: -50)
        let listener = WakeWordListener(
            tap: ports.words,
            gauges: ports.gauges,
            rule: WakeRule(words: words),
            logger: LineLog().logger,
            make: { (_) throws(WakeWordError) -> any WakeWordDetector in
                try SphinxSpotter(words, model: Self.model)
            },
            report: { verdicts.add([$0.verdict]) }
        )
        listener.listen(.wake)
        let running = Task { await listener.run() }
        while !ports.words.isWanted { try await Task.sleep(for: .milliseconds(5)) }
        var rest = Self.room("Computer, what is the time?")[...]
        while !rest.isEmpty {
            let count = min(960, rest.count)
            let isTaken = Array(rest.prefix(count)).withUnsafeBufferPointer { block in
                guard let base = block.baseAddress, ports.words.ring.availableToWrite >= count else { return false }
                return ports.words.ring.write(base, count: count) == count
            }
            if isTaken { rest = rest.dropFirst(count) } else { try await Task.sleep(for: .milliseconds(5)) }
        }
        while ports.words.ring.availableToRead >= 960 { try await Task.sleep(for: .milliseconds(5)) }
        listener.stop()
        await running.value
        #expect(verdicts.all.contains(.call("computer")))
    }
}

extension WakeCandidate {
    fileprivate var score: Double? {
        if case .score(let score) = finding { score } else { nil }
    }
}

/// Thresholds come from the configuration, and may be any number.
struct SphinxThresholdTests {
    @Test(arguments: ["jarvis:-1e19", "jarvis:-1e300", "jarvis:-61", "jarvis:1e19"])
    func uselessThresholdIsRefused(words: String) throws {
        let words = try WakeWords(wake: words, stop: "", threshold: -20)
        #expect { try SphinxSpotter.check(words.words[0]) } throws: { "\($0)".contains("between -60 and 60") }
    }

    @Test func configuredThresholdsAreAccepted() throws {
        let words = try WakeWords(wake: "jarvis:-60, computer:20", stop: "stop:-25", threshold: -20)
        for word in words.words { try SphinxSpotter.check(word) }
    }

    /// `config check` refuses them, before anything is loaded.
    @Test(arguments: [
        (Configuration.Activation.Engine.pocketsphinx, "jarvis:-1e19", "stop"), (.auto, "jarvis", "stop:99"),
        (.tflite, "hey jarvis:5", "stop"), (.tflite, "hey jarvis:0", "stop"), (.tflite, "hey jarvis", "stop:-99"),
        (.wyoming, "hey_jarvis", "stop:-99"), (.tflite, "stop, hey jarvis", "stop"),
        (.pocketsphinx, "jarvis:-2,5", "stop"),
    ])
    func badConfigurationIsRefused(engine: Configuration.Activation.Engine, wake: String, stop: String) throws {
        var configuration = Configuration()
        configuration.activation.wakeModels = "/nowhere"
        configuration.activation.engine = engine
        configuration.activation.wakeWords = wake
        configuration.activation.stopWords = stop
        #expect { _ = try ActivationSettings(configuration) } throws: { "\($0)".contains("activation.wake_words, ") }
    }

    /// Without PocketSphinx the doctor has one line; with `off` nothing is listened for, and a model for it is named.
    @Test func doctorNamesUnheardStopWords() throws {
        var configuration = Configuration()
        configuration.activation.wakeModels = "/nowhere"
        configuration.activation.sphinxModel = "/nowhere"
        var settings = try ActivationSettings(configuration)
        #expect(settings.makeDetector == nil && settings.unheardStops == ["stop", "never mind"])
        let line = WakeCheck.nobodyListens(for: settings.unheardStops)
        #expect(line.verdict == .skipped && line.message.contains("stop, never mind"))
        configuration.activation.engine = .off
        configuration.activation.stopModel = "/nowhere/stop.json"
        settings = try ActivationSettings(configuration)
        #expect(settings.makeDetector == nil && settings.unheardStops.isEmpty)
        #expect(settings.notices.first?.contains("activation.stop_model is not used") == true)
    }
}
