package import Logging
internal import Synchronization
package import VoiceBase

/// Remembers mute and mode on disk, as soon as they change.
///
/// An actor of its own: a slow memory card must not hold up a stop word.
package actor ActivationStore {
    private let store: StateStore
    private let wanted = Mutex<SavedActivation?>(nil)

    package init(directory: String, logger: Logger) {
        store = Self.store(directory, logger)
    }

    private static func store(_ directory: String, _ logger: Logger, _ files: FileReader = .system) -> StateStore {
        StateStore(directory + "/activation.toml", logger: logger, files: files)
    }

    /// What was saved. Where it cannot be read, the microphone counts as muted: it is not opened on a guess.
    package static func load(
        directory: String,
        logger: Logger,
        files: FileReader = .system
    ) -> SavedActivation {
        let found = store(directory, logger, files).load(SavedActivation.init(parsing:)) { _ in
            "whether the microphone was muted is not known, so it stays closed until \"jarvis-voiced ctl unmute\""
        }
        return switch found {
        case .absent: SavedActivation()
        case .known(let saved): saved
        case .damaged: SavedActivation(isMuted: true)
        }
    }

    /// Has it written at once, by somebody else.
    package nonisolated func remember(_ saved: SavedActivation) {
        wanted.withLock { $0 = saved }
        Task { await flush() }
    }

    /// Writes what is not written yet.
    package func flush() {
        guard let saved = wanted.withLock({ $0 }) else { return }
        store.save(Array(saved.text.utf8), failing: "mute and mode are not remembered for the next start")
    }
}
