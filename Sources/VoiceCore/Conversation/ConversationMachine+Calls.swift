internal import VoiceBase

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
        guard let call = calls.begin(call, responseID: responseID, session: link.number, turn: turns) else {
            return note(.callRepeated(callID: call.callID))
        }
        becameFiller(responseID)
        voice.callBegan(in: responseID)
        turn.clock?.called()
        // From here on the call stands for the question: its answer outlives the session.
        turn.forgetQuestion()
        emit(.startCall(call, authority.authority(of: call, in: responseID)))
        note(.callStarted(call))
    }

    /// A call that is not made, cut off or stopped, is in the conversation all the same: without an output the model
    /// would wait for it.
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
        send(.answer(call: call.callID, text: output, isSpoken: false))
    }

    /// Sends the outputs that are due; the model can read them while it still speaks.
    ///
    /// A session that was opened since does not know the call: it is told call and answer.
    mutating func deliver() {
        guard link.isReady else { return }
        for answered in calls.takeDeliverable() {
            var callID = answered.call.callID
            let output = answered.output ?? ""
            let isKnown = answered.session == link.number
            guard isKnown || takesText else {
                note(.unexpected("an answer that this service cannot be told: \(callID)"))
                continue
            }
            note(.outputSent(callID: callID))
            if isKnown {
                send(.answer(call: answered.wireID, text: output, isSpoken: answered.wantsReply))
            } else {
                let call = answered.call
                let isShort = call.arguments.utf8.count <= ToolArguments.maximumBytes
                let arguments = isShort ? call.arguments : "{}"
                callID = tell(.init(name: call.name, arguments: arguments, output: output), "answer")
                calls.repeated(call.callID, as: callID)
                authority.repeated(call.callID, as: callID)
            }
            remarks.agent.sent(output, in: link.number)
            if answered.wantsReply { sequencer.outputSent(callID: callID) }
        }
    }

    /// Asks for one response once every call of a response is answered and nobody else is about to speak.
    ///
    /// A user who is speaking, or whose turn the server owes a response to, will get one that has seen the outputs.
    /// The answer to an earlier turn waits until the present one is over to its last word.
    mutating func requestResponse() {
        guard link.isReady, sequencer.isIdle, sequencer.wantsResponse, turn.retryAfter == nil, turn.isQuiet,
            !calls.unspoken.contains(where: { calls.contains(responseID: $0.responseID, session: $0.session) }),
            voice.isSilent || !calls.isLate(at: turns)
        else { return }
        // Of a response that nobody spoke for, the repetition is one as well.
        let repeated = sequencer.uncovered.isEmpty ? unasked.last : nil
        askForResponse(for: repeated ?? (sequencer.isWanted ? .turn : .outputs))
    }

    /// What nobody has asked for is offered no tools.
    mutating func askForResponse(for purpose: Authority.Purpose) {
        authority.requested(purpose)
        let mayCall =
            switch purpose {
            case .remark, .prompt: false
            case .turn, .outputs: true
            }
        let id = requestID("respond")
        send(.respond(id: id, mayCall: mayCall))
        unasked.requested(mayCall ? nil : purpose)
        sequencer.requested(eventID: id)
    }

    /// The end of a response brings the calls that were told in no other way; they are made where it ended well.
    mutating func beginRest(of end: ResponseEnd) {
        let isWell = end.status == .completed
        let rest = written.take(end.response).map { AnnouncedCall(call: $0, isComplete: true) } + end.calls
        for announced in rest {
            let call = announced.call
            // Told before, perhaps without a word of the response it belongs to.
            let isKnown = [end.response, ""].contains { calls.knows(call.callID, responseID: $0, session: link.number) }
            guard !isKnown else { continue }
            begin(call, responseID: end.response, isComplete: isWell && announced.isComplete)
        }
    }

    /// A response runs, so the service says, that it never told of: it is ended, and ours asked for again.
    mutating func endUnknownResponse() {
        note(.unexpected("a response that was never told of"))
        sequencer.lostTrack()
        send(.cancel(response: nil))
        requestFailed()
    }

    /// The service did not answer our request for a response, or refused it for a reason of its own.
    mutating func requestFailed() {
        sequencer.abandon()
        if turn.requestFailed() { giveUp(.transient, "the service does not answer requests for a response") }
    }

    /// A response failed: it is asked for again after a pause, once or twice; then the user is told, by a tone.
    mutating func retry(after failure: ErrorClass) {
        let (pause, limitedPause) = (options.retryPause, options.limitedRetryPause)
        let retry = turn.responseFailed(failure, pause: pause, limitedPause: limitedPause)
        guard retry != .again else { return sequencer.want() }
        sequencer.forget()
        emit(.play(.error))
        if retry == .broken { giveUp(.transient, "the service failed turn after turn") }
    }

    // MARK: Text from outside

    /// Whether anything can be told but answers to calls.
    var takesText: Bool { options.capabilities.takesText }

    /// Whether the user's words can be put as text.
    var takesQuestions: Bool { takesText || options.capabilities.takesQuestions }

    /// Tells what was written outside: data, whatever it says.
    ///
    /// - Returns: the id of the call that was told.
    @discardableResult
    mutating func tell(_ report: ForeignReport, _ kind: String) -> String {
        let callID = requestID(kind)
        // It is told, not asked for: whatever the service makes of it, it is not carried out.
        calls.exclude(callID)
        send(.inform(id: callID, report))
        return callID
    }

    /// A call of a response that nobody spoke for is refused.
    mutating func refuseUnasked(_ call: FunctionCall, of responseID: String) {
        let reason = ConversationNote.unexpected("a call of \(call.name) that nobody asked for")
        refuse(call, of: responseID, reason, "Not done: nobody has asked for it.")
    }
}
