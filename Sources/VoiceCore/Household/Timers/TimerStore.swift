package import Logging
package import VoiceBase

/// Remembers timers and alarms on disk, as soon as they change.
package struct TimerStore: Sendable {
    private let writer: StateWriter

    package init(directory: String, logger: Logger) {
        writer = StateWriter(
            Self.store(directory, logger),
            failing: "timers and alarms are not remembered for the next start"
        )
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
    package func remember(_ saved: SavedTimers) { writer.remember(saved.text) }

    /// Writes what is not written yet.
    package func flush() async { await writer.flush() }
}
