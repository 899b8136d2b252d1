internal import Synchronization

/// Waits for work at most so long.
package enum TimeLimit {
    /// The result of `body`, or nil once `limit` is over: the work is cancelled then and left to itself, since it may hang
    /// in a system call.
    package static func run<Result: Sendable>(
        _ limit: Duration,
        _ body: @escaping @Sendable () async -> Result
    ) async -> Result? {
        let race = Race<Result>()
        return await withCheckedContinuation { continuation in
            race.begin(continuation)
            let work = Task { race.finish(await body()) }
            let clock = Task {
                try? await Task.sleep(for: limit)
                guard !Task.isCancelled else { return }
                work.cancel()
                race.finish(nil)
            }
            race.attach(clock)
        }
    }

    /// The continuation, resumed by whoever comes first.
    private final class Race<Result: Sendable>: Sendable {
        private struct State {
            var continuation: CheckedContinuation<Result?, Never>?
            var clock: Task<Void, Never>?
            var isOver = false
        }

        private let state = Mutex(State())

        func begin(_ continuation: CheckedContinuation<Result?, Never>) {
            state.withLock { $0.continuation = continuation }
        }

        func attach(_ clock: Task<Void, Never>) {
            let isOver = state.withLock { state in
                state.clock = clock
                return state.isOver
            }
            if isOver { clock.cancel() }
        }

        func finish(_ result: Result?) {
            let (continuation, clock) = state.withLock { state in
                defer {
                    state.continuation = nil
                    state.isOver = true
                }
                return (state.continuation, state.clock)
            }
            clock?.cancel()
            continuation?.resume(returning: result)
        }
    }
}
