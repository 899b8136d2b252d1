internal import Synchronization

/// Writes a state file as soon as its content changes; of several changes at once, the latest.
///
/// An actor of its own, because a slow memory card must hold up nobody.
package actor StateWriter {
    private let store: StateStore
    private let failing: String
    private let wanted = Mutex<[UInt8]?>(nil)

    /// - Parameter failing: the consequence of a failure for the user, for instance "the volumes are not remembered".
    package init(_ store: StateStore, failing: String) {
        self.store = store
        self.failing = failing
    }

    /// Schedules a write at once, in another task.
    package nonisolated func remember(_ text: String) {
        wanted.withLock { $0 = Array(text.utf8) }
        Task { await flush() }
    }

    /// Writes pending changes.
    package func flush() {
        guard let bytes = wanted.withLock({ $0 }) else { return }
        store.save(bytes, failing: failing)
    }
}
