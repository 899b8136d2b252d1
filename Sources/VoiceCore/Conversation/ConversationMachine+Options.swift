package import VoiceBase

extension ConversationMachine {
    package struct Options: Equatable, Sendable {
        /// Capabilities of the current service.
        package internal(set) var capabilities: ServiceCapabilities
        /// Its name for the log.
        package var service = "the service"
        /// Substitutes if it is unavailable, in order of preference.
        package var substitutes: [ServiceRoster.Service] = []
        /// How long a service with a substitute may take to become ready.
        package var takeOverAfter: Duration = .milliseconds(2_500)
        /// How long the room has to be quiet before a recovered service takes over.
        package var handBackQuiet: Duration = .seconds(30)
        /// Whether a local voice says texts that the service cannot say (`ConversationEffect.announce`).
        package var hasLocalVoice = false
        /// Whether espeak-ng says texts that the service failed to say, though the configuration names no local voice.
        /// It says nothing else.
        package var hasLastResort = false
        /// Whether words that a service failed to say are said by the box itself.
        var saysUnheard: Bool { hasLocalVoice || hasLastResort }
        /// How a conversation begins.
        package var greeting = Greeting.none
        /// Silence before the greeting: words spoken in one breath with the wake word may still be on their way.
        package var greetAfter: Duration = .milliseconds(700)
        /// Silence after which an idle session is closed; nil keeps it open.
        package var idleLimit: Duration?
        /// Silence of an outstanding call after which the thinking tone sounds; nil for no tones.
        package var thinkingAfter: Duration? = .milliseconds(700)
        /// How long the service may wait in a pause of the user for more words.
        package var longestPause: Duration = .seconds(1)
        /// Seed of the jitter.
        package var seed: UInt64 = 1
        package var reconnectFirst: Duration = .milliseconds(500)
        package var reconnectLongest: Duration = .seconds(60)
        /// How long a session has to last before the backoff is reset; a completed response resets it as well.
        package var provenAfter: Duration = .seconds(60)
        /// Minimum pause after a rate limit if the service states none, and maximum pause it may ask for.
        package var limitedPause: Duration = .seconds(30)
        package var limitedLongest: Duration = .seconds(900)
        package var probePause: Duration = .seconds(300)
        /// How long a session may take to become ready after an error that may be the answer to its settings.
        package var settingsGrace: Duration = .seconds(3)
        /// How long one turn of the user may last before its end counts as lost.
        package var speechLongest: Duration = Configuration.Activation.turnLimit * 2
        package var responseLimit: Duration = .seconds(12)
        /// How long a service that does not report turns may stay silent after one before it counts as having nothing to
        /// say.
        package var silentTurnLimit: Duration = .seconds(3)
        /// Maximum duration of a response: far longer than generating the longest answer.
        package var responseLongest: Duration = .seconds(180)
        /// Pause before a response is requested again: after a failure of the service, and after a rate limit (doubled the
        /// second time).
        package var retryPause: Duration = .seconds(1)
        package var limitedRetryPause: Duration = .seconds(8)
        /// How long after its session a question is worth repeating.
        package var askAgainWithin: Duration = .seconds(60)

        /// Session rules of the current service.
        package var sessions = SessionRules()
        /// Session length limit if the service does not state one.
        package var sessionLifetime: Duration?
        /// How long before the end of a session the next takes over at any silent moment.
        package var swapMargin: Duration = .seconds(10)
        /// How long the room has to be quiet before sessions are changed.
        package var swapQuiet: Duration = .seconds(4)
        /// Whether the session should always be open, and reopens automatically when the budget is renewed.
        package var isAlwaysOpen = true
        /// How long speech may go on once the budget is spent.
        package var budgetGrace: Duration = .seconds(60)
        /// How long the agent waits for an answer to its question.
        package var promptLimit: Duration = .seconds(Configuration.Jarvis().humanTimeoutS)

        package init(_ capabilities: ServiceCapabilities) {
            self.capabilities = capabilities
        }
    }

    package typealias Carry = Configuration.Realtime.Carry

    /// Session rules of a service, from its section of the configuration.
    package struct SessionRules: Equatable, Sendable {
        /// How long a session may take to become ready.
        package var setUpLimit: Duration = .seconds(2 * Configuration.Realtime().connectTimeoutS + 10)
        /// Age at which a session is replaced; nil leaves it to its end.
        package var age: Duration? = .seconds(60 * Configuration.Realtime().sessionAgeMin)
        /// How long before the end of a session the next is opened.
        package var rotationMargin: Duration = .seconds(Configuration.Realtime().rotationMarginS)
        /// The part of the conversation that the next session receives.
        package var carry = Configuration.Realtime().carry
        /// Number of turns remembered for it.
        package var rememberedTurns = Configuration.Realtime().carryTurns

        package init() {}
    }
}
