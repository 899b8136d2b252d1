internal import VoiceBase

/// How a conversation begins.
package enum Greeting: Equatable, Sendable {
    case none
    /// With these words.
    case words(String)
    /// With the agent's reply when asked for a greeting.
    case agent
}

/// The greeting of a newly opened conversation, until it is said. A user who asks first is not greeted.
struct PendingGreeting: Equatable, Sendable {
    enum Text: Equatable, Sendable {
        /// The owner's words, said verbatim.
        case words(String)
        /// The agent's greeting: data that the model passes on.
        case agent(String)
    }

    /// A greeting later than this is dropped.
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

    /// Returns the greeting to say now, once.
    mutating func dequeue(at now: Duration) -> Text? {
        defer { phase = .none }
        guard case .known(let text) = phase, now - began <= Self.lifetime else { return nil }
        return text
    }

    mutating func forget() { phase = .none }
}

extension ConversationMachine {
    /// Begins the greeting of a conversation opened by a user who may be greeted.
    mutating func greet() {
        guard remarks.areAllowed, !link.isClosed, link.phase != .refused else { return }
        remarks.greeting.begin(options.greeting, at: now)
        if options.greeting == .agent { emit(.askForGreeting) }
    }

    /// Drops the greeting once the user is being answered.
    mutating func settleGreeting() {
        if calls.isWaiting || voice.speech != nil || remarks.queue.holds(.typed) { remarks.greeting.forget() }
    }

    static let agentGreeting = """
        A conversation begins, and the last result is how Jarvis greets the user: say it, and nothing else.
        """

    /// Says the greeting if no one has spoken since the session became ready.
    mutating func sayGreeting() {
        guard let text = remarks.greeting.dequeue(at: now), link.isReady, isQuiet else { return }
        switch text {
        case .words(let words):
            guard takesText, options.capabilities.saysExactly else { return emit(.announce(words)) }
            askForResponse(for: .remark, words: .tell(words, .exactly))
        case .agent(let words):
            guard takesText else { return emit(.announce(words)) }
            tell(.init(name: "ask_jarvis", arguments: "{}", output: ToolResult(.answer(words))), "greeting")
            askForResponse(for: .remark, words: wish(Self.agentGreeting, plainly: nil))
        }
    }
}
