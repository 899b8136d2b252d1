package import Logging
internal import Synchronization

/// The book, written by the network thread and read by anybody.
///
/// Remembered half a minute after it changed, and at the end: a daemon that is killed forgets half a minute at most.
package final class EgressLedger: Sendable {
    private struct State {
        var book: EgressBook
        /// Somebody is about to write the book.
        var isSaving = false
    }

    private let state: Mutex<State>
    private let store: EgressStore?
    private let pause: Duration
    private let clock: @Sendable () -> BudgetInstant

    package init(
        _ book: EgressBook = EgressBook(),
        store: EgressStore? = nil,
        pause: Duration = .seconds(30),
        clock: @escaping @Sendable () -> BudgetInstant = BudgetInstant.now
    ) {
        state = Mutex(State(book: book))
        self.store = store
        self.pause = pause
        self.clock = clock
    }

    /// That of a state directory, with what had left before a restart.
    package static func restored(directory: String?, logger: Logger) -> EgressLedger {
        guard let directory else { return EgressLedger() }
        let saved = EgressStore.load(directory: directory, logger: logger)
        return EgressLedger(
            saved.map { EgressBook($0) } ?? EgressBook(),
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

    /// Writes what is not written yet.
    package func flush() async {
        await store?.write {
            state.withLock { state in
                state.isSaving = false
                return state.book.saved
            }
        }
    }
}

/// Remembers on disk what has left today.
///
/// An actor of its own: a slow memory card must not hold up the sound.
package actor EgressStore {
    private let path: String
    private let logger: Logger
    private var written: SavedEgress?

    package init(directory: String, logger: Logger) {
        path = Self.path(in: directory)
        self.logger = logger
    }

    private static func path(in directory: String) -> String { directory + "/egress.toml" }

    /// What was saved; nil, with a warning, where it cannot be read.
    package static func load(directory: String, logger: Logger, files: FileReader = .system) -> SavedEgress? {
        let path = path(in: directory)
        do {
            return try SavedEgress(parsing: try files.read(path, 64 << 10).bytes)
        } catch FileReader.Fault.absent {
            return nil
        } catch {
            logger.warning("what left today is not known, counting from nothing: \(path): \(error)")
            return nil
        }
    }

    /// - Parameter newest: asked when it is this call's turn: calls that overtake each other write nothing old.
    package func write(_ newest: @Sendable () -> SavedEgress?) {
        guard let saved = newest(), saved != written else { return }
        do {
            try StateFile.write(Array(saved.text.utf8), to: path)
            written = saved
        } catch {
            logger.warning("what left today is not remembered: \(error)")
        }
    }
}
