internal import VoiceBase

/// A change in the budget, as passed to the conversation.
package enum BudgetVerdict: Equatable, Sendable {
    /// Most of the budget is spent.
    case near
    /// The budget is spent; `until` is a local time.
    case spent(until: String)
    case renewed
}

/// A conversation whose budget is spent.
struct BudgetHold: Equatable, Sendable {
    /// When the budget is renewed, in local time; nil unless it is spent.
    private(set) var until: String?
    /// The session closes as soon as nothing is being said.
    private(set) var isClosing = false
    /// Reopens automatically when the budget is renewed.
    private var reopens = false

    var isSpent: Bool { until != nil }

    /// - Parameters:
    ///   - isOpen: whether a session has to be closed.
    ///   - isAlwaysOpen: whether it should reopen with the budget.
    mutating func spent(until: String, isOpen: Bool, isAlwaysOpen: Bool) {
        let isNew = !isSpent
        self.until = until
        guard isNew, isOpen else { return }
        isClosing = true
        reopens = isAlwaysOpen
    }

    /// A session was requested and refused.
    mutating func refused(isAlwaysOpen: Bool) { reopens = isAlwaysOpen }

    /// Notes whether a session may still reopen automatically.
    mutating func keepsOpen(_ keepsOpen: Bool) { reopens = reopens && keepsOpen }

    mutating func closed() { isClosing = false }

    /// Notes that the budget is renewed.
    /// - Returns: whether to open a session.
    mutating func renewed() -> Bool {
        defer { self = BudgetHold() }
        return reopens
    }
}

/// The budget: a notice before its end, and a polite end.
///
/// The current answer is heard to its end, and so is the answer to a turn already begun; a later turn ends the session.
/// `budgetGrace` limits all of it.
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

    /// Whether a session may be opened; if not, reports why.
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
