import Testing

@testable import VoiceActivation

/// Calls that are read before they count.
struct CallReadingTests {
    private final class Reader: CallReader {
        var result: Result<String, WakeWordError>?
        private(set) var sounds: [[Int16]] = []
        private(set) var isAbandoned = false

        func read(_ sound: [Int16]) {
            (result, isAbandoned) = (nil, false)
            sounds.append(sound)
        }

        func abandon() { isAbandoned = true }
    }

    /// An ear that hears 40 ms at a time.
    private final class Scene {
        let detector = ScriptedDetector()
        let reader = Reader()
        private let ear: WakeWordRecogniser
        private(set) var now = 10_000
        private var sample: Int16 = 0
        private(set) var heard: [Int16] = []
        /// When what was reported.
        private(set) var reports: [(at: Int, report: WakeReport)] = []

        init() throws {
            let words = try WakeWords(wake: "hey jarvis", stop: "stop", threshold: -20)
            let rule = WakeRule(words: words, playingMargin: 3, refractory: .seconds(2))
            let similar = try SimilarWords("janice", beside: ["hey jarvis"])
            let reading = CallReading(similar, by: reader)
            ear = WakeWordRecogniser(detector, rule: rule, look: nil, reading: reading)
        }

        var unread: WakeWordError? { ear.unread }
        var verdicts: [WakeRule.Verdict] { reports.map(\.report.verdict) }

        func pass(_ milliseconds: Int, loud: Bool = false, isPlaying: Bool = false) throws {
            for _ in 0..<milliseconds / 40 {
                now += 40
                let block = (0..<640).map { _ in
                    sample = sample % 60 + 1
                    return loud ? sample * (sample % 2 == 0 ? 100 : -100) : sample
                }
                heard += block
                let found = try block.withUnsafeBufferPointer {
                    try ear.take($0, listening: .stop, isPlaying: isPlaying, at: .milliseconds(now))
                }
                reports += found.map { (now, $0) }
            }
        }

        func find(
            _ word: String = "hey jarvis",
            _ finding: WakeCandidate.Finding = .certain,
            isPlaying: Bool = false
        ) throws {
            detector.next = [WakeCandidate(word, finding, score: 0.9)]
            try pass(40, isPlaying: isPlaying)
        }

        func forget() { ear.reset() }

        /// No sound comes.
        func loseMicrophone(milliseconds: Int) { now += milliseconds }
    }

    /// What is read is the word: from 1.3 s before it was found until 0.15 s after.
    @Test func theNameOfSomebodyElseIsNoCall() throws {
        let scene = try Scene()
        try scene.pass(3000)
        try scene.find()
        let found = scene.heard.count
        try scene.pass(160)
        let sound = try #require(scene.reader.sounds.first)
        #expect(sound.count == 1450 * 16)
        #expect(sound == scene.heard[(found + 160 * 16 - sound.count)..<(found + 160 * 16)].map { $0 })
        try scene.pass(400)
        #expect(scene.reports.isEmpty)
        scene.reader.result = .success("Hey Janice.")
        try scene.pass(40)
        #expect(scene.verdicts == [.refused("hey jarvis", .similar("janice"))])
        #expect(scene.reports.first?.report.score == 0.9)
        let line = scene.reports.first.flatMap { WakeTestLine.text($0.report, at: .zero) }
        #expect(line?.contains("refused, hey jarvis, the recogniser reads \"janice\"") == true)
        // The next one is not lost with it.
        try scene.find()
        try scene.pass(200)
        scene.reader.result = .success("Hey Jarvis.")
        try scene.pass(40)
        #expect(scene.verdicts.last == .call("hey jarvis"))
    }

    @Test func aCallThatWasReadCountsOnceAndSaysHowLateItIs() throws {
        let scene = try Scene()
        try scene.pass(3000)
        try scene.find()
        try scene.pass(600)
        #expect(scene.reader.sounds.count == 1)
        scene.reader.result = .success("They are this.")
        // Found again meanwhile.
        try scene.find()
        try scene.pass(2000)
        #expect(scene.verdicts == [.call("hey jarvis")])
        #expect(scene.reports.first?.report.late == 640)
        #expect(scene.reports.first?.report.evidence != nil)
        #expect(scene.reader.sounds.count == 1)
        #expect(scene.unread == nil)
    }

    /// Without a recogniser, or with one that is too slow, the box can still be called.
    @Test func aCallThatNobodyReadsCounts() throws {
        let scene = try Scene()
        try scene.pass(3000)
        try scene.find()
        let found = scene.now
        try scene.pass(2000)
        #expect(scene.verdicts == [.call("hey jarvis")])
        #expect(scene.reports.first.map { $0.at - found } == 1200)
        #expect(scene.reader.isAbandoned)
        #expect(scene.unread?.description == "local.recogniser needs more than a second for a call")
        try scene.pass(2000)
        try scene.find()
        try scene.pass(200)
        let away = WakeWordError("local.recogniser: the Wyoming server at 127.0.0.1:1 does not answer")
        scene.reader.result = .failure(away)
        try scene.pass(40)
        #expect(scene.verdicts == [.call("hey jarvis"), .call("hey jarvis")])
        #expect(scene.unread == away)
        // It is back.
        try scene.pass(3000)
        try scene.find()
        try scene.pass(200)
        scene.reader.result = .success("Hey Jarvis")
        try scene.pass(40)
        #expect(scene.verdicts.count == 3)
        #expect(scene.unread == nil)
    }

    /// Only what the box said then can be meant to end.
    @Test(arguments: [true, false]) func itIsKnownWhetherTheBoxSpoke(isPlaying: Bool) throws {
        let scene = try Scene()
        try scene.pass(3000, isPlaying: isPlaying)
        try scene.find(isPlaying: isPlaying)
        try scene.pass(200, isPlaying: !isPlaying)
        scene.reader.result = .success("Hey Jarvis.")
        try scene.pass(40, isPlaying: !isPlaying)
        #expect(scene.reports.map(\.report.isOverSound) == [isPlaying])
    }

    /// The time in which a word is not recognised again begins with the word, not with its text.
    @Test func theNextCallIsNotLostToALateText() throws {
        let scene = try Scene()
        try scene.pass(3000)
        try scene.find()
        try scene.pass(2000)
        try scene.find()
        try scene.pass(2000)
        #expect(scene.verdicts == [.call("hey jarvis"), .call("hey jarvis")])
        // Within two seconds it is the same call.
        try scene.pass(2000)
        try scene.find()
        try scene.pass(1400)
        try scene.find()
        try scene.pass(3000)
        #expect(scene.verdicts.count == 3)
    }

    /// The text of the call before is none of this one.
    @Test func anOldTextSaysNothing() throws {
        let scene = try Scene()
        scene.reader.result = .success("Hey Janice.")
        try scene.pass(3000)
        try scene.find()
        try scene.pass(2000)
        #expect(scene.verdicts == [.call("hey jarvis")])
    }

    /// Who asks in the same breath is heard to speak on, although the call counts later.
    @Test func whoSpeaksOnMeanwhileIsNotInterruptedByASound() throws {
        let scene = try Scene()
        try scene.pass(6000)
        try scene.pass(600, loud: true)
        try scene.find()
        try scene.pass(400, loud: true)
        #expect(scene.reports.isEmpty)
        scene.reader.result = .success("Hey Jarvis, what")
        try scene.pass(40)
        #expect(scene.verdicts == [.call("hey jarvis"), .speaksOn])
        let other = try Scene()
        try other.pass(6000)
        try other.pass(600, loud: true)
        try other.find()
        try other.pass(400)
        other.reader.result = .success("Hey Jarvis.")
        try other.pass(1000)
        #expect(other.verdicts == [.call("hey jarvis")])
    }

    /// While a call is read for long, the sound that confirms it is not played into a question that begins late.
    @Test func whoSpeaksOnLateIsNotInterruptedByASound() throws {
        let scene = try Scene()
        try scene.pass(6000)
        try scene.pass(600, loud: true)
        try scene.find()
        try scene.pass(600)
        try scene.pass(400, loud: true)
        scene.reader.result = .success("Hey Jarvis.")
        try scene.pass(1000, loud: true)
        #expect(scene.verdicts == [.call("hey jarvis"), .speaksOn])
    }

    /// "Stop" is never delayed.
    @Test func aStopWordIsNotRead() throws {
        let scene = try Scene()
        try scene.pass(3000)
        try scene.find("stop")
        #expect(scene.verdicts == [.stop("stop")])
        #expect(scene.reader.sounds.isEmpty)
    }

    /// Muted, or the microphone was away: what was heard before it opens nothing afterwards.
    @Test func whatWasForgottenIsNoCall() throws {
        let scene = try Scene()
        try scene.pass(3000)
        try scene.find()
        try scene.pass(200)
        scene.forget()
        #expect(scene.reader.isAbandoned)
        scene.reader.result = .success("Hey Jarvis.")
        try scene.pass(3000)
        #expect(scene.reports.isEmpty)
    }

    /// Unplugged while a call was read, and plugged in again: the box opens no conversation by itself.
    @Test(arguments: [0, 200]) func aCallFromBeforeTheMicrophoneWasAwayIsNone(read: Int) throws {
        let scene = try Scene()
        try scene.pass(3000)
        try scene.find()
        try scene.pass(read)
        scene.loseMicrophone(milliseconds: 60_000)
        scene.reader.result = .success("Hey Jarvis.")
        try scene.pass(3000)
        #expect(scene.reports.isEmpty)
        #expect(scene.unread == nil)
        // The next one is read.
        try scene.find()
        try scene.pass(200)
        scene.reader.result = .success("Hey Jarvis.")
        try scene.pass(40)
        #expect(scene.verdicts == [.call("hey jarvis")])
    }

    /// "Hey Jarvis, stop": what is stopped does not begin again when the call has been read.
    @Test(arguments: [true, false]) func aStopTakesTheCallBack(isRead: Bool) throws {
        let scene = try Scene()
        try scene.pass(3000)
        try scene.find()
        try scene.pass(isRead ? 400 : 80)
        try scene.find("stop")
        scene.reader.result = .success("Hey Jarvis, stop.")
        try scene.pass(3000)
        #expect(scene.verdicts == [.stop("stop")])
        #expect(scene.reader.isAbandoned)
    }

    /// Who refuses a call has read it.
    @Test func aRefusalSaysThatCallsAreReadAgain() throws {
        let scene = try Scene()
        try scene.pass(3000)
        try scene.find()
        try scene.pass(2000)
        #expect(scene.unread != nil)
        try scene.pass(2000)
        try scene.find()
        try scene.pass(200)
        scene.reader.result = .success("Hey Janice.")
        try scene.pass(40)
        #expect(scene.verdicts == [.call("hey jarvis"), .refused("hey jarvis", .similar("janice"))])
        #expect(scene.unread == nil)
    }

    /// PocketSphinx scores stop words: one in the same breath as the call is part of it; one by itself takes the call back.
    @Test(arguments: [(200, SecondLook.Reason.inSentence), (600, nil)])
    func aScoredStopWordIsJudgedBesideTheCall(pause: Int, why: SecondLook.Reason?) throws {
        let scene = try Scene()
        try scene.pass(6000)
        try scene.pass(600, loud: true)
        try scene.find()
        try scene.pass(pause)
        try scene.pass(320, loud: true)
        try scene.find("stop", .score(-10))
        try scene.pass(600)
        scene.reader.result = .success("Hey Jarvis.")
        try scene.pass(1000)
        let stop = why.map { WakeRule.Verdict.refused("stop", $0) } ?? .stop("stop")
        #expect(scene.verdicts.filter { ![.call("hey jarvis"), .speaksOn].contains($0) } == [stop])
        #expect(scene.verdicts.contains(.call("hey jarvis")) == (why != nil))
    }
}
