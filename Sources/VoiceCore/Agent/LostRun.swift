/// What to do about a question whose run is gone: the server was restarted, or the connection broke before the run had a
/// name.
///
///     still at work, and ours ------------------> join
///     nothing was done, and the server says so -> ask again
///     anything else ----------------------------> tell
///
/// Asking again runs the tools again, so it needs proof that none has run. What is unknown is told, not repeated.
struct LostRun: Sendable, Equatable {
    enum Decision: Sendable, Equatable {
        case askAgain
        /// Follow the run of this id.
        case join(String)
        /// The user hears that the agent was restarted, and decides.
        case tell
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
        guard !showedWork, activeRun == nil else { return .tell }
        switch record {
        case .unknown: return .tell
        case .empty: return hadBegun ? .tell : .askAgain
        case .turn(_, let worked):
            guard isRecorded else { return hadBegun ? .tell : .askAgain }
            return worked ? .tell : .askAgain
        }
    }

    /// The last question of the record is this one.
    private var isRecorded: Bool {
        guard case .turn(let asked, _) = record else { return false }
        func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
        return words(asked) == words(question)
    }
}
