import Glibc
import Synchronization
import Testing

@testable import VoiceActivation
@testable import VoiceCore

/// One engine for calls, another for stop words: what each hears, and what happens if the other fails.
struct TwoEarsTests {
    /// What a test knows of the engines that were created, and what they do.
    private final class Script: Sendable {
        let word: String
        let processed = Mutex(0)
        let made = Mutex(0)
        let failure = Mutex<WakeWordError?>(nil)
        /// Why none can be created.
        let missing = Mutex<WakeWordError?>(nil)
        /// What those created from now on lack.
        let gaps = Mutex<[WordGap]>([])

        init(_ word: String) { self.word = word }

        var make: TwoEars.Make {
            { () throws(WakeWordError) in
                self.made.withLock { $0 += 1 }
                if let missing = self.missing.withLock({ $0 }) { throw missing }
                return Scripted(self)
            }
        }
    }

    private final class Scripted: WakeWordDetector {
        let script: Script
        let gaps: [WordGap]

        init(_ script: Script) {
            self.script = script
            gaps = script.gaps.withLock { $0 }
        }

        func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate] {
            script.processed.withLock { $0 += 1 }
            if let failure = script.failure.withLock({ $0 }) { throw failure }
            return [WakeCandidate(script.word, .repeated)]
        }

        func reset() {}
    }

    /// Another thread, whose work is done when a test says so.
    private final class Beside: Sendable {
        private let waiting = Mutex<[@Sendable () -> Void]>([])

        var count: Int { waiting.withLock { $0.count } }

        func finish() {
            let work = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for work in work { work() }
        }

        var start: TwoEars.Starter {
            { work in
                self.waiting.withLock { $0.append(work) }
                return true
            }
        }
    }

    /// Does the work at once.
    private static let atOnce: TwoEars.Starter = { work in
        work()
        return true
    }

    private func found(_ detector: some WakeWordDetector) throws -> [String] {
        try [Int16](repeating: 0, count: 640).withUnsafeBufferPointer { try detector.process($0) }.map(\.word)
    }

    @Test func stopWordsAreLookedForOnlyWhereTheyMeanSomething() throws {
        let stops = Script("stop")
        let detector = TwoEars(calls: .init(Script("hey_jarvis").make), stops: [.init(stops.make)])
        detector.listen(for: .wake)
        #expect(try found(detector) == ["hey_jarvis"])
        #expect(stops.processed.withLock { $0 } == 0)
        detector.listen(for: .stop)
        #expect(try found(detector) == ["hey_jarvis", "stop"])
        #expect(detector.gaps.isEmpty)
    }

    @Test func withoutTheSecondEngineCallsAreStillHeard() throws {
        let problem = WakeWordError("PocketSphinx is not installed")
        let missing = TwoEars.Maker(stops: ["stop"]) { () throws(WakeWordError) in throw problem }
        let detector = TwoEars(calls: .init(Script("hey_jarvis").make), stops: [missing])
        detector.listen(for: .stop)
        #expect(try found(detector) == ["hey_jarvis"])
        let gap = WordGap(words: ["stop"], areStops: true, why: problem)
        #expect(detector.gaps == [gap])
        #expect(WakeCheck.judge(gap).message == "\"stop\": not recognised: PocketSphinx is not installed")
    }

    /// A failed engine is created anew after a pause; the other hears all the time.
    @Test func anEngineThatFailsDoesNotMakeTheOtherDeaf() throws {
        var now = Duration.zero
        let calls = Script("hey_jarvis")
        let detector = TwoEars(
            calls: .init(calls.make),
            stops: [.init(Script("stop").make)],
            now: { now },
            start: Self.atOnce
        )
        detector.listen(for: .stop)
        #expect(try found(detector) == ["hey_jarvis", "stop"])
        calls.failure.withLock { $0 = WakeWordError("the server has gone") }
        #expect(try found(detector) == ["stop"])
        #expect(detector.callsUnheard == WakeWordError("the server has gone"))
        #expect(detector.gaps.isEmpty)
        calls.failure.withLock { $0 = nil }
        now = .seconds(14)
        #expect(try found(detector) == ["stop"])
        now = .seconds(15)
        #expect(try found(detector) == ["hey_jarvis", "stop"])
        #expect(detector.callsUnheard == nil)
        #expect(calls.made.withLock { $0 } == 2)
    }

    /// The name of a server takes long to resolve: meanwhile the other engine hears every block, and no second attempt
    /// begins.
    @Test func anEngineThatTakesLongToCreateDoesNotMakeTheOtherDeaf() throws {
        var now = Duration.zero
        let (calls, beside) = (Script("hey_jarvis"), Beside())
        calls.missing.withLock { $0 = WakeWordError("there is no host") }
        let detector = TwoEars(
            calls: .init(calls.make),
            stops: [.init(Script("stop").make)],
            now: { now },
            start: beside.start
        )
        detector.listen(for: .stop)
        for second in 15..<40 {
            now = .seconds(second)
            #expect(try found(detector) == ["stop"])
            #expect(beside.count == 1)
        }
        #expect(calls.made.withLock { $0 } == 1)
        beside.finish()
        // The attempt failed; the next comes after the pause, counted from now.
        #expect(try found(detector) == ["stop"])
        #expect(beside.count == 0)
        calls.missing.withLock { $0 = nil }
        now = .seconds(39 + 30)
        #expect(try found(detector) == ["stop"])
        beside.finish()
        #expect(try found(detector) == ["hey_jarvis", "stop"])
        #expect(detector.callsUnheard == nil)
    }

    /// The whole path on real threads: a server whose name takes a while, beside a stop word that is heard meanwhile.
    @Test func anEngineIsCreatedOnAThreadOfItsOwn() async throws {
        let isOpen = Atomic(false)
        let calls = Script("hey_jarvis")
        calls.missing.withLock { $0 = WakeWordError("there is no host") }
        let make = calls.make
        let slow = TwoEars.Maker { () throws(WakeWordError) in
            let detector = try make()
            while !isOpen.load(ordering: .acquiring) { usleep(1000) }
            return detector
        }
        var now = Duration.zero
        let detector = TwoEars(calls: slow, stops: [.init(Script("stop").make)], now: { now })
        detector.listen(for: .stop)
        calls.missing.withLock { $0 = nil }
        now = .seconds(15)
        for _ in 0..<100 { #expect(try found(detector) == ["stop"]) }
        isOpen.store(true, ordering: .releasing)
        var words = try found(detector)
        while words == ["stop"] {
            usleep(1000)
            words = try found(detector)
        }
        #expect(words == ["hey_jarvis", "stop"])
    }

    /// No thread is to be had: the attempt counts as failed, and the other engine hears.
    @Test func withoutAThreadTheNextAttemptComesLater() throws {
        var now = Duration.zero
        let calls = Script("hey_jarvis")
        calls.missing.withLock { $0 = WakeWordError("away") }
        let asked = Mutex(0)
        let detector = TwoEars(
            calls: .init(calls.make),
            stops: [.init(Script("stop").make)],
            now: { now },
            start: { _ in
                asked.withLock { $0 += 1 }
                return false
            }
        )
        detector.listen(for: .stop)
        for second in 0..<60 {
            now = .seconds(second)
            #expect(try found(detector) == ["stop"])
        }
        #expect(asked.withLock { $0 } == 2)
        #expect(detector.callsUnheard == WakeWordError("away"))
    }

    /// The user's model of a stop word fails: a stand-in hears the word until the model can be loaded again.
    @Test func aStandInHearsStopWordsMeanwhile() throws {
        var now = Duration.zero
        let away = WakeWordError("the model is broken")
        let model = Script("model")
        model.missing.withLock { $0 = away }
        let maker = TwoEars.Maker(stops: ["stop"], standIn: Script("stand-in").make, model.make)
        let detector = TwoEars(
            calls: .init(Script("hey_jarvis").make),
            stops: [maker],
            now: { now },
            start: Self.atOnce
        )
        detector.listen(for: .wake)
        #expect(try found(detector) == ["hey_jarvis"])
        detector.listen(for: .stop)
        #expect(try found(detector) == ["hey_jarvis", "stand-in"])
        let gap = WordGap(words: ["stop"], areStops: true, why: away, hasStandIn: true)
        #expect(detector.gaps == [gap])
        #expect(gap.description == "PocketSphinx listens for \"stop\" instead of the model: the model is broken")
        model.missing.withLock { $0 = nil }
        now = .seconds(15)
        #expect(try found(detector) == ["hey_jarvis", "model"])
        #expect(detector.gaps.isEmpty)
    }

    /// A model that fails while it listens: the stand-in takes over with the next block, and what it lacks is named.
    @Test func aStandInTakesOver() throws {
        let (model, standIn) = (Script("model"), Script("stand-in"))
        let maker = TwoEars.Maker(stops: ["stop"], standIn: standIn.make, model.make)
        func fail() throws -> TwoEars {
            model.failure.withLock { $0 = nil }
            let detector = TwoEars(calls: nil, stops: [maker], now: { .zero }, start: Self.atOnce)
            detector.listen(for: .stop)
            #expect(try found(detector) == ["model"])
            model.failure.withLock { $0 = WakeWordError("the model fails") }
            #expect(try found(detector).isEmpty)
            return detector
        }
        let detector = try fail()
        #expect(try found(detector) == ["stand-in"])
        #expect(detector.gaps.map(\.hasStandIn) == [true])
        standIn.missing.withLock { $0 = WakeWordError("PocketSphinx is not installed") }
        let without = try fail()
        #expect(try found(without).isEmpty)
        let why = WakeWordError("the model fails; PocketSphinx is not installed")
        #expect(without.gaps == [WordGap(words: ["stop"], areStops: true, why: why)])
    }

    /// The model fails while it is being replaced, because a word could not be tried, and the replacement fails too: the
    /// stand-in takes over at once, and not after the pause.
    @Test func aStandInTakesOverFromTwoThatFail() throws {
        let (model, standIn, beside) = (Script("model"), Script("stand-in"), Beside())
        model.gaps.withLock {
            $0 = [WordGap(words: ["halt"], areStops: true, why: WakeWordError("busy", cause: .passing))]
        }
        let maker = TwoEars.Maker(stops: ["stop"], standIn: standIn.make, model.make)
        var now = Duration.zero
        let detector = TwoEars(calls: nil, stops: [maker], now: { now }, start: beside.start)
        detector.listen(for: .stop)
        now = .seconds(15)
        #expect(try found(detector) == ["model"])
        #expect(beside.count == 1, "it is being replaced")
        model.failure.withLock { $0 = WakeWordError("the model fails") }
        model.missing.withLock { $0 = WakeWordError("the model is gone") }
        #expect(try found(detector).isEmpty)
        beside.finish()
        #expect(try found(detector).isEmpty)
        beside.finish()
        #expect(try found(detector) == ["stand-in"])
        #expect(
            detector.gaps == [
                WordGap(words: ["stop"], areStops: true, why: WakeWordError("the model is gone"), hasStandIn: true)
            ]
        )
    }

    /// A stand-in that fails too is named, and its model is tried again within two minutes, though it holds up the trial.
    @Test func withoutAStandInTheNextAttemptIsNear() throws {
        let (model, standIn) = (Script("model"), Script("stand-in"))
        model.missing.withLock { $0 = WakeWordError("hangs", cause: .heldUp) }
        let maker = TwoEars.Maker(stops: ["stop"], standIn: standIn.make, model.make)
        var now = Duration.zero
        let detector = TwoEars(calls: nil, stops: [maker], now: { now }, start: Self.atOnce)
        detector.listen(for: .stop)
        for second in stride(from: 0, to: 8000, by: 15) {
            now = .seconds(second)
            #expect(try found(detector) == ["stand-in"])
        }
        let known = model.made.withLock { $0 }
        standIn.failure.withLock { $0 = WakeWordError("PocketSphinx fails") }
        #expect(try found(detector).isEmpty)
        #expect(detector.gaps.map(\.why.description) == ["hangs; PocketSphinx fails"])
        standIn.failure.withLock { $0 = nil }
        now += .seconds(119)
        #expect(try found(detector).isEmpty)
        now += .seconds(1)
        #expect(try found(detector) == ["stand-in"])
        #expect(model.made.withLock { $0 } == known + 1)
    }

    /// The journal says in one line why no wake word is heard, and how to call all the same.
    @Test func whoIsNotHeardIsToldHowToCall() {
        #expect(
            WakeWordListener.unheard(WakeWordError("no model; no server"))
                == "words are not recognised (the call key and \"ctl listen\" still work): no model; no server"
        )
    }

    /// A server that stays away is tried less and less often.
    @Test func thePauseGrowsToTwoMinutes() throws {
        var now = Duration.zero
        let asked = Mutex(0)
        var times: [Int] = []
        let away = TwoEars.Maker { () throws(WakeWordError) in
            asked.withLock { $0 += 1 }
            throw WakeWordError("away")
        }
        let detector = TwoEars(calls: away, stops: [], now: { now }, start: Self.atOnce)
        var known = 0
        for second in 0..<600 {
            now = .seconds(second)
            #expect(try found(detector).isEmpty)
            let count = asked.withLock { $0 }
            if count > known { times.append(second) }
            known = count
        }
        #expect(known == 8 && times == [0, 15, 45, 105, 225, 345, 465, 585])
    }

    /// The journal names the words again once one of them is no longer lacking, and only then.
    @Test func aWordThatIsBackIsNews() {
        let hey = WordGap(words: ["hey jarvis"], areStops: false, why: WakeWordError("busy", cause: .passing))
        var stop = WordGap(words: ["stop"], areStops: true, why: WakeWordError("broken"))
        let before = WakeWordListener.Lack(gaps: [hey, stop])
        #expect(WakeWordListener.Lack(gaps: [stop]).hasFewerWords(than: before))
        stop.hasStandIn = true
        #expect(!WakeWordListener.Lack(gaps: [stop, hey]).hasFewerWords(than: before))
        #expect(!before.hasFewerWords(than: WakeWordListener.Lack(gaps: [stop])))
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
