package import Logging
package import VoiceBase

/// Saves the accounts to disk a few seconds after a change; only the newest version is written.
///
/// A separate actor, so that a slow memory card does not hold up the conversation.
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

    /// Loads the saved accounts. An unreadable file is logged as a warning and set aside.
    package static func load(
        directory: String,
        logger: Logger,
        files: FileReader = .system
    ) -> RestoredBudget {
        let found = store(directory, logger, files).load(SavedBudget.init(parsing:)) { isAgain in
            let share = Int((RestoredBudget.damaged(isAgain: isAgain).assumedShare * 100).rounded())
            // A running daemon would write the file again.
            return "the spending so far is unknown, so \(share) % of every limit counts as spent; to start from zero, "
                + "stop the daemon, remove the file and start it again"
        }
        return switch found {
        case .absent: .nothing
        case .known(let saved): .known(saved)
        case .damaged(let isAgain): .damaged(isAgain: isAgain)
        }
    }

    /// - Parameter sequence: grows with every change; older versions are ignored.
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

    /// Writes pending changes.
    package func flush() {
        saving?.cancel()
        write()
    }

    private func write() {
        saving = nil
        guard let wanted else { return }
        store.save(Array(wanted.text.utf8), failing: "spending is not remembered")
    }
}
