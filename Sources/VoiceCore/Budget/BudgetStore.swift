package import Logging
package import VoiceBase

/// Remembers the accounts on disk, a few seconds after they changed; the newest is written, what came between is not.
///
/// An actor of its own: a slow memory card must not hold up the conversation.
package actor BudgetStore {
    private let store: StateStore
    private let pause: Duration
    private var wanted: SavedBudget?
    private var latest = 0
    private var saving: Task<Void, Never>?

    package init(directory: String, logger: Logger, pause: Duration = .seconds(5)) {
        store = Self.store(directory, logger)
        self.pause = pause
    }

    private static func store(_ directory: String, _ logger: Logger, _ files: FileReader = .system) -> StateStore {
        StateStore(directory + "/budget.toml", logger: logger, files: files)
    }

    /// What was saved, with a warning where it cannot be read; such a file is kept aside.
    package static func load(
        directory: String,
        logger: Logger,
        files: FileReader = .system
    ) -> RestoredBudget {
        let found = store(directory, logger, files).load(SavedBudget.init(parsing:)) { isAgain in
            let share = Int((RestoredBudget.damaged(isAgain: isAgain).assumedShare * 100).rounded())
            // A daemon that runs writes it anew.
            return "what was spent is not known, so \(share) % of every limit counts as spent; to count from nothing, "
                + "stop the daemon, remove the file and start it again"
        }
        return switch found {
        case .absent: .nothing
        case .known(let saved): .known(saved)
        case .damaged(let isAgain): .damaged(isAgain: isAgain)
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
        guard let wanted else { return }
        store.save(Array(wanted.text.utf8), failing: "what was spent is not remembered")
    }
}
