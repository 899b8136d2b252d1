/// Schedules the next check of something. For one owner, which may reschedule it.
package struct NextLook: Sendable {
    private var waiting: Task<Void, Never>?

    package init() {}

    /// Replaces the check planned before.
    ///
    /// - Parameters:
    ///   - pause: the time until the check; nil for never.
    ///   - sleep: throws if it was cancelled.
    package mutating func plan(
        after pause: Duration?,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        _ look: @escaping @Sendable () async -> Void
    ) {
        waiting?.cancel()
        waiting = pause.map { pause in
            Task {
                guard (try? await sleep(pause)) != nil, !Task.isCancelled else { return }
                await look()
            }
        }
    }

    package func cancel() { waiting?.cancel() }
}
