package import Logging
package import VoiceBase

/// Saves timers and alarms to disk as soon as they change.
package struct TimerStore: Sendable {
    private let writer: StateWriter

    package init(directory: String, logger: Logger) {
        writer = StateWriter(
            Self.store(directory, logger),
            failing: "timers and alarms will not survive a restart"
        )
    }

    private static func store(_ directory: String, _ logger: Logger, _ files: FileReader = .system) -> StateStore {
        StateStore(directory + "/timers.toml", logger: logger, files: files)
    }

    /// Loads what was saved; empty if the file is unreadable, which is logged.
    package static func load(directory: String, logger: Logger, files: FileReader = .system) -> SavedTimers {
        store(directory, logger, files).load(SavedTimers.init(parsing:)) { _ in
            "the earlier timers and alarms are lost; set them again"
        }.value ?? SavedTimers()
    }

    /// Schedules a write at once, in another task.
    package func remember(_ saved: SavedTimers) { writer.remember(saved.text) }

    /// Writes pending changes.
    package func flush() async { await writer.flush() }
}
