/// When something is to be looked at again: of one owner, who may change his mind.
package struct NextLook: Sendable {
    private var waiting: Task<Void, Never>?

    package init() {}

    /// Takes the place of what was planned.
    ///
    /// - Parameters:
    ///   - pause: nil for never.
    ///   - sleep: throws where it was cancelled.
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
