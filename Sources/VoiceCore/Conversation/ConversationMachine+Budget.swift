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
    var until: String?
    /// The session is closed as soon as nothing is being said.
    var isClosing = false
    /// Opens by itself when there is a budget again.
    var reopens = false
}

/// The budget: a notice before its end, and a polite end.
///
/// The answer that is being given is heard to its end, and so is the one to the turn that the user has begun; a turn
/// begun later ends it. `budgetGrace` bounds all that.
extension ConversationMachine {
    mutating func budget(_ verdict: BudgetVerdict) {
        switch verdict {
        case .near:
            effects.append(.play(.thinking))
        case .spent(let until):
            let isNew = hold.until == nil
            hold.until = until
            guard isNew, link != .closed else { return }
            hold.isClosing = true
            hold.reopens = options.isAlwaysOpen
        case .renewed:
            let reopens = hold.reopens
            hold = BudgetHold()
            if reopens { activate() }
        }
    }

    /// Whether a session may be opened; says why where not.
    mutating func budgetAllows() -> Bool {
        guard let until = hold.until else { return true }
        hold.reopens = options.isAlwaysOpen
        effects.append(.play(.error))
        note(.budgetSpent(until: until))
        return false
    }

    /// Closes the session of a spent budget once nothing is being said.
    mutating func closeWhenSpent() {
        guard hold.isClosing else { return }
        switch derivedState {
        case .idle: hold.isClosing = false
        case .processing, .fillerSpeaking, .waitingForJarvis, .aiSpeaking: break
        case .userSpeaking where state == .userSpeaking: break
        case .userSpeaking, .listening, .connecting, .error: closeSpent()
        }
    }

    mutating func closeSpent() {
        hold.isClosing = false
        deactivate()
        effects.append(.play(.goodbye))
    }
}
