/// Waits for work at most so long.
package enum TimeLimit {
    /// The result of `body`, or nil once `limit` is over: the work is cancelled then and left to itself, since it may hang
    /// in a system call.
    package static func run<Result: Sendable>(
        _ limit: Duration,
        _ body: @escaping @Sendable () async -> Result
    ) async -> Result? {
        let first = Promise<Result?>()
        let work = Task { first.give(await body()) }
        let clock = Task {
            try? await Task.sleep(for: limit)
            guard !Task.isCancelled else { return }
            work.cancel()
            first.give(nil)
        }
        defer { clock.cancel() }
        return await first.wait()
    }
}
