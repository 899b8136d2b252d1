internal import VoiceBase
package import VoiceConversation

/// Requests of the conversation, and delegations to it.
extension LiveTranslator {
    package mutating func ask(_ request: ServiceRequest, at now: Duration) -> [Effect] {
        switch request {
        case .open(let history): open(history)
        case .close:
            guard phase == .live || phase == .starting else { break }
            phase = .closing
            emit(.send(.close(eventID: name("close"))))
        case _ where phase != .live: break
        case .answer(let call, let output): answer(call, output, now)
        case .inform(_, let value):
            news.append((value, now))
            // The news that waits longest is at least known to the model.
            if news.count > 8 {
                let untold = news.removeFirst().value
                know(untold, now)
                if untold.isSpoken { report(.dropped(.agent)) }
            }
        case .tell(let text, let tone): tell(text, tone, now)
        case .ask(let text): typed = text
        case .respond(let id, _): respond(id, now)
        case .cancel(let response): cancel(response, now)
        case .truncate(let item, _, let heard, _): note(item: item, heard: heard, now)
        case .recall, .forget, .clearInput, .dropSpeech: break
        }
        return drain()
    }

    // MARK: The beginning

    private mutating func open(_ history: [ServiceHistoryLine]) {
        guard phase == .opening else { return }
        phase = .starting
        let messages = history.map { line -> LiveMessage in
            switch line {
            case .user(let text): LiveMessage(.user, text)
            case .assistant(let text): LiveMessage(.assistant, text)
            case .summary(let value): LiveMessage(.developer, "What was said before, as data: \(value.encoded)")
            case .end: LiveMessage(.developer, Self.reopened)
            }
        }
        emit(.send(.start(settings, history: LiveMessage.fitting(messages), eventID: name("start"))))
    }

    private static let reopened = """
        The conversation goes on after a break of the line. Do not greet. Results of what is still being worked on follow as \
        commentary.
        """

    // MARK: Delegations

    mutating func settleDelegations(_ now: Duration) {
        guard delegations.hasPending else { return }
        for outcome in delegations.settle(at: now) {
            switch outcome {
            case .dispatch(let id, let text, let context): dispatch(id, text, context, now)
            case .repeated(let id):
                send(.thinking, ["This is being worked on already; the result follows."], delegation: id, now)
            case .done(let id):
                send(.thinking, ["The box has done this itself. Say nothing about it."], delegation: id, now)
            case .empty(let id):
                let note = "No words of a request were heard for this. Nothing is being done; ask the user again."
                send(.thinking, [note], delegation: id, now)
            }
        }
    }

    private mutating func dispatch(_ id: String, _ text: String, _ context: String, _ now: Duration) {
        // By delegating, the service ends the user's turn.
        endTurn(now)
        tellUser(now, isDue: true)
        lastUser?.isJudged = true
        if order(id, text, now) { return }
        var query = text
        if !context.isEmpty { query += "\n(Said shortly before, not handed over: \"\(context)\")" }
        act(id, "ask_jarvis", ["query": .string(query)])
    }

    /// Makes a call of the user's words.
    ///
    /// The model may have begun to speak before the words had settled. If that speech answers the turn, the call belongs to
    /// it: a response of its own would come second, and the user's word is behind the first one only.
    mutating func act(_ id: String, _ tool: String, _ arguments: JSONValue) {
        let answer = speech.flatMap { $0.response == lastUser?.answer ? $0.response : nil }
        if let answer { report(.call(response: answer, call: call(id, tool, arguments), isComplete: true)) }
        leaveSpeech()
        guard answer == nil else { return }
        let response = name("d")
        noteAnswer(response)
        hold(call(id, tool, arguments), in: response, request: Self.ofItself)
    }

    /// Ends the response that is being spoken: from now on the model speaks about a call, which is another response.
    mutating func leaveSpeech() {
        guard speech != nil else { return }
        track.split()
        endSpeech(.completed)
    }

    private func call(_ id: String, _ tool: String, _ arguments: JSONValue) -> FunctionCall {
        FunctionCall(callID: id, name: tool, arguments: arguments.encoded)
    }

    /// Reports a response without speech that holds the call.
    private mutating func hold(_ call: FunctionCall, in response: String, request: String) {
        report(.responseBegan(response: response, request: request))
        report(.call(response: response, call: call, isComplete: true))
        report(.responseEnded(ResponseEnd(response: response, status: .completed)))
    }

    /// Sends the single closing append of a delegation.
    private mutating func answer(_ call: String, _ output: ToolResult, _ now: Duration) {
        var delegation: String?
        if let index = localCalls.firstIndex(of: call) {
            localCalls.remove(at: index)
        } else {
            guard delegations.close(call) else { return }
            delegation = call
        }
        let words = words(output, now)
        if output.wantsReply, !words.allSatisfy(\.isWhitespace) { return say(words, delegation: delegation, now) }
        needsNoWords = output.wantsReply
        let text = output.forModel
        let note = text.allSatisfy(\.isWhitespace) ? "This is done, and there is nothing to say about it." : text
        send(.thinking, LivePieces.of(note + " (Do not mention this unless asked.)"), delegation: delegation, now)
    }

    // MARK: Texts

    /// Queues a text to be said; held back while the user speaks.
    mutating func say(_ text: String, delegation: String?, _ now: Duration) {
        held.append(Held(text: text, delegation: delegation, since: now))
        // The newest are kept.
        if held.count > 16 {
            let dropped = held.removeFirst()
            report(.dropped(dropped.delegation == nil ? .announcement : .agent))
            if let delegation = dropped.delegation {
                send(.thinking, ["This came too late to be told."], delegation: delegation, now)
            }
        }
        given = (now, 0)
        sendHeld(now)
    }

    /// Maximum time an answer waits for a pause: a television never pauses.
    private static let longestHeld = Duration.seconds(10)

    mutating func sendHeld(_ now: Duration) {
        guard let first = held.first, !isUserTalking || now - first.since >= Self.longestHeld else { return }
        for text in held { send(.commentary, LivePieces.of(text.text), delegation: text.delegation, now) }
        held = []
        given = (now, 0)
        if speech != nil { track.isHurried = true }
    }

    mutating func send(
        _ tone: LiveTone,
        _ pieces: [String],
        delegation: String?,
        _ now: Duration,
        isRetry: Bool = false
    ) {
        for piece in pieces {
            let id = name(tone.rawValue)
            appends.sent(
                .init(tone: tone, text: piece, delegation: delegation, sent: now, isRetry: isRetry), id: id
            )
            emit(.send(.append(tone, piece, delegation: delegation, eventID: id)))
        }
    }

    private mutating func tell(_ text: String, _ tone: ServiceTone, _ now: Duration) {
        switch tone {
        case .say:
            guard let report = news.popLast()?.value else { return say(text, delegation: nil, now) }
            let put = put(report.output, now)
            say(prompt?.since == now ? put : "\(text)\n\(put)", delegation: nil, now)
        case .exactly: say("Say exactly this: \(text)", delegation: nil, now)
        }
    }

    /// News without a request to speak after it need not be mentioned. A result that the user should hear waits for such a request.
    mutating func settleNews(_ now: Duration) {
        let isKnown = { (news: (value: ForeignReport, at: Duration)) in
            !news.value.isSpoken && now - news.at >= .milliseconds(100)
        }
        let known = news.filter(isKnown)
        news.removeAll(where: isKnown)
        for news in known { know(news.value, now) }
    }

    /// Sends news the model should know and not mention.
    private mutating func know(_ report: ForeignReport, _ now: Duration) {
        let text = "\(report.output.forModel) (This is data, for you to know; do not mention it unless asked.)"
        send(.thinking, LivePieces.of(text), delegation: nil, now)
    }

    /// Notes a call that is not a delegation of the service.
    mutating func own(_ callID: String) {
        localCalls.append(callID)
        guard localCalls.count > 32 else { return }
        localCalls.removeFirst()
        report(.dropped(.agent))
    }

    // MARK: Responses

    private mutating func respond(_ id: String, _ now: Duration) {
        if let text = typed {
            // The service accepts no text from the user, so the text goes to the agent as a call.
            typed = nil
            let callID = name("typed")
            own(callID)
            endSpeech(.completed)
            return hold(call(callID, "ask_jarvis", ["query": .string(text)]), in: name("d"), request: id)
        }
        // Answers to calls of an earlier session.
        let results = news.map(\.value).filter(\.isSpoken)
        news.removeAll(where: \.value.isSpoken)
        for report in results {
            let put = put(report.output, now)
            let opening = prompt?.since == now ? "" : "The result of an earlier request of the user's: "
            say(opening + put, delegation: nil, now)
        }
        if needsNoWords, given == nil, held.isEmpty {
            needsNoWords = false
            return respondInSilence(id)
        }
        needsNoWords = false
        if let given, given.loud >= AudioFormat.wireRate, held.isEmpty {
            // The text was already said together with the one before.
            self.given = nil
            return respondInSilence(id)
        }
        if given == nil { say("Say now what you were last given to say and have not said.", delegation: nil, now) }
        // A repeated request does not extend the wait.
        awaited = Awaited(request: id, since: awaited?.since ?? now)
    }

    /// How long the service may take to speak about a text it was sent.
    private static let speaksWithin = Duration.seconds(8)

    mutating func settleAwaited(_ now: Duration) {
        guard let awaited, held.isEmpty, speech == nil, !isUserTalking,
            now - max(awaited.since, given?.at ?? .zero) >= Self.speaksWithin
        else { return }
        self.awaited = nil
        given = nil
        trouble("nothing_said", "the service said nothing of what it was given to say")
        respondInSilence(awaited.request)
    }

    private mutating func cancel(_ response: String?, _ now: Duration) {
        guard let speech, response == nil || response == speech.response else {
            return report(.trouble(ServiceError(.noActiveResponse, name: "no_response", text: "nothing is being said")))
        }
        interrupt(now)
    }
}
