import Glibc
import Testing

@testable import VoiceActivation
@testable import VoiceCore

/// One engine for calls, another for stop words: what each hears, and what happens if the other fails.
struct TwoEarsTests {
    private final class Scripted: WakeWordDetector {
        let word: String
        private(set) var processed = 0
        var failure: WakeWordError?

        init(_ word: String) { self.word = word }

        func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate] {
            processed += 1
            if let failure { throw failure }
            return [WakeCandidate(word, .repeated)]
        }

        func reset() {}
    }

    private func found(_ detector: some WakeWordDetector) throws -> [String] {
        try [Int16](repeating: 0, count: 640).withUnsafeBufferPointer { try detector.process($0) }.map(\.word)
    }

    @Test func stopWordsAreLookedForOnlyWhereTheyMeanSomething() throws {
        let stops = Scripted("stop")
        let detector = TwoEars(calls: .init { Scripted("hey_jarvis") }, stops: [.init { stops }])
        detector.listen(for: .wake)
        #expect(try found(detector) == ["hey_jarvis"])
        #expect(stops.processed == 0)
        detector.listen(for: .stop)
        #expect(try found(detector) == ["hey_jarvis", "stop"])
        #expect(detector.gaps.isEmpty)
    }

    @Test func withoutTheSecondEngineCallsAreStillHeard() throws {
        let problem = WakeWordError("PocketSphinx is not installed")
        let missing = TwoEars.Maker(stops: ["stop"]) { () throws(WakeWordError) in throw problem }
        let detector = TwoEars(calls: .init { Scripted("hey_jarvis") }, stops: [missing])
        detector.listen(for: .stop)
        #expect(try found(detector) == ["hey_jarvis"])
        let gap = WordGap(words: ["stop"], areStops: true, why: problem)
        #expect(detector.gaps == [gap])
        #expect(WakeCheck.judge(gap).message == "\"stop\": not recognised: PocketSphinx is not installed")
    }

    /// A failed engine is created anew after a pause; the other hears all the time.
    @Test func anEngineThatFailsDoesNotMakeTheOtherDeaf() throws {
        var now = Duration.zero
        var made: [Scripted] = []
        let detector = TwoEars(
            calls: .init {
                made.append(Scripted("hey_jarvis"))
                return made[made.count - 1]
            },
            stops: [.init { Scripted("stop") }],
            now: { now }
        )
        detector.listen(for: .stop)
        #expect(try found(detector) == ["hey_jarvis", "stop"])
        made[0].failure = WakeWordError("the server has gone")
        #expect(try found(detector) == ["stop"])
        #expect(detector.callsUnheard == WakeWordError("the server has gone"))
        #expect(detector.gaps.isEmpty)
        now = .seconds(14)
        #expect(try found(detector) == ["stop"])
        now = .seconds(15)
        #expect(try found(detector) == ["hey_jarvis", "stop"])
        #expect(detector.callsUnheard == nil)
        #expect(made.count == 2)
    }

    /// The user's model of a stop word fails: a stand-in hears the word until the model can be loaded again.
    @Test func aStandInHearsStopWordsMeanwhile() throws {
        var now = Duration.zero
        var isThere = false
        let away = WakeWordError("the model is broken")
        func make() throws(WakeWordError) -> any WakeWordDetector {
            if isThere { return Scripted("model") }
            throw away
        }
        func standIn() throws(WakeWordError) -> any WakeWordDetector { Scripted("stand-in") }
        let model = TwoEars.Maker(stops: ["stop"], standIn: standIn, make)
        let detector = TwoEars(calls: .init { Scripted("hey_jarvis") }, stops: [model], now: { now })
        detector.listen(for: .wake)
        #expect(try found(detector) == ["hey_jarvis"])
        detector.listen(for: .stop)
        #expect(try found(detector) == ["hey_jarvis", "stand-in"])
        let gap = WordGap(words: ["stop"], areStops: true, why: away, hasStandIn: true)
        #expect(detector.gaps == [gap])
        #expect(gap.description == "PocketSphinx listens for \"stop\" instead of the model: the model is broken")
        isThere = true
        now = .seconds(15)
        #expect(try found(detector) == ["hey_jarvis", "model"])
        #expect(detector.gaps.isEmpty)
    }

    /// A server that stays away is tried less and less often: each attempt may block the thread.
    @Test func thePauseGrowsToTwoMinutes() throws {
        var now = Duration.zero
        var asked: [Duration] = []
        let away = TwoEars.Maker { () throws(WakeWordError) in
            asked.append(now)
            throw WakeWordError("away")
        }
        let detector = TwoEars(calls: away, stops: [], now: { now })
        for second in 0..<600 {
            now = .seconds(second)
            #expect(try found(detector).isEmpty)
        }
        #expect(asked == [0, 15, 45, 105, 225, 345, 465, 585].map { .seconds($0) })
    }

    @Test func aWyomingServerIsHelpedOut() throws {
        let server = try LoopbackServer { socket in while !socket.read(4096).isEmpty {} }
        let engine = ActivationSettings.Engine.wyoming(address: "127.0.0.1:\(server.port)")
        let words = try WakeWords(wake: "hey_jarvis", stop: "stop", threshold: -20)
        let detector = try engine.detector(of: words, sphinxModel: "/nowhere")
        #expect(detector.callsUnheard == nil)
        #expect(detector.gaps.map(\.words) == [["stop"]])
        let none = try WakeWords(wake: "hey_jarvis", stop: "", threshold: -20)
        #expect(try engine.detector(of: none, sphinxModel: "/nowhere").gaps.isEmpty)
        withExtendedLifetime(server) {}
    }
}

extension SphinxSpotterTests {
    /// The recommended engine detects calls, PocketSphinx stop words: the real spotter beside a server without such a
    /// model.
    @Test func theStopWordIsFoundBesideAWyomingServer() throws {
        let server = try LoopbackServer { socket in while !socket.read(4096).isEmpty {} }
        let engine = ActivationSettings.Engine.wyoming(address: "127.0.0.1:\(server.port)")
        let words = try WakeWords(wake: "hey_jarvis", stop: "never mind:-50", threshold: -20)
        let detector = try engine.detector(of: words, sphinxModel: Self.model)
        #expect(detector.gaps.isEmpty)
        detector.listen(for: .stop)
        var rule = WakeRule(words: words, playingMargin: 4, refractory: .seconds(1))
        var verdicts: [WakeRule.Verdict] = []
        let input = Self.room("Never mind.")
        var decimator = TwoThirdsDecimator()
        var output = [Int16](repeating: 0, count: 640)
        try input.withUnsafeBufferPointer { input in
            guard let base = input.baseAddress else { return }
            for start in stride(from: 0, to: input.count, by: 960) {
                output.withUnsafeMutableBufferPointer { room in
                    if let to = room.baseAddress { decimator.process(base + start, count: 960, into: to) }
                }
                for candidate in try output.withUnsafeBufferPointer({ try detector.process($0) }) {
                    verdicts.append(rule.judge(candidate, listening: .stop, isPlaying: false, at: .seconds(9)))
                }
            }
        }
        #expect(verdicts.contains(.stop("never mind")), "\(verdicts)")
        withExtendedLifetime(server) {}
    }
}
