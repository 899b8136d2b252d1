import Synchronization
import Testing

@testable import VoiceActivation
@testable import VoiceCore

/// One engine for calls, another for stop words: what each recognises, and what happens when one fails.
struct WakeEnginesTests {
    /// The engines created from a maker, and their behaviour.
    private final class Script: Sendable {
        let word: String
        let made = Mutex(0)
        let processed = Mutex(0)
        let failure = Mutex<WakeWordError?>(nil)
        /// Why none can be created.
        let missing = Mutex<WakeWordError?>(nil)
        /// What the engines created from now on lack.
        let gaps = Mutex<[WordGap]>([])

        init(_ word: String) { self.word = word }

        func maker(stops: [String] = []) -> WakeEngines.Maker {
            .init(stops: stops) { () throws(WakeWordError) in
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

    private let calls = Script("hey jarvis")
    private let stops = Script("stop")

    private func engines(now: @escaping () -> Duration) -> WakeEngines {
        WakeEngines(calls: calls.maker(), stops: [stops.maker(stops: ["stop"])], now: now) { work in
            work()
            return true
        }
    }

    private func found(_ detector: some WakeWordDetector) throws -> [String] {
        try [Int16](repeating: 0, count: 640).withUnsafeBufferPointer { try detector.process($0) }.map(\.word)
    }

    @Test func stopWordsAreHeardOnlyWhileAStopHasAnEffect() throws {
        let engines = engines { .zero }
        #expect(try found(engines) == ["hey jarvis"])
        #expect(stops.processed.withLock { $0 } == 0)
        engines.listen(for: .stop)
        #expect(try found(engines) == ["hey jarvis", "stop"])
    }

    @Test func failingEngineIsRetriedEvery30Seconds() throws {
        var now = Duration.zero
        let engines = engines { now }
        engines.listen(for: .stop)
        let problem = WakeWordError("the library is gone")
        calls.failure.withLock { $0 = problem }
        calls.missing.withLock { $0 = problem }
        #expect(try found(engines) == ["stop"])
        #expect(engines.callsUnheard == problem)
        for second in 1...95 {
            now = .seconds(second)
            #expect(try found(engines) == ["stop"])
        }
        // Once at the start, then after 30, 60 and 90 s.
        #expect(calls.made.withLock { $0 } == 4)
        calls.failure.withLock { $0 = nil }
        calls.missing.withLock { $0 = nil }
        now = .seconds(120)
        #expect(try found(engines) == ["hey jarvis", "stop"])
        #expect(engines.callsUnheard == nil && engines.gaps.isEmpty)
    }

    @Test func missingEngineNamesItsUnheardStopWords() throws {
        stops.missing.withLock { $0 = WakeWordError("not installed") }
        let engines = engines { .zero }
        #expect(engines.gaps == [WordGap(words: ["stop"], areStops: true, why: WakeWordError("not installed"))])
        #expect(engines.callsUnheard == nil)
    }

    @Test func incompleteEngineStaysUntilABetterOneStarts() throws {
        let gap = WordGap(words: ["alexa"], areStops: false, why: WakeWordError("busy", cause: .transient))
        calls.gaps.withLock { $0 = [gap] }
        var now = Duration.zero
        let engines = engines { now }
        now = .seconds(30)
        #expect(try found(engines) == ["hey jarvis"])
        #expect(engines.gaps == [gap] && calls.made.withLock { $0 } == 2)
        calls.gaps.withLock { $0 = [] }
        now = .seconds(60)
        #expect(try found(engines) == ["hey jarvis"])
        #expect(engines.gaps.isEmpty)
        now = .seconds(600)
        _ = try found(engines)
        #expect(calls.made.withLock { $0 } == 3)
    }
}
