internal import Synchronization
import VoiceBase

/// `BareProcessing` every 10 ms, on its own thread.
final class PacedProcessing: Sendable {
    private let periods: Int
    private let result = Mutex<Result<Double, any Error>?>(nil)

    /// Starts the thread, which ends after so many periods.
    init(periods: Int) throws {
        self.periods = periods
        guard OwnThread.start("jv-alone", { self.run() }) else {
            throw BenchProblem("no thread for the canceller alone")
        }
    }

    /// Returns the CPU time per period, in us; waits at least for `pause`.
    func microseconds(after pause: Duration) async throws -> Double {
        try await Task.sleep(for: pause)
        for _ in 0..<100 where result.withLock({ $0 == nil }) { try await Task.sleep(for: .milliseconds(20)) }
        guard let result = result.withLock({ $0 }) else { throw BenchProblem("the canceller alone does not end") }
        return try result.get()
    }

    private func run() {
        let outcome = Result { try BareProcessing.microseconds(periods: periods, isPaced: true) }
        result.withLock { $0 = outcome }
    }
}
