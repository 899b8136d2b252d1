package import Logging
internal import Synchronization

/// Remembers mute and mode on disk, as soon as they change.
///
/// An actor of its own: a slow memory card must not hold up a stop word.
package actor ActivationStore {
    private let path: String
    private let logger: Logger
    private let wanted = Mutex<SavedActivation?>(nil)
    private var written: SavedActivation?

    package init(directory: String, logger: Logger) {
        path = Self.path(in: directory)
        self.logger = logger
    }

    private static func path(in directory: String) -> String { directory + "/activation.toml" }

    /// What was saved. Where it cannot be read, the microphone counts as muted: it is not opened on a guess.
    package static func load(
        directory: String,
        logger: Logger,
        files: FileReader = .system
    ) -> SavedActivation {
        let path = path(in: directory)
        do {
            return try SavedActivation(parsing: try files.read(path, 16 << 10).bytes)
        } catch FileReader.Fault.absent {
            return SavedActivation()
        } catch {
            logger.warning(
                "whether the microphone was muted is not known, so it stays closed until \"jarvis-voiced ctl unmute\": \(path): \(error)"
            )
            return SavedActivation(isMuted: true)
        }
    }

    /// Has it written at once, by somebody else.
    package nonisolated func remember(_ saved: SavedActivation) {
        wanted.withLock { $0 = saved }
        Task { await flush() }
    }

    /// Writes what is not written yet.
    package func flush() {
        guard let saved = wanted.withLock({ $0 }), saved != written else { return }
        do {
            try StateFile.write(Array(saved.text.utf8), to: path)
            written = saved
        } catch {
            logger.warning("mute and mode are not remembered for the next start: \(error)")
        }
    }
}
