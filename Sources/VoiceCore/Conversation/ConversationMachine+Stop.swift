/// What "stop" has taken back and may still come of it.
struct StoppedTurn: Equatable, Sendable {
    /// The turn that the service hears, or has just heard, is not to be answered.
    var isDiscarding = false
    /// Its item, to be taken out of the conversation once it is in there.
    var itemID: String?
    /// Speech that begins before belongs to what was stopped: its rest, or the word itself.
    var deafUntil: Duration?
    /// Nobody has spoken since: a response that was not asked for since then belongs to what was stopped, however late.
    var isSilent = false
    /// Responses whose calls are not made.
    private(set) var responses: [String] = []

    private static let limit = 32

    mutating func add(_ responseID: String) {
        guard !responseID.isEmpty, !responses.contains(responseID) else { return }
        responses.append(responseID)
        if responses.count > Self.limit { responses.removeFirst() }
    }
}

/// "Stop": whatever the connection and the state, it is silent at once, and nothing of what was asked is said, asked
/// again, or left to the agent.
extension ConversationMachine {
    /// A clear that is on its way to the service and the beginning of speech that is on its way from it cross within this
    /// time; so do the stop word, found here, and its speech, found there.
    private static let restOfSpeech = Duration.seconds(1)
    /// Speech that had begun before, and is on its way from the service when a key is pressed.
    private static let speechOnItsWay = Duration.milliseconds(300)
    static let stoppedOutput = "Not done: the user has stopped this request. Do not speak of it."

    mutating func stop(isSpoken: Bool) {
        let unanswered = question.map { $0.isBegun ? [] : $0.items } ?? []
        let isMidSpeech = userSpeaks
        for responseID in sessionResponses { stopped.add(responseID) }
        silence(always: true)
        effects.append(.forgetMicrophone)
        effects.append(.cancelCalls)
        calls.withdraw(keeping: link == .ready ? session : nil, output: Self.stoppedOutput)
        announcements.clear()
        typed.clear()
        authority.withdrawn()
        media.forget()
        agent = AgentTalk()
        wishes.delayed = []
        wishes.isNoticeDue = false
        memory.forget(unanswered)
        userSpeaks = false
        question = nil
        guard link == .ready else { return }
        stopped.isSilent = true
        if hearsUser {
            stopped.isDiscarding = true
            send({ .clearInput(eventID: $0) }, "clear")
        }
        stopped.deafUntil = now + (hearsUser || isSpoken ? Self.restOfSpeech : Self.speechOnItsWay)
        if isMidSpeech { stopped.itemID = unanswered.last }
        for itemID in unanswered where itemID != stopped.itemID { delete(itemID) }
    }

    /// The user takes the word, or says "Jarvis" and nothing else: the answers of calls are still wanted, and whatever he
    /// is saying is a turn.
    mutating func interrupt() {
        silence()
        if !userSpeaks { question = nil }
    }

    /// Nothing that is being said, or about to be, is said to its end; what was to be told is told.
    private mutating func silence(always: Bool = false) {
        if link == .ready {
            if owedResponse { expectUnwanted() }
            cancelResponse()
            sequencer.forget()
        }
        retryAfter = nil
        turn?.interrupted()
        stopVoice(always: always)
        owedResponse = false
    }

    /// The service will answer though nobody wants it.
    mutating func expectUnwanted() {
        cancelsOwed = true
        awaitsUnwanted = true
    }

    /// A response that nobody wants has begun: not a word of it.
    mutating func refuse(response responseID: String) {
        stopped.add(responseID)
        cancelResponse()
        effects.append(.stopVoice(responseIDs: [responseID]))
    }

    /// Whether calls of this response are not to be made.
    func isStopped(_ responseID: String) -> Bool {
        if stopped.responses.contains(responseID) { return true }
        // A response that was cancelled before its name was known.
        return sequencer.phase == .cancelling(responseID: nil) && !sessionResponses.contains(responseID)
    }

    /// - Returns: whether this speech is the rest of what was stopped.
    mutating func discardsSpeech(_ itemID: String) -> Bool {
        guard let deafUntil = stopped.deafUntil, now < deafUntil else {
            stopped.isDiscarding = false
            stopped.deafUntil = nil
            return false
        }
        stopped.isDiscarding = true
        stopped.itemID = itemID
        return true
    }

    /// The stopped turn has become an item of the conversation.
    mutating func committed(_ itemID: String) {
        guard link == .ready, !itemID.isEmpty, itemID == stopped.itemID else { return }
        stopped.itemID = nil
        delete(itemID)
    }

    private mutating func delete(_ itemID: String) {
        send({ .deleteItem(itemID: itemID, eventID: $0) }, "delete")
    }
}
