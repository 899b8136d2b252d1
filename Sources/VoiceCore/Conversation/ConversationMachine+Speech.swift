/// The user's turns, the model's voice, and one interrupting the other.
extension ConversationMachine {
    mutating func heard(_ event: ServerEvent, at now: Duration) {
        switch event {
        case .sessionCreated(let id, let expiresAt): sessionCreated(id: id, expiresAt: expiresAt)
        case .sessionUpdated(let inForce): sessionUpdated(inForce)
        case .speechStarted: speechStarted()
        case .speechStopped: speechStopped(at: now)
        case .itemAdded(_, _, let callID):
            if let callID { sequencer.outputConfirmed(callID: callID) }
        case .responseCreated(let id, let clientEventID):
            owedResponse = false
            sessionResponses.append(id)
            if sessionResponses.count > 32 { sessionResponses.removeFirst() }
            sequencer.created(responseID: id, clientEventID: clientEventID)
            if cancelsNext { cancel(id) }
            cancelsNext = false
        case .outputItemAdded(let responseID, _, let kind):
            if kind == "function_call" { becameFiller(responseID) }
        case .functionCall(let responseID, let call, let isComplete):
            begin(call, responseID: responseID, isComplete: isComplete)
        case .spokenTranscript(_, _, let text): note(.spoken(text))
        case .responseDone(let outcome): responseDone(outcome)
        case .heardTranscript(_, _, let text): note(.heard(text))
        case .heardTranscriptFailed(_, let reason): note(.unexpected("transcription failed: \(reason)"))
        case .error(let error): serverError(error)
        case .committed, .audioDone, .ignored, .unknown: break
        }
    }

    private mutating func speechStarted() {
        guard link == .ready else { return }
        if state != .listening { turn?.interrupted() }
        stopVoice()
        userSpeaks = true
        endTurn()
    }

    private mutating func speechStopped(at now: Duration) {
        guard link == .ready, userSpeaks else { return }
        userSpeaks = false
        owedResponse = true
        turns += 1
        turn = TurnClock(number: turns, ended: now)
    }

    /// The user's command: quiet, now. While nothing is being said it ends the wait for a response.
    mutating func interrupt() {
        guard link == .ready else { return }
        switch sequencer.phase {
        case .active(let responseID): cancel(responseID)
        case .requested: cancelsNext = true
        case .idle: cancelsNext = owedResponse
        }
        turn?.interrupted()
        stopVoice()
        userSpeaks = false
        owedResponse = false
    }

    private mutating func cancel(_ responseID: String?) {
        send({ .responseCancel(responseID: responseID, eventID: $0) }, "cancel")
        if let responseID { interrupted.append(responseID) }
    }

    /// Stops what sounds and refuses the rest of every response that could still send audio.
    mutating func stopVoice() {
        var stale: [String] = []
        if let active = sequencer.activeResponse { stale.append(active) }
        if let voice, !stale.contains(voice.responseID) { stale.append(voice.responseID) }
        effects.append(.cancelEarcons)
        guard !stale.isEmpty || voice != nil else { return }
        interrupted.append(contentsOf: stale)
        if interrupted.count > 32 { interrupted.removeFirst(interrupted.count - 32) }
        voice = nil
        effects.append(.stopVoice(responseIDs: stale))
    }

    mutating func voiceReceived(_ responseID: String, at now: Duration) {
        guard !interrupted.contains(responseID) else { return }
        let known = voice?.responseID == responseID ? voice : nil
        let isFiller = known?.isFiller ?? isOnTheWay(responseID)
        turn?.received(isAnswer: !isFiller, at: now)
        effects.append(.cancelEarcons)
        let hasCall = known?.hasCall ?? isFiller
        voice = Voice(responseID: responseID, isFiller: isFiller, hasCall: hasCall, isDone: known?.isDone ?? false)
    }

    mutating func voiceAudible(_ responseID: String, at now: Duration) {
        guard !interrupted.contains(responseID) else { return }
        let isFiller =
            voice?.responseID == responseID ? voice?.isFiller == true : isOnTheWay(responseID)
        turn?.audible(isAnswer: !isFiller, at: now)
    }

    /// The response turns out to hold a call: what it says is said on the way to the answer.
    mutating func becameFiller(_ responseID: String) {
        guard voice?.responseID == responseID, voice?.isFiller == false else { return }
        voice?.isFiller = true
        turn?.becameFiller()
    }

    private mutating func responseDone(_ outcome: ResponseOutcome) {
        sequencer.done(responseID: outcome.id)
        if voice?.responseID == outcome.id { voice?.isDone = true }
        switch outcome.status {
        case .failed, .incomplete, .other:
            note(.responseFailed(status: outcome.status.rawValue, reason: outcome.reason))
            let error = ServerError(type: "response", code: outcome.reason, message: "the response failed")
            if outcome.status == .failed, ErrorClass(error) == .account { serverError(error) }
        case .completed, .cancelled: break
        }
    }

    /// Milliseconds by which the server's own count of an item may fall short of what it has sent.
    private static let truncationMargin = 100

    /// Tells the server what was heard of each part that was cut (`conversation.item.truncate`).
    ///
    /// A session that was opened since knows nothing of the items of the one before.
    mutating func truncate(_ parts: [HeardPart]) {
        guard link == .ready else { return }
        for part in parts where !part.part.itemID.isEmpty && sessionResponses.contains(part.part.responseID) {
            let itemID = part.part.itemID
            if part.heard <= 0 {
                send({ .deleteItem(itemID: itemID, eventID: $0) }, "delete")
            } else {
                // The server refuses what is longer than the item it knows, and its count has been seen to run
                // a little behind what it has sent.
                let known =
                    part.received > 2 * Self.truncationMargin ? part.received - Self.truncationMargin : part.received
                let end = min(part.heard, known)
                let index = part.part.contentIndex
                send({ .truncate(itemID: itemID, contentIndex: index, audioEnd: end, eventID: $0) }, "truncate")
            }
        }
    }
}
