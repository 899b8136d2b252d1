internal import VoiceBase

/// How a conversation begins.
package enum Greeting: Equatable, Sendable {
    case none
    /// With these words.
    case words(String)
    /// With what the agent says when it is asked.
    case agent
}

/// The greeting of the conversation that was just opened, until it is said. Who asks something first is not greeted.
struct PendingGreeting: Equatable, Sendable {
    enum Text: Equatable, Sendable {
        /// The owner's words, said as they are.
        case words(String)
        /// The agent's: data that the model passes on.
        case agent(String)
    }

    /// Nobody wants to be greeted later than this.
    private static let lifetime = Duration.seconds(10)

    private enum Phase: Equatable, Sendable {
        case none
        /// The agent has been asked.
        case awaited
        case known(Text)
    }

    private var phase = Phase.none
    private var began = Duration.zero

    var isKnown: Bool { if case .known = phase { true } else { false } }

    mutating func begin(_ greeting: Greeting, at now: Duration) {
        began = now
        phase =
            switch greeting {
            case .none: .none
            case .words(let text): .known(.words(text))
            case .agent: .awaited
            }
    }

    mutating func agentSays(_ text: String?) {
        guard phase == .awaited else { return }
        phase = text.map { .known(.agent($0)) } ?? .none
    }

    /// What is to be said now, once.
    mutating func take(at now: Duration) -> Text? {
        defer { phase = .none }
        guard case .known(let text) = phase, now - began <= Self.lifetime else { return nil }
        return text
    }

    mutating func forget() { phase = .none }
}

extension ConversationMachine {
    /// The conversation was opened by somebody who may be greeted.
    mutating func greet() {
        guard remarks.areAllowed, !link.isClosed, link.phase != .refused else { return }
        remarks.greeting.begin(options.greeting, at: now)
        if options.greeting == .agent { emit(.askForGreeting) }
    }

    /// What is being answered needs no greeting before it.
    mutating func settleGreeting() {
        if calls.isWaiting || voice.speech != nil || !remarks.typed.isEmpty { remarks.greeting.forget() }
    }

    static let agentGreeting = """
        A conversation begins, and the last result is how Jarvis greets the user: say it, and nothing else.
        """

    /// Nobody has spoken since the session was ready.
    mutating func sayGreeting() {
        guard let text = remarks.greeting.take(at: now), link.isReady, isQuiet else { return }
        switch text {
        case .words(let words):
            guard takesText, options.capabilities.saysExactly else { return emit(.announce(words)) }
            send(.tell(words, .exactly))
        case .agent(let words):
            guard takesText else { return emit(.announce(words)) }
            tell(.init(name: "ask_jarvis", arguments: "{}", output: words), "greeting")
            wish(Self.agentGreeting, plainly: nil)
        }
        askForResponse(for: .remark)
    }
}
