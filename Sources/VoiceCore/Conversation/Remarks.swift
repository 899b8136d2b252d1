internal import VoiceReply

/// News held back until nobody is speaking.
struct Remarks: Equatable, Sendable {
    /// Whether unrequested speech is allowed: false in quiet hours.
    private(set) var areAllowed = true
    var greeting = PendingGreeting()
    var agent = AgentTalk()
    var typed = TypedQuestions()
    var announcements = Announcements()
    var media = MediaRemarks()
    var wishes = ToolWishes()

    /// What a response of the present session has to tell.
    private struct Telling: Equatable, Sendable {
        enum Content: Equatable, Sendable {
            case news(AgentTalk.News)
            case announcement(Announcements.Text)
        }

        var content: Content
        /// nil until the response begins.
        var response: String?
    }

    private var telling: Telling?
    /// How many were not told although they were asked for twice, until it is reported.
    private var untold = 0

    /// Whether a response is requested and has not begun that tells something accepted.
    var isTelling: Bool { telling.map { $0.response == nil } ?? false }

    /// A response that tells it was requested.
    mutating func tells(_ news: AgentTalk.News) { telling = Telling(content: .news(news)) }
    mutating func tells(_ text: Announcements.Text) { telling = Telling(content: .announcement(text)) }

    /// A requested response begins.
    mutating func began(_ response: String) {
        if telling?.response == nil { telling?.response = response }
    }

    /// - Parameter isHeard: whether anything of it was spoken.
    mutating func ended(_ end: ResponseEnd, isHeard: Bool) {
        guard let told = telling, told.response == end.response else { return }
        if isHeard {
            telling = nil
        } else if end.status == .failed {
            // It is requested again.
            telling?.response = nil
        } else {
            notTold()
        }
    }

    /// Nothing of it was heard: it is told again, once.
    mutating func notTold() {
        guard let lost = telling else { return }
        telling = nil
        let isKept =
            switch lost.content {
            case .news(let news): agent.tellAgain(news)
            case .announcement(let text): announcements.sayAgain(text)
            }
        if !isKept { untold += 1 }
    }

    /// The user has interrupted the response.
    mutating func wasCut(_ response: String) {
        if telling?.response == response { telling = nil }
    }

    /// The user wants to hear no more of it.
    mutating func tellNoMore() { telling = nil }

    /// The session is over. An open question is asked again anyway.
    mutating func sessionEnded() {
        if case .news(let news) = telling?.content, agent.isOpen(news.output) { telling = nil }
        notTold()
    }

    /// Returns how many were not told since the last call.
    mutating func takeUntold() -> Int {
        defer { untold = 0 }
        return untold
    }

    /// Sets whether unrequested speech is allowed.
    mutating func allow(_ areAllowed: Bool) {
        self.areAllowed = areAllowed
        guard !areAllowed else { return }
        announcements.drop()
        greeting.forget()
        media.forget()
    }

    /// The conversation ends: drops what was to be said in it.
    mutating func conversationEnded() {
        if case .announcement = telling?.content { notTold() }
        announcements.drop()
        greeting.forget()
        typed.clear()
    }

    /// "Stop": drops it.
    mutating func takeBack() {
        telling = nil
        announcements.clear()
        greeting.forget()
        typed.clear()
        media.forget()
        agent = AgentTalk()
        wishes.takeBack()
    }
}

/// What the house has to say, in words for a voice without a model.
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

/// News and questions of the agent, apart from answers to calls.
struct AgentTalk: Equatable, Sendable {
    /// Maximum number kept of the agent's news and of the house's; beyond it the oldest is dropped.
    private static let (most, mostOfHouse) = (4, 16)
    /// Older news of the agent is dropped, and of the house, whose announcements are promised to be said.
    private static let (lifetime, lifetimeOfHouse) = (Duration.seconds(600), Duration.seconds(86_400))

    struct News: Equatable, Sendable {
        var output: ToolResult
        /// The words of the house, for a service without a model; nil if the news is the agent's.
        var aloud: HouseWords?
        var at: Duration
        /// The local voice has asked it, but nobody could answer.
        fileprivate var isAsked = false
        /// It was told before, and its session ended too early.
        fileprivate var isAgain = false

        init(_ output: ToolResult, aloud: HouseWords?, at: Duration) {
            self.output = output
            self.aloud = aloud
            self.at = at
        }

        fileprivate var isOfHouse: Bool { aloud != nil }

        /// Whether the local voice may say it without a session.
        ///
        /// - Parameter isOver: whether the conversation is over, not only its session.
        fileprivate func needsNoSession(isOver: Bool) -> Bool {
            guard let aloud, !isAsked else { return false }
            return aloud.asks ? aloud.moment == .now : aloud.moment != .inConversation || !isOver
        }

        fileprivate func isOver(at now: Duration) -> Bool { now - at >= (isOfHouse ? lifetimeOfHouse : lifetime) }
    }

    private var news: [News] = []
    /// The number of announcements of the house that were dropped, until it is reported.
    private var unheard = 0
    /// What the agent waits for.
    private(set) var prompt: AgentPrompt?
    /// The session that knows the prompt.
    private(set) var knownIn: Int?

    mutating func add(_ output: ToolResult, aloud: HouseWords?, at now: Duration) {
        let latest = News(output, aloud: aloud, at: now)
        news.append(latest)
        let like = news.indices.filter { news[$0].isOfHouse == latest.isOfHouse }
        if like.count > (latest.isOfHouse ? Self.mostOfHouse : Self.most) { drop([like[0]]) }
    }

    mutating func ask(_ prompt: AgentPrompt?) {
        self.prompt = prompt
        knownIn = nil
    }

    /// Whether this is what the agent waits for.
    func isOpen(_ output: ToolResult) -> Bool { prompt != nil && output.prompt == prompt }

    /// Notes that an output, perhaps the prompt, went to the model.
    mutating func sent(_ output: ToolResult, in session: Int) {
        if isOpen(output) { knownIn = session }
    }

    /// Returns the oldest news still worth announcing.
    ///
    /// - Parameters:
    ///   - isQuiet: in quiet hours, what the house has to say waits.
    ///   - isOfHouse: whether only what the house has to say is wanted.
    mutating func next(at now: Duration, isQuiet: Bool, isOfHouse: Bool = false) -> News? {
        dropOld(at: now)
        let isMeant = { (news: News) in news.isOfHouse ? !isQuiet : !isOfHouse }
        guard let first = news.firstIndex(where: isMeant) else { return nil }
        return news.remove(at: first)
    }

    /// Returns the oldest announcement to be said without a session. An urgent question is said too, and asked again in the
    /// next session, where somebody can answer it.
    mutating func nextAloud(at now: Duration, isOver: Bool) -> String? {
        dropOld(at: now)
        guard let first = news.firstIndex(where: { $0.needsNoSession(isOver: isOver) }) else { return nil }
        guard news[first].aloud?.asks == true else { return news.remove(at: first).aloud?.text }
        news[first].isAsked = true
        return news[first].aloud?.text
    }

    private mutating func dropOld(at now: Duration) { drop(news.indices.filter { news[$0].isOver(at: now) }) }

    /// Tells it again, once; then it counts as unheard.
    mutating func tellAgain(_ cut: News) -> Bool {
        let isFull = news.count { $0.isOfHouse == cut.isOfHouse } >= (cut.isOfHouse ? Self.mostOfHouse : Self.most)
        guard !cut.isAgain, !isFull else { return false }
        var again = cut
        again.isAgain = true
        news.insert(again, at: 0)
        return true
    }

    /// Returns how many announcements of the house were dropped since the last call.
    mutating func takeUnheard() -> Int {
        defer { unheard = 0 }
        return unheard
    }

    private mutating func drop(_ places: [Int]) {
        for place in places.reversed() where news.remove(at: place).isOfHouse { unheard += 1 }
    }
}

/// Typed questions, held until nobody is speaking.
struct TypedQuestions: Equatable, Sendable {
    static let capacity = 8

    private var waiting: [(question: TypedQuestion, at: Duration)] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// Returns false if full; the question is then not added.
    mutating func add(_ question: TypedQuestion, at now: Duration) -> Bool {
        guard waiting.count < Self.capacity else { return false }
        waiting.append((question, now))
        return true
    }

    mutating func next() -> (question: TypedQuestion, at: Duration)? {
        waiting.isEmpty ? nil : waiting.removeFirst()
    }

    static func == (left: Self, right: Self) -> Bool { left.waiting.elementsEqual(right.waiting) { $0 == $1 } }

    mutating func clear() { waiting = [] }
}

/// Texts to say, from outside the conversation.
struct Announcements: Equatable, Sendable {
    static let capacity = 8

    struct Text: Equatable, Sendable {
        var text: String
        /// It was to be said before, and was not heard.
        fileprivate var isAgain = false
    }

    private var waiting: [Text] = []
    /// How many were dropped although nobody said "stop", until it is reported.
    private var unheard = 0

    var isEmpty: Bool { waiting.isEmpty }

    /// Adds a text; if full, drops the oldest.
    mutating func add(_ text: String) {
        if waiting.count == Self.capacity {
            waiting.removeFirst()
            unheard += 1
        }
        waiting.append(Text(text: text))
    }

    /// Puts back a text that was not heard.
    /// - Returns: false if that was done before.
    mutating func sayAgain(_ text: Text) -> Bool {
        guard !text.isAgain, waiting.count < Self.capacity else { return false }
        waiting.insert(Text(text: text.text, isAgain: true), at: 0)
        return true
    }

    /// Drops them all, unheard.
    mutating func drop() {
        unheard += waiting.count
        waiting = []
    }

    mutating func takeUnheard() -> Int {
        defer { unheard = 0 }
        return unheard
    }

    mutating func next() -> Text? { waiting.isEmpty ? nil : waiting.removeFirst() }

    mutating func clear() { waiting = [] }
}

/// News of the media player, held until nobody is speaking.
struct MediaRemarks: Equatable, Sendable {
    /// Maximum number kept; beyond it the oldest is dropped.
    private static let most = 3
    /// Older news is dropped.
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

    /// Returns all news still worth announcing.
    mutating func dequeue(at now: Duration) -> [MediaRemark] {
        defer { waiting = [] }
        return waiting.filter { now - $0.at < Self.lifetime }.map(\.remark)
    }

    mutating func forget() { waiting = [] }
}

/// Requests of tools to the conversation, apart from the outputs of calls.
struct ToolWishes: Equatable, Sendable {
    /// A long call of which the user has not been notified.
    struct Delay: Equatable, Sendable {
        /// What the agent is doing; nil if unknown.
        var activity: String?
    }

    /// Close the session once nothing remains to be said.
    private(set) var endsWhenQuiet = false
    private var delayed: [String] = []
    /// What the agent was doing when the last of them was found to be slow.
    private var activity: String?
    /// Whether a notice of a long call was requested, and the response that gives it.
    private var isNoticeDue = false
    private var noticeResponse: String?

    mutating func end(whenQuiet isWanted: Bool) { endsWhenQuiet = isWanted }

    /// Notes that the call takes long.
    mutating func delayed(_ callID: String, _ activity: String?) {
        self.activity = activity
        delayed.append(callID)
    }

    /// Drops calls that have their answer. The response with a notice is identified when it begins.
    mutating func settle(_ calls: PendingCalls, _ sequencer: ResponseSequencer) {
        delayed.removeAll { !calls.isWaiting(callID: $0) }
        guard isNoticeDue else { return }
        if let responseID = sequencer.activeResponse { noticeResponse = responseID }
        if sequencer.activeResponse != nil || sequencer.isIdle { isNoticeDue = false }
    }

    /// Returns the delay to announce now.
    mutating func takeDelay() -> Delay? {
        guard !delayed.isEmpty else { return nil }
        delayed = []
        isNoticeDue = true
        return Delay(activity: activity)
    }

    /// Whether this response is the notice of a long call.
    func isNotice(_ responseID: String) -> Bool { noticeResponse == responseID }

    /// "Stop".
    mutating func takeBack() {
        delayed = []
        isNoticeDue = false
    }

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
