package import Logging
internal import Synchronization
package import VoiceBase
internal import VoiceBudget

/// The egress book: written by the network thread, readable from any thread.
///
/// Saved half a minute after a change, and at shutdown: a daemon that is killed loses half a minute at most.
package final class EgressLedger: Sendable {
    private struct State {
        var book: EgressBook
        /// Whether a save is scheduled.
        var isSaving = false
    }

    private let state: Mutex<State>
    private let store: EgressStore?
    private let pause: Duration
    private let clock: @Sendable () -> ClockInstant

    package init(
        _ book: EgressBook = EgressBook(),
        store: EgressStore? = nil,
        pause: Duration = .seconds(30),
        clock: @escaping @Sendable () -> ClockInstant = ClockInstant.awake
    ) {
        state = Mutex(State(book: book))
        self.store = store
        self.pause = pause
        self.clock = clock
    }

    /// The ledger of a state directory, including what was sent before a restart.
    package static func restored(directory: String?, logger: Logger) -> EgressLedger {
        guard let directory else { return EgressLedger() }
        return EgressLedger(
            EgressStore.load(directory: directory, at: .now(), logger: logger),
            store: EgressStore(directory: directory, logger: logger)
        )
    }

    package func begin(by opener: String) { state.withLock { $0.book.begin(by: opener) } }

    func sent(samples: Int, bytes: Int) {
        let now = clock()
        let mustSave = state.withLock { state in
            state.book.sent(samples: samples, bytes: bytes, at: now)
            defer { state.isSaving = true }
            return !state.isSaving
        }
        guard mustSave, store != nil else { return }
        Task {
            try? await Task.sleep(for: pause)
            await flush()
        }
    }

    package var today: [EgressBook.Conversation] {
        let now = clock()
        return state.withLock { $0.book.today(now) }
    }

    /// Whether more was sent today than the book shows.
    package var isIncomplete: Bool {
        let now = clock()
        return state.withLock { state in
            _ = state.book.today(now)
            return state.book.isIncomplete
        }
    }

    /// Saves pending changes.
    package func flush() async {
        await store?.write {
            state.withLock { state in
                state.isSaving = false
                return state.book.saved
            }
        }
    }
}

/// Stores on disk what was sent today.
///
/// An actor of its own, because a slow memory card must not hold up the audio.
package actor EgressStore {
    private let store: StateStore

    package init(directory: String, logger: Logger) {
        store = Self.store(directory, logger)
    }

    private static func store(_ directory: String, _ logger: Logger, _ files: FileReader = .system) -> StateStore {
        StateStore(directory + "/egress.toml", limit: 64 << 10, logger: logger, files: files)
    }

    /// Loads the saved book. If it cannot be read, logs a warning and marks today's book as incomplete.
    package static func load(
        directory: String,
        at now: ClockInstant,
        logger: Logger,
        files: FileReader = .system
    ) -> EgressBook {
        let store = store(directory, logger, files)
        let found = store.load(SavedEgress.init(parsing:)) { _ in
            "what was sent earlier today is unknown; counting from now"
        }
        switch found {
        case .known(let saved):
            let book = EgressBook(saved, at: now)
            if book.saved?.day != saved.day {
                logger.warning(
                    "the egress ledger is dated years ahead, so it counts as today's: \(private: store.path)"
                )
            }
            return book
        case .absent: return EgressBook()
        case .damaged:
            let today = now.number(of: 86_400)
            return EgressBook(SavedEgress(day: today, conversations: [], isIncomplete: true), at: now)
        }
    }

    /// - Parameter newest: called when this write runs, so that overtaking calls never write stale data.
    package func write(_ newest: @Sendable () -> SavedEgress?) {
        guard let saved = newest() else { return }
        store.save(Array(saved.text.utf8), failing: "what was sent today is not saved")
    }
}
