package import VoiceConversation

/// Chooses spoken notices for problems otherwise signalled by a tone. Pure; each problem is announced once until it is
/// over.
package struct SpokenNotices: Equatable, Sendable {
    /// Whether it announces problems; otherwise only the texts that the conversation hands to the box's own voice.
    private let reportsProblems: Bool
    private var hasReportedLoss = false
    private var hasReportedRefusal = false

    package init(reportsProblems: Bool = true) { self.reportsProblems = reportsProblems }

    /// Returns the sentence to say; nil if the effect needs no words.
    ///
    /// - Parameter isQuiet: in quiet hours nothing is said, and a problem that outlasts them is announced after them.
    package mutating func sentence(for effect: ConversationEffect, isQuiet: Bool = false) -> String? {
        if case .note(.sessionOpened) = effect { (hasReportedLoss, hasReportedRefusal) = (false, false) }
        if case .answer(let text) = effect { return text }
        guard !isQuiet else { return nil }
        if case .announce(let text) = effect { return text }
        guard reportsProblems, case .note(let note) = effect else { return nil }
        switch note {
        case .connectionLost(let failure, let pause):
            guard pause > .zero, !hasReportedLoss else { return nil }
            hasReportedLoss = true
            return failure.isOfRecogniser
                ? "I cannot hear you: the recogniser of this house does not answer. I keep trying."
                : "The voice service cannot be reached. I keep trying."
        case .refused:
            guard !hasReportedRefusal else { return nil }
            hasReportedRefusal = true
            return "The voice service refuses the connection. The doctor command says what to change."
        case .budgetSpent(let until): return "The budget for conversations is spent until \(until)."
        case .questionGivenUp:
            return "The voice service has failed twice at your question. Please ask it in another way."
        case .questionLost(false): return "The connection broke, and your question is lost. Please ask again."
        default: return nil
        }
    }
}
