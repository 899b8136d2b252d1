/// What tools want of the conversation beside the outputs of their calls.
struct ToolWishes: Equatable, Sendable {
    /// Close the session once nothing is left to be said.
    var endsWhenQuiet = false
    /// Calls that take long and of which the user has not been told.
    var delayed: [String] = []
    /// What the agent was doing when the last of them was found to take long.
    var activity: String?
    /// The news of a long call was asked for; and the response that brings it.
    var isNoticeDue = false
    var noticeResponse: String?

    /// - Parameter isReplaced: another has taken over, and the conversation goes on in it.
    mutating func sessionEnded(isReplaced: Bool) {
        if !isReplaced { endsWhenQuiet = false }
        isNoticeDue = false
        noticeResponse = nil
    }
}

/// Long calls and the end of a conversation.
extension ConversationMachine {
    /// What the model is told when a call takes long. It stays in the conversation, so it says when it was true.
    static let delayNotice = """
        Jarvis has not answered yet and is still working on the last request. Tell the user so in one short sentence \
        of at most eight words, and nothing else. Do not call a function now.
        """

    /// - Parameter activity: what the agent is doing, "reading your mail"; nil where nobody knows.
    static func delayNotice(_ activity: String?) -> String {
        guard let activity else { return delayNotice }
        return """
            Jarvis has not answered yet and is still working on the last request; just now it is \(activity). Tell the \
            user in one short sentence of at most ten words that Jarvis is still \(activity), and nothing else. Do not \
            call a function now.
            """
    }

    mutating func delayed(_ callID: String, _ activity: String?) {
        guard calls.isWaiting(callID: callID) else { return }
        wishes.activity = activity
        wishes.delayed.append(callID)
    }

    mutating func settleWishes() {
        findNotice()
        // Who speaks again has not left.
        if userSpeaks { wishes.endsWhenQuiet = false }
        wishes.delayed.removeAll { !calls.isWaiting(callID: $0) }
        guard link == .ready, isQuiet else { return }
        if !wishes.delayed.isEmpty { tellDelay() }
        if isQuiet { announce() }
        if wishes.endsWhenQuiet, isQuiet, !calls.isWaiting {
            wishes.endsWhenQuiet = false
            deactivate()
        }
    }

    /// Nobody speaks and no response is awaited.
    var isQuiet: Bool {
        voice == nil && !userSpeaks && !owedResponse && !awaitsUnwanted && sequencer.isIdle && !sequencer.wantsResponse
    }

    private mutating func tellDelay() {
        wishes.delayed = []
        let notice = Self.delayNotice(wishes.activity)
        send({ .systemMessage(text: notice, eventID: $0) }, "delay")
        askForResponse(for: .remark)
        wishes.isNoticeDue = true
    }

    /// What brings the news of a long call is said on the way to the answer, like an acknowledgement.
    private mutating func findNotice() {
        guard wishes.isNoticeDue else { return }
        if let responseID = sequencer.activeResponse { wishes.noticeResponse = responseID }
        if sequencer.activeResponse != nil || sequencer.isIdle { wishes.isNoticeDue = false }
    }

    /// Said on the way to the answer: it holds a call, or is the news of one.
    func isOnTheWay(_ responseID: String) -> Bool {
        calls.contains(responseID: responseID, session: session) || wishes.noticeResponse == responseID
    }
}

extension PendingCalls {
    func isWaiting(callID: String) -> Bool {
        open.contains { $0.call.callID == callID && $0.output == nil }
    }
}
