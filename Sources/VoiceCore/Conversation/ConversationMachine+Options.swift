package import VoiceConfiguration

extension ConversationMachine {
    package struct Options: Equatable, Sendable {
        /// What the service of the conversation can do: of several, the present one.
        package internal(set) var capabilities: ServiceCapabilities
        /// Its name for the log.
        package var service = "the service"
        /// Those that take its place where it cannot be had, in the order of preference.
        package var substitutes: [ServiceRoster.Service] = []
        /// A service with a substitute has so long to be ready.
        package var takeOverAfter: Duration = .milliseconds(2_500)
        /// How long the room has to be quiet before a service that is well again takes over.
        package var handBackQuiet: Duration = .seconds(30)
        /// How a conversation begins.
        package var greeting = Greeting.none
        /// How long nobody may have spoken before it is said: words that were called out in one breath with the wake word are
        /// on their way.
        package var greetAfter: Duration = .milliseconds(700)
        /// Silence after which an idle session is closed; nil keeps it open.
        package var idleLimit: Duration?
        /// Silence of an outstanding call after which the thinking tone sounds; nil for no tones.
        package var thinkingAfter: Duration? = .milliseconds(700)
        /// Seed of the jitter.
        package var seed: UInt64 = 1
        package var reconnectFirst: Duration = .milliseconds(500)
        package var reconnectLongest: Duration = .seconds(60)
        /// How long a session has to last before the pauses begin anew; a response that completes will do as well.
        package var provenAfter: Duration = .seconds(60)
        /// The least pause where the service had too much of us and does not say how long to wait; and the most that
        /// it may ask for.
        package var limitedPause: Duration = .seconds(30)
        package var limitedLongest: Duration = .seconds(900)
        package var probePause: Duration = .seconds(300)
        /// How long one turn of the user may last before its end counts as lost.
        package var speechLongest: Duration = .seconds(2 * Configuration.Activation().turnLimitS)
        package var responseLimit: Duration = .seconds(12)
        /// How long a service that does not tell turns may be silent after one before it has nothing to say.
        package var silentTurnLimit: Duration = .seconds(3)
        /// How long a response may run: far more than the longest answer takes to be generated.
        package var responseLongest: Duration = .seconds(180)
        /// Pause before a response is asked for again: after a failure of the service, and after a rate limit (twice
        /// that the second time).
        package var retryPause: Duration = .seconds(1)
        package var limitedRetryPause: Duration = .seconds(8)
        /// How long after its session a question is still worth asking again.
        package var askAgainWithin: Duration = .seconds(60)

        /// Of the service of the conversation, like its capabilities.
        package var sessions = SessionRules()
        /// How long a session may last where the service does not say it.
        package var sessionLifetime: Duration?
        /// How long before the end of a session the next one is taken whatever the room does, as long as nobody speaks.
        package var swapMargin: Duration = .seconds(10)
        /// How long the room has to be quiet before sessions are changed.
        package var swapQuiet: Duration = .seconds(4)
        /// Whether the session is meant to be open always, and opens again by itself when there is a budget again.
        package var isAlwaysOpen = true
        /// How long what is being said may take once the budget is spent.
        package var budgetGrace: Duration = .seconds(60)
        /// How long the agent waits for an answer to what it asks.
        package var promptLimit: Duration = .seconds(Configuration.Jarvis().humanTimeoutS)

        package init(_ capabilities: ServiceCapabilities) {
            self.capabilities = capabilities
        }
    }

    package typealias Carry = Configuration.Realtime.Carry

    /// What the sessions of a service are held to, as its section of the configuration has it.
    package struct SessionRules: Equatable, Sendable {
        /// How long one may take to be ready.
        package var setUpLimit: Duration = .seconds(2 * Configuration.Realtime().connectTimeoutS + 10)
        /// Age at which one is replaced; nil leaves it to its end.
        package var age: Duration? = .seconds(60 * Configuration.Realtime().sessionAgeMin)
        /// How long before the end of one the next is opened.
        package var rotationMargin: Duration = .seconds(Configuration.Realtime().rotationMarginS)
        /// What the next one is told of the conversation.
        package var carry = Configuration.Realtime().carry
        /// Turns that are remembered for it.
        package var rememberedTurns = Configuration.Realtime().carryTurns

        package init() {}
    }
}
