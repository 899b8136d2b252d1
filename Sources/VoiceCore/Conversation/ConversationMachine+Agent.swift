/// What the agent wants told outside the answer to a call.
struct AgentTalk: Equatable, Sendable {
    /// More are not kept: the oldest goes.
    private static let most = 4
    /// Older news are none.
    private static let lifetime = Duration.seconds(600)

    private struct News: Equatable {
        var text: String
        var at: Duration
    }

    private var news: [News] = []
    /// What it wants to know of the user, in the words in which it was passed on.
    private(set) var question: String?
    /// Under which the agent waits for the answer.
    private(set) var prompt = 0
    /// The session that knows the question.
    var toldIn: Int?

    mutating func add(_ text: String, at now: Duration) {
        news.append(News(text: text, at: now))
        if news.count > Self.most { news.removeFirst() }
    }

    mutating func ask(_ question: String?, prompt: Int) {
        self.question = question
        self.prompt = prompt
        toldIn = nil
    }

    /// The oldest that is still worth telling.
    mutating func next(at now: Duration) -> String? {
        news.removeAll { now - $0.at >= Self.lifetime }
        return news.isEmpty ? nil : news.removeFirst().text
    }

    var hasNews: Bool { !news.isEmpty }
}

/// News of the agent: told when nobody speaks. They open no session; those that come while there is none wait for it.
/// What the agent says is told as the output of a call, what is to be done with it by the system.
extension ConversationMachine {
    static let agentNews = """
        News from Jarvis has come that no call was waiting for: it is the last result. Tell it to the user now, like any \
        answer of Jarvis.
        """
    static let openQuestion = """
        The connection was lost for a moment, and what Jarvis asked is still open: it is the last result. Ask it again, in \
        full.
        """

    /// - Parameter isAskedFor: whether the user wants to know it even in quiet hours.
    mutating func agentReported(_ text: String, isAskedFor: Bool) {
        if isAskedFor || announces { agent.add(text, at: now) }
    }

    /// A text that went to the model: it may be the question of the agent.
    mutating func told(_ text: String) {
        if let question = agent.question, text.hasSuffix(question) { agent.toldIn = session }
    }

    mutating func tellAgent() {
        guard link == .ready, isQuiet, !calls.isWaiting else { return }
        if let question = agent.question, let known = agent.toldIn, known != session {
            return tellAgent(question, Self.openQuestion)
        }
        if let text = agent.next(at: now) { tellAgent(text, Self.agentNews) }
    }

    private mutating func tellAgent(_ text: String, _ wish: String) {
        tell(.init(name: "ask_jarvis", arguments: "{}", output: text), "news")
        told(text)
        send({ .systemMessage(text: wish, eventID: $0) }, "news")
        let isQuestion = agent.question.map(text.hasSuffix) ?? false
        askForResponse(for: isQuestion ? .prompt(agent.prompt) : .remark)
    }
}
