internal import VoiceBase

/// The user's turns, the model's voice, one interrupting the other, and "stop".
extension ConversationMachine {
    /// Milliseconds by which the server's own count of an item may fall short of what it has sent.
    private static let truncationMargin = 100
    static let stoppedOutput = "Not done: the user has stopped this request. Do not speak of it."

    mutating func heard(_ event: ServerEvent) {
        switch event {
        case .sessionCreated(let id, let expiresAt): sessionCreated(id: id, expiresAt: expiresAt)
        case .sessionUpdated(let inForce): sessionUpdated(inForce)
        case .speechStarted(let itemID, _): speechStarted(itemID)
        case .speechStopped: speechStopped()
        case .itemAdded(_, let kind, let callID, _):
            guard kind == "function_call_output", let wireID = callID else { break }
            for callID in calls.delivered(wireID: wireID, session: link.number) {
                sequencer.outputConfirmed(callID: callID)
            }
        case .responseCreated(let id, let clientEventID): responseCreated(id, clientEventID)
        case .outputItemAdded(let responseID, let itemID, let kind, let call):
            if let call { written.begun(call, itemID: itemID, of: responseID) }
            if kind == "function_call" { becameFiller(responseID) }
            if kind == "message" { memory.began(itemID, by: .assistant) }
        case .callWritten(let responseID, let itemID, let call): written.ended(call, itemID: itemID, of: responseID)
        case .functionCall(let responseID, let call, let isComplete):
            begin(call, responseID: responseID, isComplete: isComplete)
        case .spokenTranscript(_, let itemID, let text, _):
            memory.said(text, in: itemID)
            note(.spoken(text))
        case .responseDone(let outcome): responseDone(outcome)
        case .heardTranscript(let itemID, _, let text, _):
            memory.said(text, in: itemID)
            note(.heard(text))
        case .heardTranscriptFailed(_, let reason): note(.unexpected("transcription failed: \(reason)"))
        case .error(let error): serverError(error)
        case .committed(let itemID, _):
            authority.turnCommitted(itemID)
            committed(itemID)
        case .audioDone, .spokenDelta, .heardDelta, .ignored, .unknown: break
        }
    }

    // MARK: The user

    private mutating func speechStarted(_ itemID: String) {
        guard link.isReady else { return }
        // Each turn has its own time.
        cancel(.speech)
        guard turn.speechStarted(itemID, at: now) else { return }
        if state != .listening { turn.clock?.interrupted() }
        stopVoice()
        authority.turnBegan(itemID, at: now)
        memory.began(itemID, by: .user)
        endTurn()
    }

    private mutating func speechStopped() {
        guard link.isReady, turn.speechStopped(at: now) else { return }
        authority.turnEnded(at: now)
        unasked.userSpoke()
    }

    /// What the service heard has become an item of the conversation.
    private mutating func committed(_ itemID: String) {
        if link.isReady, turn.committed(itemID) { delete(itemID) }
    }

    private mutating func delete(_ itemID: String) {
        send({ .deleteItem(itemID: itemID, eventID: $0) }, "delete")
    }

    // MARK: Responses

    /// Takes the first that is heard of a response for its beginning, where the service does not tell it.
    ///
    /// - Parameter isSure: it is of this session, and is not its end: counts where a service does tell beginnings, and
    ///   has left this one out.
    mutating func adopt(_ responseID: String?, isSure: Bool) {
        guard link.isReady, let responseID, !responseID.isEmpty, !voice.knows(responseID) else { return }
        if options.settings.dialect.announcesResponses {
            guard isSure, sequencer.isFree else { return }
        }
        heard(.responseCreated(id: responseID, clientEventID: nil))
    }

    private mutating func responseCreated(_ id: String, _ clientEventID: String?) {
        voice.responseBegan(id)
        let begun = sequencer.created(responseID: id, clientEventID: clientEventID)
        let isNamed = clientEventID != nil
        let verdict = turn.responseBegan(isOurs: begun.isOurs, isSilenced: begun.isSilenced, isNamed: isNamed)
        let isAmbiguous = !isNamed && verdict.wasOwed
        if begun.isOurs { unasked.began(id, isAmbiguous: isAmbiguous) }
        authority.began(id, isOurs: begun.isOurs && !isAmbiguous, telling: sequencer.telling, at: now)
        if verdict.isUnwanted { refuse(response: id) }
    }

    private mutating func responseDone(_ outcome: ResponseOutcome) {
        let wasStopped = isStopped(outcome.id)
        beginRest(of: outcome)
        let wasVoiced = voice.wasVoiced(outcome.id)
        // Cut before the first word, by a user who may only have coughed: what it was to tell is still to be told.
        let isUnheard = (outcome.status == .cancelled || outcome.status == .failed) && !wasVoiced
        let wasToTell = sequencer.isTelling
        let wasRunning = sequencer.done(
            responseID: outcome.id,
            clientEventID: outcome.clientEventID,
            isSpoken: !isUnheard
        )
        voice.responseEnded(outcome.id)
        defer { authority.ended(outcome.id, isTriedAgain: outcome.status == .failed) }
        switch outcome.status {
        case .completed:
            authority.completed(outcome.id)
            link.proved()
            turn.answered()
        case .cancelled:
            guard wasRunning, turn.isIdle else { break }
            turn.forgetQuestion()
            // Nobody has spoken: a service that does so again and again is not asked for ever.
            if isUnheard, wasToTell { retry(after: .service) }
        case .failed:
            note(.responseFailed(status: outcome.status.rawValue, reason: outcome.reason))
            responseFailed(ErrorClass(code: outcome.reason), outcome, isOurs: wasRunning && !wasStopped)
        case .incomplete, .other:
            note(.responseFailed(status: outcome.status.rawValue, reason: outcome.reason))
            if !wasVoiced, wasRunning, !wasStopped { emit(.play(.error)) }
            turn.forgetQuestion()
        }
    }

    private mutating func responseFailed(_ failure: ErrorClass, _ outcome: ResponseOutcome, isOurs: Bool) {
        if failure.isFatal {
            return serverError(ServerError(type: "response", code: outcome.reason, message: "the response failed"))
        }
        guard isOurs, link.isReady, turn.isIdle, !voice.isSilenced(outcome.id) else { return }
        retry(after: failure)
    }

    /// A response that nobody wants has begun: not a word of it.
    private mutating func refuse(response responseID: String) {
        turn.stop(responses: [responseID])
        cancelResponse()
        emit(.stopVoice(responseIDs: [responseID]))
    }

    private mutating func cancelResponse() {
        guard case .now(let responseID) = sequencer.cancel() else { return }
        send({ .responseCancel(responseID: responseID, eventID: $0) }, "cancel")
        if let responseID { voice.silence(responseID) }
    }

    // MARK: The voice

    mutating func voiceReceived(_ responseID: String) {
        guard let isFiller = voice.received(responseID, isOnTheWay: isOnTheWay(responseID)) else { return }
        turn.clock?.received(isAnswer: !isFiller, at: now)
        turn.answerBegan()
        emit(.cancelEarcons)
    }

    mutating func voiceAudible(_ responseID: String) {
        guard !voice.isSilenced(responseID) else { return }
        let isFiller = voice.isFiller(responseID, isOnTheWay: isOnTheWay(responseID))
        turn.clock?.audible(isAnswer: !isFiller, at: now)
    }

    /// Said on the way to the answer: it holds a call, or is the news of one.
    private func isOnTheWay(_ responseID: String) -> Bool {
        calls.contains(responseID: responseID, session: link.number) || remarks.wishes.isNotice(responseID)
    }

    /// The response turns out to hold a call: what it says is said on the way to the answer.
    mutating func becameFiller(_ responseID: String) {
        if voice.becameFiller(responseID) { turn.clock?.becameFiller() }
    }

    mutating func settleVoice() {
        if let played = voice.settle(sequencer) { authority.played(played, at: now) }
    }

    /// Stops what sounds and refuses the rest of every response that could still send audio.
    ///
    /// - Parameter always: also where nothing is known to sound: the first of it may be on its way here.
    mutating func stopVoice(always: Bool = false) {
        emit(.cancelEarcons)
        guard let cut = voice.cut(active: sequencer.activeResponse, always: always) else { return }
        if let sounding = cut.sounding { authority.interrupted(sounding) }
        emit(.stopVoice(responseIDs: cut.stale))
    }

    /// Tells the server what was heard of each part that was cut (`conversation.item.truncate`).
    ///
    /// A session that was opened since knows nothing of the items of the one before.
    mutating func truncate(_ parts: [HeardPart]) {
        voice.wereCut(parts)
        guard link.isReady else { return }
        var deleted: Set<String> = []
        for part in parts where !part.part.itemID.isEmpty && voice.knows(part.part.responseID) {
            let itemID = part.part.itemID
            if part.received > 0 { memory.cut(itemID, share: Double(part.heard) / Double(part.received)) }
            guard part.isItemHeard else {
                if deleted.insert(itemID).inserted { delete(itemID) }
                continue
            }
            // The server refuses what is longer than the item it knows, and its count has been seen to run a little
            // behind what it has sent.
            let known =
                part.received > 2 * Self.truncationMargin ? part.received - Self.truncationMargin : part.received
            let end = min(part.heard, known)
            let index = part.part.contentIndex
            send({ .truncate(itemID: itemID, contentIndex: index, audioEnd: end, eventID: $0) }, "truncate")
        }
    }

    // MARK: Interruption and "stop"

    /// The user takes the word, or says "Jarvis" and nothing else: the answers of calls are still wanted, and whatever he
    /// is saying is a turn.
    mutating func interrupt() {
        silence()
        if !turn.isUserSpeaking { turn.forgetQuestion() }
    }

    /// "Stop": whatever the connection and the state, it is silent at once, and nothing of what was asked is said, asked
    /// again, or left to the agent.
    mutating func stop(isSpoken: Bool) {
        turn.stop(responses: voice.responses)
        silence(always: true)
        emit(.forgetMicrophone)
        emit(.cancelCalls)
        calls.withdraw(keeping: link.isReady ? link.number : nil, output: Self.stoppedOutput)
        authority.withdrawn()
        remarks.takeBack()
        let taken = turn.takeBack(isSpoken: isSpoken, inSession: link.isReady, at: now)
        memory.forget(taken.items)
        if taken.isHeard { send({ .clearInput(eventID: $0) }, "clear") }
        for itemID in taken.deleted { delete(itemID) }
    }

    /// Nothing that is being said, or about to be, is said to its end; what was to be told is told.
    private mutating func silence(always: Bool = false) {
        turn.silenced(inSession: link.isReady)
        if link.isReady {
            cancelResponse()
            sequencer.forget()
        }
        stopVoice(always: always)
    }

    /// Whether calls of this response are not to be made.
    func isStopped(_ responseID: String) -> Bool {
        if turn.isStopped(response: responseID) { return true }
        // A response that was cancelled before its name was known.
        return sequencer.phase == .cancelling(responseID: nil) && !voice.knows(responseID)
    }
}
