package import Logging
internal import Synchronization
package import VoiceBase

/// Remembers timers and alarms on disk, as soon as they change.
///
/// An actor of its own: a slow memory card must not hold up what rings.
package actor TimerStore {
    private let store: StateStore
    private let wanted = Mutex<SavedTimers?>(nil)

    package init(directory: String, logger: Logger) {
        store = Self.store(directory, logger)
    }

    private static func store(_ directory: String, _ logger: Logger, _ files: FileReader = .system) -> StateStore {
        StateStore(directory + "/timers.toml", logger: logger, files: files)
    }

    /// What was saved; nothing where it cannot be read, which the log tells.
    package static func load(directory: String, logger: Logger, files: FileReader = .system) -> SavedTimers {
        store(directory, logger, files).load(SavedTimers.init(parsing:)) { _ in
            "the timers and alarms of before are lost, set them again"
        }.value ?? SavedTimers()
    }

    /// Has it written at once, by somebody else.
    package nonisolated func remember(_ saved: SavedTimers) {
        wanted.withLock { $0 = saved }
        Task { await flush() }
    }

    /// Writes what is not written yet.
    package func flush() {
        guard let saved = wanted.withLock({ $0 }) else { return }
        store.save(Array(saved.text.utf8), failing: "timers and alarms are not remembered for the next start")
    }
}
