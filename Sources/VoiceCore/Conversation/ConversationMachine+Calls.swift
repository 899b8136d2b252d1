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
        guard let call = calls.begin(call, responseID: responseID, session: session, turn: turns) else {
            return note(.callRepeated(callID: call.callID))
        }
        becameFiller(responseID)
        if voice?.responseID == responseID { voice?.hasCall = true }
        turn?.called()
        // From here on the call stands for the question: its answer outlives the session.
        question = nil
        effects.append(.startCall(call, authority.authority(of: call, in: responseID)))
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
        guard calls.note(call.callID, responseID: responseID, session: session) else {
            return note(.callRepeated(callID: call.callID))
        }
        note(reason)
        guard link == .ready else { return }
        send({ .functionCallOutput(callID: call.callID, output: output, eventID: $0) }, "output")
    }

    /// Sends the outputs that are due; the model can read them while it still speaks.
    ///
    /// A session that was opened since does not know the call: it is told call and answer.
    mutating func deliver() {
        guard link == .ready else { return }
        for answered in calls.takeDeliverable() {
            var callID = answered.call.callID
            let output = answered.output ?? ""
            note(.outputSent(callID: callID))
            if answered.session == session {
                send({ .functionCallOutput(callID: answered.wireID, output: output, eventID: $0) }, "output")
            } else {
                let call = answered.call
                let isShort = call.arguments.utf8.count <= ToolArguments.maximumBytes
                let arguments = isShort ? call.arguments : "{}"
                callID = tell(.init(name: call.name, arguments: arguments, output: output), "answer")
                calls.retold(call.callID, as: callID)
                authority.retold(call.callID, as: callID)
            }
            told(output)
            if answered.wantsReply { sequencer.outputSent(callID: callID) }
        }
    }

    /// Asks for one response once every call of a response is answered and nobody else is about to speak.
    ///
    /// A user who is speaking, or whose turn the server owes a response to, will get one that has seen the outputs.
    /// The answer to an earlier turn waits until the present one is over to its last word.
    mutating func requestResponse() {
        guard link == .ready, sequencer.isIdle, sequencer.wantsResponse, retryAfter == nil, !userSpeaks, !owedResponse,
            !awaitsUnwanted,
            !calls.unspoken.contains(where: { calls.contains(responseID: $0.responseID, session: $0.session) }),
            voice == nil || !calls.isLate(at: turns)
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
        let eventID = eventID("respond")
        effects.append(.send(.responseCreate(eventID: eventID, mayCall: mayCall)))
        (unasked.isRequested, unasked.last) = (!mayCall, mayCall ? nil : purpose)
        sequencer.requested(eventID: eventID)
    }

    /// The end of a response brings the calls that were told in no other way; they are made where it ended well.
    mutating func beginRest(of outcome: ResponseOutcome) {
        let isWell = outcome.status == .completed
        let rest = written.take(outcome.id).map { AnnouncedCall(call: $0, isComplete: true) } + outcome.calls
        for announced in rest {
            let call = announced.call
            // Told before, perhaps without a word of the response it belongs to.
            let isKnown = [outcome.id, ""].contains { calls.knows(call.callID, responseID: $0, session: session) }
            guard !isKnown else { continue }
            begin(call, responseID: outcome.id, isComplete: isWell && announced.isComplete)
        }
    }

    /// A response runs, so the service says, that it never told of: it is ended, and ours asked for again.
    mutating func endUnknownResponse() {
        note(.unexpected("a response that was never told of"))
        sequencer.lostTrack()
        send({ .responseCancel(responseID: nil, eventID: $0) }, "cancel")
        requestFailed()
    }

    /// Requests in a row that the service may leave without an answer.
    private static let patience = 3

    /// The service did not answer our request for a response, or refused it for a reason of its own.
    mutating func requestFailed() {
        sequencer.abandon()
        unanswered += 1
        guard unanswered >= Self.patience else { return }
        effects.append(.disconnect)
        lost(LinkFailure(.transient, "the service does not answer requests for a response"))
    }

    /// A response failed: it is asked for again after a pause, once or twice; then the user is told, by a tone.
    mutating func retry(after failure: ErrorClass) {
        failures += 1
        let mayRetry = failures <= (failure == .limited ? 2 : 1)
        if mayRetry {
            sequencer.want()
            retryAfter = failure == .limited ? options.limitedRetryPause * failures : options.retryPause
            return
        }
        sequencer.forget()
        question = nil
        effects.append(.play(.error))
        guard failure != .limited else { return }
        brokenTurns += 1
        guard brokenTurns >= 2 else { return }
        brokenTurns = 0
        effects.append(.disconnect)
        lost(LinkFailure(.transient, "the service failed turn after turn"))
    }
}
