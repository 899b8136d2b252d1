import Glibc
import Synchronization
import Testing

@testable import VoiceBase

/// Measures how long the machine kept a thread that had something to do from running while a conversation was on.
///
/// A conversation runs in real time, and what plays it has about 50 ms in hand: a longer stall makes a hole in the sound that
/// is not a fault of the program. Each one is printed with the name of the test; `scripts/test` repeats a failed conversation
/// only if there was one.
struct StallWatch: TestTrait, SuiteTrait, TestScoping {
    static let longest = Duration.milliseconds(50)

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let gauge = Gauge()
        let isMeasured = OwnThread.start("stalls") {
            var last = Monotonic.now()
            while !gauge.isOver {
                usleep(5000)
                let now = Monotonic.now()
                gauge.note(now - last - .milliseconds(5))
                last = now
            }
        }
        #expect(isMeasured)
        defer {
            gauge.end()
            if gauge.worst > Self.longest {
                let line = Array("the machine stalled for \(gauge.worst.milliseconds) ms during \(test.name)\n".utf8)
                // Immediately and whole, between the lines of the test runner.
                _ = write(STDERR_FILENO, line, line.count)
            }
        }
        try await function()
    }

    private final class Gauge: Sendable {
        private let state = Mutex((worst: Duration.zero, isOver: false))

        var worst: Duration { state.withLock(\.worst) }
        var isOver: Bool { state.withLock(\.isOver) }
        func note(_ late: Duration) { state.withLock { $0.worst = max($0.worst, late) } }
        func end() { state.withLock { $0.isOver = true } }
    }
}

extension Trait where Self == StallWatch {
    /// The machine's stalls during each test are measured.
    static var stallsMeasured: Self { StallWatch() }
}
