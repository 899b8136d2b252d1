package import Logging
package import VoiceBase

/// Saves mute and mode to disk as soon as they change.
package struct ActivationStore: Sendable {
    private let writer: StateWriter

    package init(directory: String, logger: Logger) {
        writer = StateWriter(
            Self.store(directory, logger),
            failing: "mute and mode are not remembered for the next start"
        )
    }

    private static func store(_ directory: String, _ logger: Logger, _ files: FileReader = .system) -> StateStore {
        StateStore(directory + "/activation.toml", logger: logger, files: files)
    }

    /// Loads the saved state. If it is unreadable, the microphone counts as muted: it is not opened on a guess.
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

    /// Schedules a write at once, in another task.
    package func remember(_ saved: SavedActivation) { writer.remember(saved.text) }

    /// Writes pending changes.
    package func flush() async { await writer.flush() }
}
