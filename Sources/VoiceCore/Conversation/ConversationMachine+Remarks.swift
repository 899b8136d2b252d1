internal import VoiceBase
internal import VoiceReply

/// Speech for moments in which no one speaks, from `SpeechQueue`.
///
/// Outside text is passed on as the output of a call; the instruction what to do with it is a system message in fixed
/// words.
extension ConversationMachine {
    // MARK: Coming in

    /// A typed question: treated like a spoken one, and answered by voice.
    mutating func ask(_ question: TypedQuestion) {
        guard takesQuestions else {
            return missed(.typed)
        }
        if link.phase == .refused { activate() }
        if !link.isUsable || !remarks.queue.ask(question, at: now) { missed(.typed) }
    }

    mutating func say(_ text: String) {
        guard remarks.areAllowed else { return note(.speechDropped(.announcement, 1)) }
        guard link.isUsable, saysGivenWords || options.hasLocalVoice else { return sayOurselves([text], .announcement) }
        remarks.queue.add(.words(text), at: now)
    }

    private var saysGivenWords: Bool { takesText && options.capabilities.saysExactly }

    mutating func agentReported(_ output: ToolResult, aloud: HouseWords?, agent: Int?) {
        // News of another agent waits for a session of its own, which may be with another service.
        let isForAnother = agent.map { $0 != remarks.agent } ?? false
        guard isForAnother || takesText || aloud != nil && options.hasLocalVoice else {
            return missed(.agent)
        }
        remarks.queue.add(.news(output, aloud: aloud), of: agent, at: now)
    }

    /// The following sessions belong to another agent: no word said in them answers a question of the agent before.
    mutating func belongs(to agent: Int, named name: String) {
        remarks.name = name
        guard agent != remarks.agent else { return }
        remarks.agent = agent
        authority.boxSpoke()
    }

    /// News of the media player: unrequested, so it may lead to speech but to no action.
    ///
    /// - Parameter opens: whether to open a session for it.
    mutating func mediaReported(_ remark: MediaRemark, opens: Bool) {
        guard takesText, remarks.areAllowed, !link.isClosed || opens && !hold.isSpent else { return }
        remarks.queue.add(.media(remark), at: now)
        // It was not asked for, so a service that refuses the client is left alone.
        if link.phase == .refused { emit(.play(.error)) } else { activate() }
    }

    // MARK: Going out

    /// Says the waiting entries, the most important first, once no one speaks and no response is pending.
    mutating func speakNext() {
        settleGreeting()
        remarks.wishes.settle(sequencer)
        remarks.queue.settle(calls)
        remarks.queue.dropExpired(at: now)
        // The user has spoken again, and is still there.
        if turn.isUserSpeaking { remarks.wishes.end(whenQuiet: false) }
        sayAll(of: [.typed, .delay, .announcement])
        if link.isReady, remarks.wishes.endsWhenQuiet, isQuiet, !calls.isWaiting { deactivate() }
        announceWhileAway()
        askOpenQuestion()
        sayAll(of: [.house, .agent, .media])
        noteDropped()
    }

    private mutating func sayAll(of sources: Set<SpeechSource>) {
        while let entry = remarks.queue.next(of: sources.intersection(sayable), for: remarks.agent), say(entry) {}
    }

    private var sayable: Set<SpeechSource> {
        // A spent budget pays for no further response.
        guard link.isReady, isQuiet, !hold.isClosing else { return [] }
        guard !calls.isWaiting else { return [.typed, .delay] }
        var sources: Set<SpeechSource> = [.typed, .delay, .announcement]
        if takesText { sources.formUnion([.agent, .media]) }
        if remarks.areAllowed, takesText || options.hasLocalVoice { sources.insert(.house) }
        return sources
    }

    /// - Returns: false if the local voice says the entry: the entries behind it wait until it has ended.
    private mutating func say(_ entry: SpeechQueue.Entry) -> Bool {
        switch entry.content {
        case .question(let question): put(question)
        case .delay(_, let first):
            let activity = remarks.queue.all(of: .delay).last.map(\.activity) ?? first
            remarks.wishes.requestedNotice()
            let words = wish(named(Self.delayNotice(activity)), plainly: named(Self.plainDelayNotice(activity)))
            askForResponse(for: .remark, words: words)
        case .words(let text):
            guard saysGivenWords else {
                emit(.announce(text))
                return false
            }
            askForResponse(for: .remark, words: .tell(text, .exactly))
            remarks.queue.tells(entry)
        // The service takes no text: the local voice says the news of the house in the conversation.
        case .news(_, let aloud?) where !takesText:
            emit(.announce(aloud.text))
            return false
        case .news(_, let aloud?) where !options.capabilities.rewords:
            let output = ToolResult(.done(aloud.text))
            tell(.init(name: ForeignReport.announcement, arguments: "{}", output: output), "news")
            askForResponse(for: .remark)
            remarks.queue.tells(entry)
        case .news(let output, _):
            tellAgent(output, Self.agentNews)
            remarks.queue.tells(entry)
        case .media(let remark):
            let news = [remark] + remarks.queue.all(of: .media).compactMap(\.remark)
            if news.count > Self.mostMediaNews { note(.speechDropped(.media, news.count - Self.mostMediaNews)) }
            tell(news.suffix(Self.mostMediaNews))
        }
        return true
    }

    /// How many news of the player are told together; older ones are dropped.
    private static let mostMediaNews = 3

    private mutating func put(_ question: TypedQuestion) {
        endTurn()
        // No session holds its words, so keep it here: if this session is lost, it is asked again.
        let itemID = turn.wrote(question.text, at: now)
        memory.began(itemID, by: .user)
        memory.said(question.text, in: itemID)
        send(.ask(question.text))
        note(.typedQuestion(reader: question.reader))
        authority.turnWritten(mayApprove: question.mayApprove, at: now)
        askForResponse(for: .turn)
    }

    private mutating func tell(_ news: ArraySlice<MediaRemark>) {
        for remark in news {
            tell(.init(name: "get_now_playing", arguments: "{}", output: ToolResult(.data(remark.report))), "media")
        }
        guard let latest = news.last(where: { $0.wish != nil }), let wish = latest.wish else { return }
        let words = self.wish("News of the media player of this box. \(wish)", plainly: latest.sentence)
        askForResponse(for: .remark, words: words)
    }

    /// In another session of its agent, an open prompt is put to the user again.
    private mutating func askOpenQuestion() {
        guard link.isReady, isQuiet, takesText, !calls.isWaiting, let prompt = remarks.prompt.prompt,
            let known = remarks.prompt.knownIn, known != link.number, remarks.prompt.mayBeRepeated
        else { return }
        tellAgent(ToolResult(.prompt(prompt)), Self.openQuestion)
    }

    private mutating func tellAgent(_ output: ToolResult, _ wish: String) {
        tell(.init(name: "ask_jarvis", arguments: "{}", output: output), "news")
        remarks.prompt.sent(output, in: link.number)
        // The text passed on is the whole message, so there are no plain words.
        let words = self.wish(named(wish), plainly: nil)
        let number = remarks.prompt.isOpen(output) ? output.prompt?.number : nil
        askForResponse(for: number.map { .prompt($0) } ?? .remark, words: words)
    }

    /// The service is away, or the conversation ended before all was said: the local voice says the entries that need no session.
    private mutating func announceWhileAway() {
        guard link.isPausing || link.isClosed, options.hasLocalVoice, remarks.areAllowed else { return }
        while let text = remarks.queue.nextAloud(isOver: link.isClosed, for: remarks.agent) { emit(.announce(text)) }
    }

    private mutating func noteDropped() {
        let untold = Dictionary(grouping: remarks.queue.takeUntold(), by: \.source)
        for (source, entries) in untold.sorted(by: { $0.key < $1.key }) { sayOurselves(entries.map(\.text), source) }
        let dropped = remarks.queue.takeDropped()
        for (source, count) in dropped { note(.speechDropped(source, count)) }
        // Without a session, the sound would seem to say that a call failed.
        let isMissed = dropped.contains { $0.source == .typed || $0.source.isPromised && link.isReady }
        if isMissed, remarks.areAllowed { emit(.play(.error)) }
    }

    // MARK: Words

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

    /// A text about Jarvis, with the name of the assistant whose session it is.
    private func named(_ text: String) -> String { text.replacing("Jarvis", with: remarks.name) }

    /// Asks a model to say something in its own words, or a service without a model to say `plainly`; nil for nothing.
    func wish(_ text: String, plainly: String?) -> ServiceRequest? {
        options.capabilities.rewords ? .tell(text, .say) : plainly.map { .tell($0, .exactly) }
    }

    static let agentNews = """
        News from Jarvis has come that no call was waiting for: it is the last result. Tell it to the user now, like any \
        answer of Jarvis.
        """
    static let openQuestion = """
        The connection was lost for a moment, and what Jarvis asked is still open: it is the last result. Ask it again, in \
        full.
        """
}
