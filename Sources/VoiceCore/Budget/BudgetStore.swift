package import Logging

/// Remembers the accounts on disk, a few seconds after they changed; the newest is written, what came between is not.
///
/// An actor of its own: a slow memory card must not hold up the conversation.
package actor BudgetStore {
    private let path: String
    private let logger: Logger
    private let pause: Duration
    private var wanted: SavedBudget?
    private var latest = 0
    private var written: SavedBudget?
    private var saving: Task<Void, Never>?

    package init(directory: String, logger: Logger, pause: Duration = .seconds(5)) {
        path = Self.path(in: directory)
        self.logger = logger
        self.pause = pause
    }

    private static func path(in directory: String) -> String { directory + "/budget.toml" }

    /// What was saved; nil, with a warning, where it cannot be read.
    package static func load(
        directory: String,
        logger: Logger,
        files: FileReader = .system
    ) -> SavedBudget? {
        let path = path(in: directory)
        do {
            return try SavedBudget(parsing: try files.read(path, 16 << 10).bytes)
        } catch FileReader.Fault.absent {
            return nil
        } catch {
            logger.warning("what was spent so far is not known, counting from nothing: \(path): \(error)")
            return nil
        }
    }

    /// - Parameter sequence: grows with every change; what comes too late is passed over.
    package func save(_ budget: SavedBudget, sequence: Int) {
        guard sequence >= latest else { return }
        latest = sequence
        wanted = budget
        guard saving == nil else { return }
        let pause = pause
        saving = Task {
            try? await Task.sleep(for: pause)
            guard !Task.isCancelled else { return }
            write()
        }
    }

    /// Writes what is not written yet.
    package func flush() {
        saving?.cancel()
        write()
    }

    private func write() {
        saving = nil
        guard let wanted, wanted != written else { return }
        do {
            try StateFile.write(Array(wanted.text.utf8), to: path)
        } catch {
            logger.warning("what was spent is not remembered: \(error)")
        }
        written = wanted
    }
}
