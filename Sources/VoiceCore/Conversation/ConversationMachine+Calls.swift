/// Tool calls: begun once, answered once, spoken about once.
extension ConversationMachine {
    mutating func begin(_ call: FunctionCall, responseID: String, isComplete: Bool) {
        guard !call.callID.isEmpty else { return note(.callIncomplete(callID: "")) }
        guard isComplete else { return refuseCutOff(call) }
        guard calls.begin(call, responseID: responseID, session: session, turn: turns) else {
            return note(.callRepeated(callID: call.callID))
        }
        becameFiller(responseID)
        if voice?.responseID == responseID { voice?.hasCall = true }
        turn?.called()
        // From here on the call stands for the question: its answer outlives the session.
        question = nil
        effects.append(.startCall(call))
        note(.callStarted(call))
    }

    /// A call that was cut off while it was written is in the conversation all the same: without an output the model
    /// would wait for it.
    private mutating func refuseCutOff(_ call: FunctionCall) {
        guard calls.note(call.callID) else { return note(.callRepeated(callID: call.callID)) }
        note(.callIncomplete(callID: call.callID))
        guard link == .ready else { return }
        let output = "Not done: the user spoke before the request was complete."
        send({ .functionCallOutput(callID: call.callID, output: output, eventID: $0) }, "output")
    }

    /// Sends the outputs that are due; the model can read them while it still speaks.
    ///
    /// A session that was opened since does not know the call: it is told the answer as a remark of the system.
    mutating func deliver() {
        guard link == .ready else { return }
        for answered in calls.takeDeliverable() {
            let callID = answered.call.callID
            let output = answered.output ?? ""
            if answered.session == session {
                send({ .functionCallOutput(callID: callID, output: output, eventID: $0) }, "output")
            } else {
                let text = "Answer to an earlier request of the user (\(answered.call.arguments)): \(output)"
                send({ .systemMessage(text: text, eventID: $0) }, "answer")
            }
            note(.outputSent(callID: callID))
            if answered.wantsReply { sequencer.outputSent(callID: callID) }
        }
    }

    /// Asks for one response once every call of a response is answered and nobody else is about to speak.
    ///
    /// A user who is speaking, or whose turn the server owes a response to, will get one that has seen the outputs.
    /// The answer to an earlier turn waits until the present one is over to its last word.
    mutating func requestResponse() {
        guard link == .ready, sequencer.isIdle, sequencer.wantsResponse, retryAfter == nil, !userSpeaks, !owedResponse,
            !calls.unspoken.contains(where: { calls.contains(responseID: $0.responseID) }),
            voice == nil || !calls.isLate(at: turns)
        else { return }
        askForResponse()
    }

    mutating func askForResponse() {
        let eventID = eventID("respond")
        effects.append(.send(.responseCreate(eventID: eventID)))
        sequencer.requested(eventID: eventID)
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
