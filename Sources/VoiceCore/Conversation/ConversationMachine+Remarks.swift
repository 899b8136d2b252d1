internal import VoiceBase
internal import VoiceReply

/// What is said when nobody is speaking: typed questions, announcements, delays, news of the agent and of the media player.
///
/// Outside text is passed on as the output of a call; the instruction what to do with it is a system message in fixed
/// words.
extension ConversationMachine {
    // MARK: Typed questions: treated like spoken ones, and answered by voice

    mutating func ask(_ question: TypedQuestion) {
        guard takesQuestions else {
            emit(.play(.error))
            return note(.unexpected("ask with a service that takes no text"))
        }
        if link.phase == .refused { activate() }
        guard link.isUsable else { return note(.unexpected("ask without a session")) }
        guard remarks.typed.add(question, at: now) else { return note(.unexpected("too many typed questions wait")) }
    }

    /// Sends the next one once nobody is speaking and no response is pending.
    mutating func putTyped() {
        guard link.isReady, isQuiet, let (question, asked) = remarks.typed.next() else { return }
        guard now - asked <= options.askAgainWithin else {
            // Nobody is waiting for the answer any more.
            note(.unexpected("a typed question waited for too long"))
            return emit(.play(.error))
        }
        endTurn()
        // No session holds its words, so keep it here: if this session is lost, it is asked again.
        let itemID = turn.wrote(question.text, at: now)
        memory.began(itemID, by: .user)
        memory.said(question.text, in: itemID)
        send(.ask(question.text))
        authority.turnWritten(mayApprove: question.mayApprove, at: now)
        askForResponse(for: .turn)
    }

    // MARK: Announcements: said one after another

    mutating func say(_ text: String) {
        guard saysGivenWords || options.hasLocalVoice else {
            return note(.unexpected("say with a service that does not say given words"))
        }
        guard remarks.areAllowed else { return note(.unexpected("say in quiet hours")) }
        guard link.isUsable else { return note(.unexpected("say without a session")) }
        remarks.announcements.add(text)
    }

    private var saysGivenWords: Bool { takesText && options.capabilities.saysExactly }

    private mutating func announce() {
        guard isQuiet, !calls.isWaiting, let text = remarks.announcements.next() else { return }
        guard saysGivenWords else { return emit(.announce(text.text)) }
        askForResponse(for: .remark, words: .tell(text.text, .exactly))
        remarks.tells(text)
    }

    // MARK: Long calls and the end of a conversation

    /// The notice to the model about a long call.
    static let delayNotice = """
        Jarvis has not answered yet and is still working on the last request. Do not call a function: tell the user in \
        one short sentence of at most eight words that Jarvis is still working on it, and nothing else.
        """

    /// - Parameter activity: what the agent is doing, such as "reading your mail"; nil if unknown.
    static func delayNotice(_ activity: String?) -> String {
        guard let activity else { return delayNotice }
        return """
            Jarvis has not answered yet and is still working on the last request; just now it is \(activity). Do not \
            call a function: tell the user in one short sentence of at most ten words that Jarvis is still \(activity), \
            and nothing else.
            """
    }

    /// The same notice, in words to be said verbatim.
    static func plainDelayNotice(_ activity: String?) -> String {
        activity.map { "Jarvis is still \($0)." } ?? "Jarvis is still working on it."
    }

    /// Asks a model to say something in its own words, or a service without a model to say `plainly`; nil for nothing.
    func wish(_ text: String, plainly: String?) -> ServiceRequest? {
        options.capabilities.rewords ? .tell(text, .say) : plainly.map { .tell($0, .exactly) }
    }

    mutating func settleWishes() {
        settleGreeting()
        remarks.wishes.settle(calls, sequencer)
        // A user who speaks again has not left.
        if turn.isUserSpeaking { remarks.wishes.end(whenQuiet: false) }
        guard link.isReady, isQuiet else { return }
        tellDelay()
        announce()
        if remarks.wishes.endsWhenQuiet, isQuiet, !calls.isWaiting { deactivate() }
    }

    private mutating func tellDelay() {
        guard let delay = remarks.wishes.takeDelay() else { return }
        let words = wish(Self.delayNotice(delay.activity), plainly: Self.plainDelayNotice(delay.activity))
        askForResponse(for: .remark, words: words)
    }

    // MARK: News of the agent: opens no session, waits for the next one

    static let agentNews = """
        News from Jarvis has come that no call was waiting for: it is the last result. Tell it to the user now, like any \
        answer of Jarvis.
        """
    static let openQuestion = """
        The connection was lost for a moment, and what Jarvis asked is still open: it is the last result. Ask it again, in \
        full.
        """

    mutating func tellAgent() {
        defer { noteUnheard() }
        announceWhileAway()
        guard link.isReady, isQuiet, !calls.isWaiting else { return }
        guard takesText else { return tellAloud() }
        if let prompt = remarks.agent.prompt, let known = remarks.agent.knownIn, known != link.number {
            return tellAgent(ToolResult(.prompt(prompt)), Self.openQuestion)
        }
        guard let news = remarks.agent.next(at: now, isQuiet: !remarks.areAllowed) else { return }
        defer { remarks.tells(news) }
        guard let aloud = news.aloud, !options.capabilities.rewords else {
            return tellAgent(news.output, Self.agentNews)
        }
        tell(.init(name: ForeignReport.announcement, arguments: "{}", output: ToolResult(.done(aloud.text))), "news")
        askForResponse(for: .remark)
    }

    /// The service takes no text: the local voice says in the conversation what the house has to say.
    private mutating func tellAloud() {
        guard options.hasLocalVoice else { return }
        let news = remarks.agent.next(at: now, isQuiet: !remarks.areAllowed, isOfHouse: true)
        if let aloud = news?.aloud { emit(.announce(aloud.text)) }
    }

    /// The service is away, or the conversation has ended before all was said: the local voice says what the house has to say.
    private mutating func announceWhileAway() {
        guard link.isPausing || link.isClosed, options.hasLocalVoice, remarks.areAllowed else { return }
        while let text = remarks.agent.nextAloud(at: now, isOver: link.isClosed) { emit(.announce(text)) }
    }

    private mutating func noteUnheard() {
        let count = remarks.agent.takeUnheard() + remarks.announcements.takeUnheard()
        if count > 0 { note(.announcementsDropped(count)) }
        let untold = remarks.takeUntold()
        guard untold > 0 else { return }
        note(.announcementsDropped(untold))
        emit(.play(.error))
    }

    private mutating func tellAgent(_ output: ToolResult, _ wish: String) {
        tell(.init(name: "ask_jarvis", arguments: "{}", output: output), "news")
        remarks.agent.sent(output, in: link.number)
        // The text passed on is all there is to say, so there are no plain words.
        let words = self.wish(wish, plainly: nil)
        let number = remarks.agent.isOpen(output) ? output.prompt?.number : nil
        askForResponse(for: number.map { .prompt($0) } ?? .remark, words: words)
    }

    // MARK: News of the media player: unrequested, so it may lead to speech but to no action

    /// - Parameter opens: whether to open a session for it.
    mutating func mediaReported(_ remark: MediaRemark, opens: Bool) {
        guard takesText, remarks.areAllowed, !link.isClosed || opens && !hold.isSpent else { return }
        remarks.media.add(remark, at: now)
        // Nobody asked for it, so a service that refuses the client is left alone.
        if link.phase == .refused { emit(.play(.error)) } else { activate() }
    }

    mutating func tellMedia() {
        guard !remarks.media.isEmpty else { return }
        if link.isClosed { return remarks.media.forget() }
        guard link.isReady, isQuiet, !calls.isWaiting else { return }
        let news = remarks.media.dequeue(at: now)
        for remark in news {
            tell(.init(name: "get_now_playing", arguments: "{}", output: ToolResult(.data(remark.report))), "media")
        }
        guard let latest = news.last(where: { $0.wish != nil }), let wish = latest.wish else { return }
        let words = self.wish("News of the media player of this box. \(wish)", plainly: latest.sentence)
        askForResponse(for: .remark, words: words)
    }
}
