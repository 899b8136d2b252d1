internal import Synchronization

/// Writes a state file as soon as what it holds changes; of several changes at once the latest.
///
/// An actor of its own: a slow memory card must hold up nobody.
package actor StateWriter {
    private let store: StateStore
    private let failing: String
    private let wanted = Mutex<[UInt8]?>(nil)

    /// - Parameter failing: what a failure means for the user, "the volumes are not remembered".
    package init(_ store: StateStore, failing: String) {
        self.store = store
        self.failing = failing
    }

    /// Has it written at once, by somebody else.
    package nonisolated func remember(_ text: String) {
        wanted.withLock { $0 = Array(text.utf8) }
        Task { await flush() }
    }

    /// Writes what is not written yet.
    package func flush() {
        guard let bytes = wanted.withLock({ $0 }) else { return }
        store.save(bytes, failing: failing)
    }
}
