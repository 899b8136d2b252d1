/// Decides what to do about a question whose run is gone: the server was restarted, or the connection broke before the run
/// had an id.
///
///     still at work, and ours ------------------> join
///     nothing was done, and the server says so -> ask again
///     anything else ----------------------------> report
///
/// Asking again runs the tools again, so it requires proof that none has run. If that is unknown, the loss is reported
/// instead.
struct LostRun: Sendable, Equatable {
    enum Decision: Sendable, Equatable {
        case askAgain
        /// Follow the run with this id.
        case join(String)
        /// The user hears that the agent was restarted, and decides.
        case report
    }

    let question: String
    /// The server had assigned the run an id: it had begun.
    let hadBegun: Bool
    /// An event had shown that the run did more than speak.
    let showedWork: Bool
    let record: JarvisRecord
    /// The run active in the conversation now.
    let activeRun: String?

    var decision: Decision {
        // If our run had an id, the server no longer knows it: an active run belongs to another client.
        if !hadBegun, let activeRun, isRecorded { return .join(activeRun) }
        guard !showedWork, activeRun == nil else { return .report }
        switch record {
        case .unknown: return .report
        case .empty: return hadBegun ? .report : .askAgain
        case .turn(_, let worked):
            guard isRecorded else { return hadBegun ? .report : .askAgain }
            return worked ? .report : .askAgain
        }
    }

    private var isRecorded: Bool { record.isOf(question) }
}

/// Decides what to do about a run in our conversation that answers none of our questions: left over from before a restart
/// or a lost connection, or begun by another program. The server accepts nothing else in the conversation until it ends,
/// and a run that waits for a person waits for ever.
enum StrayRun: Sendable, Equatable {
    case none
    /// Another client may be at work there: give it time.
    case wait
    /// No one will answer its prompt, or no one waits for its answer.
    case cancel(run: String)
    /// The same for a run without an id to cancel it by: refuse each prompt.
    case refuse([JarvisPrompt])

    /// - Parameters:
    ///   - state: the state of the conversation while no question of ours is being answered in it.
    ///   - isLeftOver: whether a run of ours may remain there.
    init(_ state: JarvisState, isLeftOver: Bool) {
        guard state.isActive else {
            self = .none
            return
        }
        let isStuck = !state.prompts.isEmpty || isLeftOver
        switch state.activeRun {
        case let run? where isStuck: self = .cancel(run: run)
        case nil where !state.prompts.isEmpty && isLeftOver: self = .refuse(state.prompts)
        default: self = .wait
        }
    }

    /// The notice for the user about a run that was ended, before the next answer.
    static func notice(hadPrompt: Bool) -> String {
        hadPrompt
            ? "An earlier request was still waiting for your answer, so it was ended."
            : "An earlier request was still being worked on, so it was ended."
    }
}

/// Distinguishes a short outage from a server that is gone.
struct Outage: Sendable, Equatable {
    /// How long a server may be unreachable, as during a restart, before it counts as gone.
    static let patience = Duration.seconds(5)

    private var since: Duration?

    /// Records that the server was unreachable at `now` (time since any fixed moment).
    ///
    /// - Returns: true for the first failure since the server was last reached.
    mutating func begin(at now: Duration) -> Bool {
        guard since == nil else { return false }
        since = now
        return true
    }

    mutating func end() { since = nil }

    func isOver(at now: Duration) -> Bool {
        since.map { now - $0 >= Self.patience } ?? false
    }
}
