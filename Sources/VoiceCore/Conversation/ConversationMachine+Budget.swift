internal import VoiceBase

/// What a budget says to the conversation.
package enum BudgetVerdict: Equatable, Sendable {
    /// Most of it is spent.
    case near
    /// It is spent; `until` as a clock shows it.
    case spent(until: String)
    case renewed
}

/// A conversation whose budget is spent.
struct BudgetHold: Equatable, Sendable {
    /// When there is a budget again; nil while there is one.
    private(set) var until: String?
    /// The session is closed as soon as nothing is being said.
    private(set) var isClosing = false
    /// Opens by itself when there is a budget again.
    private var reopens = false

    var isSpent: Bool { until != nil }

    /// - Parameters:
    ///   - isOpen: a session is to be closed.
    ///   - isAlwaysOpen: it is to be there again with the budget.
    mutating func spent(until: String, isOpen: Bool, isAlwaysOpen: Bool) {
        let isNew = !isSpent
        self.until = until
        guard isNew, isOpen else { return }
        isClosing = true
        reopens = isAlwaysOpen
    }

    /// A session was asked for and refused.
    mutating func refused(isAlwaysOpen: Bool) { reopens = isAlwaysOpen }

    /// False: nothing opens by itself any more.
    mutating func keepsOpen(_ keepsOpen: Bool) { reopens = reopens && keepsOpen }

    mutating func closed() { isClosing = false }

    /// There is a budget again.
    /// - Returns: whether to open a session.
    mutating func renewed() -> Bool {
        defer { self = BudgetHold() }
        return reopens
    }
}

/// The budget: a notice before its end, and a polite end.
///
/// The answer that is being given is heard to its end, and so is the one to the turn that the user has begun; a turn
/// begun later ends it. `budgetGrace` bounds all that.
extension ConversationMachine {
    mutating func budget(_ verdict: BudgetVerdict) {
        switch verdict {
        case .near: emit(.play(.thinking))
        case .spent(let until): hold.spent(until: until, isOpen: !link.isClosed, isAlwaysOpen: options.isAlwaysOpen)
        case .renewed:
            roster.isSpent = false
            if hold.renewed() { activate() }
        }
    }

    /// Whether a session may be opened; says why where not.
    mutating func budgetAllows() -> Bool {
        guard let until = hold.until, !goOnForNothing() else { return true }
        hold.refused(isAlwaysOpen: options.isAlwaysOpen)
        emit(.play(.error))
        note(.budgetSpent(until: until))
        return false
    }

    /// Closes the session of a spent budget once nothing is being said.
    mutating func closeWhenSpent() {
        guard hold.isClosing else { return }
        switch derivedState {
        case .idle: hold.closed()
        case .processing, .fillerSpeaking, .waitingForJarvis, .aiSpeaking: break
        case .userSpeaking where state == .userSpeaking: break
        case .userSpeaking, .listening, .connecting, .error: closeSpent()
        }
    }

    mutating func closeSpent() {
        hold.closed()
        guard !goOnForNothing() else { return }
        deactivate()
        emit(.play(.goodbye))
    }
}
