/// What to do about a question whose run is gone: the server was restarted, or the connection broke before the run had a
/// name.
///
///     still at work, and ours ------------------> join
///     nothing was done, and the server says so -> ask again
///     anything else ----------------------------> tell
///
/// Asking again runs the tools again, so it needs proof that none has run. What is unknown is reported, not repeated.
struct LostRun: Sendable, Equatable {
    enum Decision: Sendable, Equatable {
        case askAgain
        /// Follow the run of this id.
        case join(String)
        /// The user hears that the agent was restarted, and decides.
        case report
    }

    let question: String
    /// The server had given the run a name: it had begun.
    let hadBegun: Bool
    /// An event had shown that more than words was made.
    let showedWork: Bool
    let record: JarvisRecord
    /// The run that is active in the conversation now.
    let activeRun: String?

    var decision: Decision {
        // Where the run had a name the server does not know it: an active one is somebody else's.
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

    /// The last question of the record is this one.
    private var isRecorded: Bool {
        guard case .turn(let asked, _) = record else { return false }
        func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
        return words(asked) == words(question)
    }
}

/// What to do about a run in our conversation that answers none of our questions: left over from before a restart or a lost
/// connection, or begun by another program. The server lets nothing else into the conversation until it ends, and one that
/// waits for a person waits for ever.
enum StrayRun: Sendable, Equatable {
    case none
    /// Somebody may be at work there: it is given time.
    case wait
    /// Nobody will answer it, or nobody waits for its answer.
    case cancel(run: String)
    /// The same, where the run has no id to cancel it by: each prompt gets its no.
    case refuse([JarvisPrompt])

    /// - Parameters:
    ///   - state: of the conversation, while no question of ours is being answered in it.
    ///   - isLeftOver: a run of ours may have been left there.
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

    /// What the user is told about a run that was ended, before the next answer.
    static func notice(hadPrompt: Bool) -> String {
        hadPrompt
            ? "An earlier request was still waiting for your answer, so it was ended."
            : "An earlier request was still being worked on, so it was ended."
    }
}

/// Tells a pause of the connection from a server that is gone.
struct Outage: Sendable, Equatable {
    /// How long a server may be away, as for a restart, before it counts as gone.
    static let patience = Duration.seconds(5)

    private var since: Duration?

    /// The server could not be reached at `now` (time since any fixed moment).
    ///
    /// - Returns: true at the first time since it was reached.
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
