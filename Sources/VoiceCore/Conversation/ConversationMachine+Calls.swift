/// Tool calls: begun once, answered once, spoken about once.
extension ConversationMachine {
    mutating func begin(_ call: FunctionCall, responseID: String, isComplete: Bool) {
        guard isComplete, !call.callID.isEmpty else { return note(.callIncomplete(callID: call.callID)) }
        guard calls.begin(call, responseID: responseID, session: session) else {
            return note(.callRepeated(callID: call.callID))
        }
        becameFiller(responseID)
        if voice?.responseID == responseID { voice?.hasCall = true }
        turn?.called()
        effects.append(.startCall(call))
        note(.callStarted(call))
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
            guard answered.wantsReply else { continue }
            sequencer.outputSent(callID: callID)
            groups.insert(answered.responseID)
        }
    }

    /// Asks for one response once every call of a response is answered and nobody else is about to speak.
    ///
    /// A user who is speaking, or whose turn the server owes a response to, will get one that has seen the outputs.
    mutating func requestResponse() {
        guard link == .ready else { return }
        if sequencer.uncovered.isEmpty { groups = [] }
        guard sequencer.isIdle, !sequencer.uncovered.isEmpty, !userSpeaks, !owedResponse,
            !groups.contains(where: { calls.contains(responseID: $0) })
        else { return }
        var requested = ""
        send(
            { eventID in
                requested = eventID
                return .responseCreate(eventID: eventID)
            },
            "respond"
        )
        sequencer.requested(eventID: requested)
    }
}
