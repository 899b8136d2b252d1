internal import VoiceBase
internal import VoiceReply

/// Tool calls: begun once, answered once, spoken about once.
extension ConversationMachine {
    mutating func begin(_ call: FunctionCall, responseID: String, isComplete: Bool) {
        guard !call.callID.isEmpty else { return note(.callIncomplete(callID: "")) }
        guard !isStopped(responseID) else {
            return refuse(call, of: responseID, .callStopped(callID: call.callID), Self.stoppedOutput)
        }
        guard isComplete else {
            let output = "Not done: the user spoke before the request was complete."
            return refuse(call, of: responseID, .callIncomplete(callID: call.callID), output)
        }
        guard !unasked.contains(responseID) else { return refuseUnasked(call, of: responseID) }
        guard rounds.mayCall(in: responseID, turn: turns) else {
            noteLimit()
            return refuse(call, of: responseID, .unexpected("a call beyond the limit"), Self.limitedOutput)
        }
        guard let call = calls.begin(call, responseID: responseID, session: link.number, turn: turns) else {
            return note(.callRepeated(callID: call.callID))
        }
        becameFiller(responseID)
        voice.callBegan(in: responseID)
        turn.clock?.called()
        // From here on the call represents the question: its answer outlives the session.
        turn.forgetQuestion()
        let granted = authority.authority(of: call, in: responseID)
        guard !ToolRounds.asks(call) || rounds.mayAsk() else {
            noteLimit()
            _ = calls.answer(
                callID: call.callID, ToolResult(.refusal(.because(Self.limitedOutput)), isCarriedOut: false)
            )
            return authority.answered(call.callID, .own, isCarriedOut: false)
        }
        emit(.startCall(call, granted))
        note(.callStarted(call))
    }

    /// The output for a reply to the agent's question if other speech followed that question: the question again,
    /// because the user's yes may have answered the other speech.
    func questionAgain(for callID: String, _ output: ToolResult) -> ToolResult? {
        guard output.content == .refusal(.unasked), output.wantsReply,
            let call = calls.open.first(where: { $0.call.callID == callID })?.call,
            AnswerTool(rawValue: call.name) != nil,
            let prompt = remarks.prompt.prompt, authority.isOvertaken(prompt.number)
        else { return nil }
        let words = "Not passed on, because something else was said since the question. "
        return ToolResult(.prompt(prompt, after: words), isCarriedOut: false)
    }

    private mutating func noteLimit() {
        if rounds.takeReport() { note(.callsLimited) }
    }

    static let limitedOutput = """
        Not done: too much was called since the user last spoke. Tell the user briefly what you know, and wait for the user.
        """

    /// Refuses a call that was cut off or stopped. It is part of the conversation anyway, and without an output the
    /// model would wait for it.
    mutating func refuse(
        _ call: FunctionCall,
        of responseID: String,
        _ reason: ConversationNote,
        _ output: String
    ) {
        guard calls.note(call.callID, responseID: responseID, session: link.number) else {
            return note(.callRepeated(callID: call.callID))
        }
        note(reason)
        guard link.isReady else { return }
        send(.answer(call: call.callID, .silentRefusal(output)))
    }

    /// The service accepts no result of another session's call, or may not be asked for a response: the local voice says it, or
    /// it waits as news for a service that accepts it.
    private mutating func sayOtherwise(_ output: ToolResult) {
        // The agent's question is asked again in a session that accepts it.
        guard !remarks.prompt.isOpen(output) else { return }
        note(.answerKept)
        if options.hasLocalVoice {
            // For a model of another service, the output stays data.
            guard !output.aloud.isEmpty else { return }
            remarks.queue.add(.news(output, aloud: HouseWords(output.aloud)), of: remarks.agent, at: now)
        } else {
            remarks.queue.add(.news(output, aloud: nil), of: remarks.agent, at: now)
            emit(.play(.error))
        }
    }

    /// Whether each answer gets a response of its own, unless its calls were made in one response. Other services keep the
    /// answers apart themselves.
    var tellsOneByOne: Bool { options.capabilities.rewords && options.capabilities.namesItems }

    /// Sends the outputs that are due; the model can read them while it is still speaking.
    ///
    /// A newer session does not know the call, so it receives both call and answer.
    mutating func deliver() {
        guard link.isReady else { return }
        while true {
            let due = calls.takeDeliverable(in: link.number, oneByOne: tellsOneByOne && !hold.isClosing)
            guard !due.isEmpty else { return }
            for answered in due { deliver(answered) }
            // An answer that another voice says makes room for the next one.
            calls.settle(allBut: sequencer.unspoken)
        }
    }

    private mutating func deliver(_ answered: PendingCalls.Call) {
        var callID = answered.call.callID
        var output = answered.output ?? ToolResult(.answer(""))
        let isKnown = answered.session == link.number && !answered.isPutOff
        guard isKnown || takesText else {
            if answered.wantsReply { sayOtherwise(output) }
            return
        }
        note(.outputSent(callID: callID))
        if hold.isClosing, answered.wantsReply { sayOtherwise(output) }
        if isKnown {
            output.part = answered.isWhole ? .whole : .first
            send(.answer(call: answered.wireID, output))
        } else {
            let call = answered.call
            let isShort = call.arguments.utf8.count <= ToolArguments.maximumBytes
            let arguments = isShort ? call.arguments : "{}"
            let isSpoken = answered.wantsReply
            let report = ForeignReport(name: call.name, arguments: arguments, output: output, isSpoken: isSpoken)
            callID = tell(report, "answer")
            calls.repeated(call.callID, as: callID)
            authority.repeated(call.callID, as: callID)
        }
        remarks.prompt.sent(output, in: link.number)
        if answered.wantsReply, !hold.isClosing { sequencer.outputSent(callID: callID) }
    }

    /// The budget is spent: the local voice says the waiting outputs, or they wait as news; no response is requested.
    private mutating func leaveToOthers() {
        if sequencer.wantsResponse {
            for call in calls.unspoken where sequencer.uncovered.contains(call.call.callID) {
                if let output = call.output { sayOtherwise(output) }
            }
            turn.forgetQuestion()
            sequencer.forget()
        }
        calls.settle(allBut: sequencer.unspoken)
    }

    static let putOffOutput = """
        Jarvis is still working on this. Its result will follow as the result of another call; do not call again for it.
        """

    /// A service that does not answer until every call has an output gets one for now; the answer follows as that of another
    /// call.
    mutating func putOffCalls() {
        guard link.isReady, !options.capabilities.answersWhileCalling, takesText else { return }
        for wireID in calls.putOff(in: link.number) {
            send(.answer(call: wireID, .silentRefusal(Self.putOffOutput)))
        }
    }

    /// Handles part of an output that is still being written.
    mutating func callSays(_ callID: String, _ part: ToolResult, isLast: Bool) {
        if calls.isWaiting(callID: callID) {
            _ = calls.answer(callID: callID, part, isWhole: isLast)
            authority.answered(callID, .outside)
            if isOfTurn(callID) { turn.clock?.answered(at: now) }
        } else if let wireID = calls.goOn(callID: callID, with: part, isLast: isLast) {
            var part = part
            part.part = isLast ? .last : .next
            send(.answer(call: wireID, part))
        }
    }

    /// The service has received more of an answer, and no response is speaking it.
    mutating func answerWaits(_ wireID: String) {
        guard link.isReady, let callID = calls.waits(wireID: wireID) else { return }
        sequencer.outputSent(callID: callID)
        sequencer.outputConfirmed(callID: callID)
    }

    /// Withdraws every call, and the rest of an answer that is still being written.
    mutating func withdrawCalls() {
        let output = ToolResult.silentRefusal(Self.stoppedOutput)
        let cut = calls.withdraw(keeping: link.isReady ? link.number : nil, output: output)
        guard link.isReady else { return }
        // A service that speaks answers as they are has them in its queue; a model has read them.
        let queued = options.capabilities.speaksInParts ? cut.whole : []
        for wireID in cut.inPart + queued { send(.answer(call: wireID, output)) }
    }

    /// Requests one response once every call of a response is answered and no one else is about to speak.
    ///
    /// A user who is speaking, or is owed a response, will get one that has seen the outputs. The answer to an earlier turn
    /// waits until the current one is completely over.
    mutating func requestResponse() {
        // Requests a response to the user's question again if the service refused the request: nothing else would repeat it.
        if sequencer.consumeLoss(), unasked.last == nil { sequencer.want() }
        if hold.isClosing { return leaveToOthers() }
        guard link.isReady, sequencer.isIdle, sequencer.wantsResponse, turn.retryAfter == nil, turn.isQuiet,
            !calls.unspoken.contains(where: { calls.contains(responseID: $0.responseID, session: $0.session) }),
            voice.isSilent || !calls.isLate(at: turns)
        else { return }
        // The repetition of an unrequested response is unrequested as well.
        let repeated = sequencer.uncovered.isEmpty ? unasked.last : nil
        let purpose = repeated?.purpose ?? (sequencer.isWanted ? .turn : .outputs)
        let round = rounds.request(turn: turns)
        if round != .next { noteLimit() }
        guard round != .over else {
            sequencer.forget()
            calls.settle(allBut: sequencer.unspoken)
            return emit(.play(.error))
        }
        askForResponse(for: purpose, words: repeated?.words, isLast: round == .last)
    }

    /// Requests a response; an unrequested one gets no tools.
    ///
    /// - Parameters:
    ///   - words: the instruction for this response only.
    ///   - isLast: whether the model has reached the limit of calls, and gets no tools.
    mutating func askForResponse(for purpose: Authority.Purpose, words: ServiceRequest? = nil, isLast: Bool = false) {
        putOffCalls()
        authority.requested(purpose)
        if let words { send(words) }
        let mayCall =
            switch purpose {
            case .remark, .prompt: false
            case .turn, .outputs: !isLast
            }
        let id = requestID("respond")
        send(.respond(id: id, mayCall: mayCall))
        unasked.requested(mayCall ? nil : .init(purpose: purpose, words: words))
        sequencer.requested(eventID: id)
    }

    /// Begins the calls announced only by the end of a response, if it ended well.
    mutating func beginRest(of end: ResponseEnd) {
        let isWell = end.status == .completed
        let rest = written.dequeue(end.response).map { AnnouncedCall(call: $0, isComplete: true) } + end.calls
        for announced in rest {
            let call = announced.call
            // Reported before, perhaps without the id of its response.
            let isKnown = [end.response, ""].contains { calls.knows(call.callID, responseID: $0, session: link.number) }
            guard !isKnown else { continue }
            begin(call, responseID: end.response, isComplete: isWell && announced.isComplete)
        }
    }

    /// Ends a response that the service reports as running but never announced, and requests ours again.
    mutating func endUnknownResponse() {
        note(.unexpected("a response that was never announced"))
        sequencer.lostTrack()
        send(.cancel(response: nil))
        requestFailed()
    }

    /// The service did not answer a request for a response, or refused it for its own reasons.
    mutating func requestFailed() {
        requestIsOver()
        if turn.requestFailed() { giveUp(.transient, "the service does not answer requests for a response") }
    }

    /// The requested response will not come: its remark is said at the next chance, and a question that is still open
    /// is asked again. Outputs wait for the next response anyway.
    mutating func requestIsOver() {
        sequencer.abandon()
        if remarks.queue.isTelling {
            remarks.queue.requeueUnheard()
        } else if unasked.last == nil, sequencer.uncovered.isEmpty, turn.question != nil {
            sequencer.want()
        }
    }

    /// Requests a failed response again after a pause, once or twice; after that the local voice or a tone notifies the user.
    ///
    /// - Parameters:
    ///   - ofOutputs: whether outputs are still to be spoken about, which alone leads to another request.
    ///   - words: the words of the response that were not heard, as far as known.
    ///   - wanted: the pause that the service asks for.
    mutating func retry(
        after failure: ErrorClass,
        ofOutputs: Bool = false,
        words: String = "",
        wanted: Duration? = nil
    ) {
        let (pause, limitedPause) = (options.retryPause, options.limitedRetryPause)
        let retry = turn.responseFailed(failure, pause: pause, limitedPause: limitedPause, wanted: wanted)
        guard retry != .again else { return ofOutputs ? () : sequencer.want() }
        sayUnheard(words)
        if retry == .broken { giveUp(.transient, "the service failed turn after turn") }
    }

    /// Says the content of the failed responses in another way.
    private mutating func sayUnheard(_ words: String) {
        let answers = calls.unspoken.filter { sequencer.unspoken.contains($0.call.callID) }.compactMap(\.output)
        sequencer.forget()
        if let entry = remarks.queue.takeTold() {
            sayOurselves([entry.text], entry.source)
        } else if !answers.isEmpty {
            // A permission is given only to a session that has asked for it.
            sayOurselves(answers.map { remarks.prompt.isOpen($0) ? "" : $0.aloud }, .agent)
        } else if !words.isEmpty {
            sayOurselves([words], .agent)
        } else {
            missAnswer()
        }
    }

    /// The local voice, or else espeak-ng, says texts that the service failed to say; without either, a tone signals
    /// that something is missing.
    mutating func sayOurselves(_ texts: [String], _ source: SpeechSource) {
        guard !texts.isEmpty else { return }
        let sayable = options.saysUnheard ? texts.filter(\.isSayable) : []
        if !sayable.isEmpty { note(.saidByLocalVoice(source)) }
        for text in sayable { emit(source == .announcement || source == .house ? .announce(text) : .answer(text)) }
        if sayable.count < texts.count { missed(source, texts.count - sayable.count) }
    }

    /// Texts that the box had accepted are lost.
    mutating func missed(_ source: SpeechSource, _ count: Int = 1) {
        note(.speechDropped(source, count))
        if source == .agent { missAnswer() } else { emit(.play(.error)) }
    }

    // MARK: Text from outside

    /// Whether the service accepts any text but answers to calls.
    var takesText: Bool { options.capabilities.takesText }

    /// Whether the service accepts the user's questions as text.
    var takesQuestions: Bool { takesText || options.capabilities.takesQuestions }

    /// Passes on text from outside as data, whatever it says.
    ///
    /// - Returns: the id of the call it was passed on as.
    @discardableResult
    mutating func tell(_ report: ForeignReport, _ kind: String) -> String {
        let callID = requestID(kind)
        // The call is only a carrier: even if the service repeats it, it is not made.
        calls.exclude(callID)
        send(.inform(id: callID, report))
        return callID
    }

    /// Refuses a call from an unrequested response.
    mutating func refuseUnasked(_ call: FunctionCall, of responseID: String) {
        let reason = ConversationNote.unexpected("a call of \(call.name) without a request of the user")
        refuse(call, of: responseID, reason, "Not done: nobody has asked for it.")
    }
}
