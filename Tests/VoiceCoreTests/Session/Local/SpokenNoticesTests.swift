import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

/// Which troubles are told in words, and how often.
struct SpokenNoticesTests {
    private static func lost(recogniser: Bool = false, retryIn pause: Duration = .seconds(1)) -> ConversationEffect {
        var failure = LinkFailure(.transient, "local.recogniser: reset")
        failure.isOfRecogniser = recogniser
        return .note(.connectionLost(failure, retryIn: pause))
    }

    @Test(
        arguments: [
            (lost(), "The voice service cannot be reached. I keep trying."),
            (
                lost(recogniser: true),
                "I cannot hear you: the recogniser of this house does not answer. I keep trying."
            ),
            (
                .note(.refused(reason: "401")),
                "The voice service refuses the connection. The doctor command says what to change."
            ),
            (.note(.budgetSpent(until: "17:00")), "The budget for conversations is spent until 17:00."),
            (
                .note(.questionLost(isAskedAgain: false)),
                "The connection broke, and your question is lost. Please ask again."
            ),
            (
                .note(.questionGivenUp),
                "The voice service has failed twice at your question. Please ask it in another way."
            ),
            (.announce("Another voice stands in."), "Another voice stands in."),
            (.answer("Two meetings."), "Two meetings."),
        ] as [(ConversationEffect, String)]
    )
    func troubleHasASentence(effect: ConversationEffect, sentence: String) {
        var notices = SpokenNotices()
        #expect(notices.sentence(for: effect) == sentence)
    }

    @Test(arguments: [
        // The next session is there already, and a question that is asked again is not lost.
        lost(retryIn: .zero), .note(.questionLost(isAskedAgain: true)), .play(.error), .connect,
        .note(.sessionOpened(id: "s", expiresAt: nil)),
    ])
    func unnoticeableEventsHaveNoSentence(effect: ConversationEffect) {
        var notices = SpokenNotices()
        #expect(notices.sentence(for: effect) == nil)
    }

    @Test(arguments: [lost(), .note(.refused(reason: "401"))])
    func troubleIsAnnouncedOnceUntilItEnds(effect: ConversationEffect) {
        var notices = SpokenNotices()
        #expect(notices.sentence(for: effect) != nil && notices.sentence(for: effect) == nil)
        _ = notices.sentence(for: .note(.sessionOpened(id: "s", expiresAt: nil)))
        #expect(notices.sentence(for: effect) != nil)
    }

    /// A service that goes away at night is announced in the morning, at the first activation.
    @Test(arguments: [lost(), .note(.refused(reason: "401"))])
    func quietHoursDelayANotice(effect: ConversationEffect) {
        var notices = SpokenNotices()
        #expect(notices.sentence(for: effect, isQuiet: true) == nil)
        #expect(notices.sentence(for: .announce("Dinner."), isQuiet: true) == nil)
        #expect(notices.sentence(for: .answer("Two meetings."), isQuiet: true) == "Two meetings.", "it was asked for")
        #expect(notices.sentence(for: effect) != nil)
        // What ends in quiet hours is over.
        _ = notices.sentence(for: .note(.sessionOpened(id: "s", expiresAt: nil)), isQuiet: true)
        #expect(notices.sentence(for: effect) != nil)
    }
}
