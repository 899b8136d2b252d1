package import Logging
package import VoiceBase

/// Saves mute and mode to disk as soon as they change.
package struct ActivationStore: Sendable {
    private let writer: StateWriter

    /// - Parameter write: see `StateStore`.
    package init(
        directory: String,
        logger: Logger,
        write: @escaping @Sendable ([UInt8], String) throws(StateFile.Fault) -> Void = StateFile.write
    ) {
        writer = StateWriter(
            StateStore(Self.path(directory), logger: logger, write: write),
            failing: "mute and mode are not remembered for the next start"
        )
    }

    private static func path(_ directory: String) -> String { directory + "/activation.toml" }

    /// Loads the saved state. If it is unreadable, the microphone counts as muted: it is not opened on a guess.
    package static func load(
        directory: String,
        logger: Logger,
        files: FileReader = .system
    ) -> SavedActivation {
        let store = StateStore(path(directory), logger: logger, files: files)
        let found = store.load(SavedActivation.init(parsing:)) { _ in
            "whether the microphone was muted is not known, so it stays closed until \"jarvis-voiced ctl unmute\""
        }
        return switch found {
        case .absent: SavedActivation()
        case .known(let saved): saved
        case .damaged: SavedActivation(isMuted: true)
        }
    }

    /// Schedules an immediate write, in another task.
    package func remember(_ saved: SavedActivation) { writer.remember(saved.text) }

    /// Writes pending changes.
    package func flush() async { await writer.flush() }

    /// Waits until the latest state is on disk.
    ///
    /// - Returns: false if it cannot be written, or if the disk needs longer than `limit`.
    package func isSaved(within limit: Duration) async -> Bool {
        await TimeLimit.run(limit) { await writer.flush() } ?? false
    }
}
