internal import VoiceReply

/// Speech without a turn of the user: the queue, and the speech that bypasses its order.
struct Remarks: Equatable, Sendable {
    /// Whether unrequested speech is allowed: false in quiet hours.
    private(set) var areAllowed = true
    var queue = SpeechQueue()
    var greeting = PendingGreeting()
    var wishes = ToolWishes()
    /// The number of the agent whose session is open, or opens next.
    var agent = 0
    var name = "Jarvis"
    private var prompts: [Int: OpenPrompt] = [:]

    /// The open prompt of the session's agent.
    var prompt: OpenPrompt {
        get { prompts[agent] ?? OpenPrompt() }
        set { prompts[agent] = newValue }
    }

    /// An agent waits for an answer, or no longer does.
    mutating func asks(_ prompt: AgentPrompt?, agent: Int) { prompts[agent, default: OpenPrompt()].ask(prompt) }

    /// Sets whether unrequested speech is allowed.
    mutating func allow(_ areAllowed: Bool) {
        self.areAllowed = areAllowed
        guard !areAllowed else { return }
        queue.drop(.announcement)
        queue.drop(.media)
        greeting.forget()
    }

    /// The conversation ends: drops the remarks for it.
    mutating func conversationEnded() {
        queue.conversationEnded()
        greeting.forget()
    }

    /// "Stop": drops the remarks, the greeting and the prompts.
    mutating func takeBack() {
        queue = SpeechQueue()
        greeting.forget()
        prompts = [:]
        wishes.takeBack()
    }
}

/// An agent's open prompt.
struct OpenPrompt: Equatable, Sendable {
    private(set) var prompt: AgentPrompt?
    /// The session that received it.
    private(set) var knownIn: Int?
    /// Sessions in a row that received it and have completed no response since.
    private var sessions = 0
    /// Maximum number of sessions in a row that end after they received the question; then it is not asked again.
    private static let mostSessions = 3

    /// Whether it may be put to another session.
    var mayBeRepeated: Bool { sessions < Self.mostSessions }

    mutating func ask(_ prompt: AgentPrompt?) { self = OpenPrompt(prompt: prompt) }

    func isOpen(_ output: ToolResult) -> Bool { prompt != nil && output.prompt == prompt }

    /// Notes that an output, perhaps the prompt, went to the model.
    mutating func sent(_ output: ToolResult, in session: Int) {
        guard isOpen(output) else { return }
        if knownIn != session { sessions += 1 }
        knownIn = session
    }

    /// A response was completed.
    mutating func sessionWorks() { sessions = 0 }
}

/// A text of the house, in words for a voice without a model.
package struct HouseWords: Equatable, Sendable {
    /// When it has to be said.
    package enum Moment: Equatable, Sendable {
        case now
        case quietMoment
        /// When the user is there: it can wait for the next conversation.
        case inConversation
    }

    package var text: String
    /// Whether it asks for an answer.
    package var asks: Bool
    package var moment: Moment

    package init(_ text: String, asks: Bool = false, moment: Moment = .quietMoment) {
        self.text = text
        self.asks = asks
        self.moment = moment
    }
}

/// Requests of tools to the conversation, apart from the outputs of calls.
struct ToolWishes: Equatable, Sendable {
    /// Close the session once nothing remains to be said.
    private(set) var endsWhenQuiet = false
    /// Whether a notice of a long call was requested, and the response that gives it.
    private var isNoticeDue = false
    private var noticeResponse: String?

    mutating func end(whenQuiet isWanted: Bool) { endsWhenQuiet = isWanted }

    mutating func requestedNotice() { isNoticeDue = true }

    /// The response with a notice is identified when it begins.
    mutating func settle(_ sequencer: ResponseSequencer) {
        guard isNoticeDue else { return }
        if let responseID = sequencer.activeResponse { noticeResponse = responseID }
        if sequencer.activeResponse != nil || sequencer.isIdle { isNoticeDue = false }
    }

    /// Whether this response is the notice of a long call.
    func isNotice(_ responseID: String) -> Bool { noticeResponse == responseID }

    /// "Stop".
    mutating func takeBack() { isNoticeDue = false }

    /// - Parameter isReplaced: whether another session has taken over and continues the conversation.
    mutating func sessionEnded(isReplaced: Bool) {
        if !isReplaced { endsWhenQuiet = false }
        isNoticeDue = false
        noticeResponse = nil
    }
}

/// News of the media player for the speaking model.
package struct MediaRemark: Sendable, Equatable {
    /// What happened, as a JSON object. Its titles come from outside, so it is passed on as the output of a tool.
    package var report: String
    /// What the model should say about it, in fixed words; nil if it only needs to know.
    package var wish: String?
    /// What to say if no model phrases it.
    package var sentence: String?

    package init(report: String, wish: String?, sentence: String? = nil) {
        self.report = report
        self.wish = wish
        self.sentence = sentence
    }
}
