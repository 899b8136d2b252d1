/// What waits to be told until nobody speaks, by whoever wants it told.
struct Remarks: Equatable, Sendable {
    /// Nothing is announced in quiet hours.
    private(set) var areAllowed = true
    var greeting = PendingGreeting()
    var agent = AgentTalk()
    var typed = TypedQuestions()
    var announcements = Announcements()
    var media = MediaRemarks()
    var wishes = ToolWishes()

    /// Whether what nobody asked for may be said.
    mutating func allow(_ areAllowed: Bool) {
        self.areAllowed = areAllowed
        guard !areAllowed else { return }
        announcements.clear()
        greeting.forget()
        media.forget()
    }

    /// The conversation ends: what was to be said in it is not.
    mutating func conversationEnded() {
        announcements.clear()
        greeting.forget()
        typed.clear()
    }

    /// "Stop": nothing of it is to be told.
    mutating func takeBack() {
        announcements.clear()
        greeting.forget()
        typed.clear()
        media.forget()
        agent = AgentTalk()
        wishes.takeBack()
    }
}

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
    private(set) var knownIn: Int?

    mutating func add(_ text: String, at now: Duration) {
        news.append(News(text: text, at: now))
        if news.count > Self.most { news.removeFirst() }
    }

    mutating func ask(_ question: String?, prompt: Int) {
        self.question = question
        self.prompt = prompt
        knownIn = nil
    }

    /// Whether this text puts the question.
    func isQuestion(_ text: String) -> Bool { question.map(text.hasSuffix) ?? false }

    /// A text went to the model: it may be the question.
    mutating func sent(_ text: String, in session: Int) {
        if isQuestion(text) { knownIn = session }
    }

    /// The oldest that is still worth telling.
    mutating func next(at now: Duration) -> String? {
        news.removeAll { now - $0.at >= Self.lifetime }
        return news.isEmpty ? nil : news.removeFirst().text
    }
}

/// Typed questions, until nobody speaks.
struct TypedQuestions: Equatable, Sendable {
    static let capacity = 8

    private struct Question: Equatable, Sendable {
        var text: String
        var at: Duration
    }

    private var waiting: [Question] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// False when full: then it is not taken.
    mutating func add(_ text: String, at now: Duration) -> Bool {
        guard waiting.count < Self.capacity else { return false }
        waiting.append(Question(text: text, at: now))
        return true
    }

    mutating func next() -> (text: String, at: Duration)? {
        guard !waiting.isEmpty else { return nil }
        let question = waiting.removeFirst()
        return (question.text, question.at)
    }

    mutating func clear() { waiting = [] }
}

/// What somebody outside the conversation wants said.
struct Announcements: Equatable, Sendable {
    static let capacity = 8
    private var waiting: [String] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// Full: the oldest is dropped.
    mutating func add(_ text: String) {
        if waiting.count == Self.capacity { waiting.removeFirst() }
        waiting.append(text)
    }

    mutating func next() -> String? { waiting.isEmpty ? nil : waiting.removeFirst() }

    mutating func clear() { waiting = [] }
}

/// What the media player wants told, until nobody speaks.
struct MediaRemarks: Equatable, Sendable {
    /// More are not kept: the oldest goes.
    private static let most = 3
    /// Older news are none.
    private static let lifetime = Duration.seconds(120)

    private struct News: Equatable {
        var remark: MediaRemark
        var at: Duration
    }

    private var waiting: [News] = []

    var isEmpty: Bool { waiting.isEmpty }

    mutating func add(_ remark: MediaRemark, at now: Duration) {
        waiting.append(News(remark: remark, at: now))
        if waiting.count > Self.most { waiting.removeFirst() }
    }

    /// All that is still worth telling.
    mutating func take(at now: Duration) -> [MediaRemark] {
        defer { waiting = [] }
        return waiting.filter { now - $0.at < Self.lifetime }.map(\.remark)
    }

    mutating func forget() { waiting = [] }
}

/// What tools want of the conversation beside the outputs of their calls.
struct ToolWishes: Equatable, Sendable {
    /// A call that takes long and of which the user has not been told.
    struct Delay: Equatable, Sendable {
        /// What the agent is doing; nil where nobody knows.
        var activity: String?
    }

    /// Close the session once nothing is left to be said.
    private(set) var endsWhenQuiet = false
    private var delayed: [String] = []
    /// What the agent was doing when the last of them was found to take long.
    private var activity: String?
    /// The news of a long call was asked for; and the response that brings it.
    private var isNoticeDue = false
    private var noticeResponse: String?

    mutating func end(whenQuiet isWanted: Bool) { endsWhenQuiet = isWanted }

    /// The call takes long.
    mutating func delayed(_ callID: String, _ activity: String?) {
        self.activity = activity
        delayed.append(callID)
    }

    /// Calls that have their answer do not take long any more. What brings the news of one is known by its beginning.
    mutating func settle(_ calls: PendingCalls, _ sequencer: ResponseSequencer) {
        delayed.removeAll { !calls.isWaiting(callID: $0) }
        guard isNoticeDue else { return }
        if let responseID = sequencer.activeResponse { noticeResponse = responseID }
        if sequencer.activeResponse != nil || sequencer.isIdle { isNoticeDue = false }
    }

    /// The delay that is to be told now.
    mutating func takeDelay() -> Delay? {
        guard !delayed.isEmpty else { return nil }
        delayed = []
        isNoticeDue = true
        return Delay(activity: activity)
    }

    /// Whether this response brings the news of a long call.
    func isNotice(_ responseID: String) -> Bool { noticeResponse == responseID }

    /// "Stop".
    mutating func takeBack() {
        delayed = []
        isNoticeDue = false
    }

    /// - Parameter isReplaced: another has taken over, and the conversation goes on in it.
    mutating func sessionEnded(isReplaced: Bool) {
        if !isReplaced { endsWhenQuiet = false }
        isNoticeDue = false
        noticeResponse = nil
    }
}

/// News of the media player for the speaking model.
package struct MediaRemark: Sendable, Equatable {
    /// What happened, as a JSON object. Titles in it come from outside: it is told as the output of a tool.
    package var report: String
    /// What the model is to say about it, in fixed words of ours; nil where it only has to know.
    package var wish: String?
    /// What is said where no model finds words for it.
    package var sentence: String?

    package init(report: String, wish: String?, sentence: String? = nil) {
        self.report = report
        self.wish = wish
        self.sentence = sentence
    }
}
