internal import VoiceBase

/// The user's turns, the model's voice, and one interrupting the other.
extension ConversationMachine {
    mutating func heard(_ event: ServerEvent) {
        switch event {
        case .sessionCreated(let id, let expiresAt): sessionCreated(id: id, expiresAt: expiresAt)
        case .sessionUpdated(let inForce): sessionUpdated(inForce)
        case .speechStarted(let itemID, _): speechStarted(itemID)
        case .speechStopped: speechStopped()
        case .itemAdded(_, let kind, let callID, _):
            guard kind == "function_call_output", let wireID = callID else { break }
            for callID in calls.delivered(wireID: wireID, session: session) {
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

    private mutating func speechStarted(_ itemID: String) {
        guard link == .ready else { return }
        hearsUser = true
        // Each turn has its own time.
        if timers.remove(.speech) != nil { effects.append(.cancelTimer(.speech)) }
        guard !discardsSpeech(itemID) else { return }
        stopped.isSilent = false
        if state != .listening { turn?.interrupted() }
        stopVoice()
        authority.turnBegan(itemID, at: now)
        userSpeaks = true
        // The response that was owed will not come any more: the next one answers what is being said now.
        cancelsOwed = false
        awaitsUnwanted = false
        var asked = question ?? OpenQuestion()
        asked.add(itemID)
        asked.isBegun = false
        question = asked
        memory.began(itemID, by: .user)
        endTurn()
    }

    private mutating func speechStopped() {
        guard link == .ready else { return }
        hearsUser = false
        if stopped.isDiscarding {
            stopped.isDiscarding = false
            // The service knows nothing of "stop": it will answer.
            expectUnwanted()
        }
        guard userSpeaks else { return }
        userSpeaks = false
        owedResponse = true
        authority.turnEnded(at: now)
        failures = 0
        unasked.last = nil
        turns += 1
        turn = TurnClock(number: turns, ended: now)
    }

    private mutating func responseCreated(_ id: String, _ clientEventID: String?) {
        let wasOwed = owedResponse
        owedResponse = false
        unanswered = 0
        sessionResponses.append(id)
        if sessionResponses.count > 32 { sessionResponses.removeFirst() }
        let begun = sequencer.created(responseID: id, clientEventID: clientEventID)
        let isAmbiguous = clientEventID == nil && wasOwed
        if begun.isOurs { unasked.began(id, isAmbiguous: isAmbiguous) }
        authority.began(id, isOurs: begun.isOurs && !isAmbiguous, telling: sequencer.telling, at: now)
        // A response that we asked for may begin when the user does: two would speak at once.
        // Where the service does not say whose it is, it may be the one that nobody wants.
        let isOwed = !begun.isOurs || clientEventID == nil
        let isOfStopped = stopped.isSilent && !begun.isOurs
        let isUnwanted = begun.isOurs && (begun.isSilenced || userSpeaks) || cancelsOwed && isOwed || isOfStopped
        if !begun.isOurs || isOwed && !begun.isSilenced {
            cancelsOwed = false
            awaitsUnwanted = false
        }
        if isUnwanted { refuse(response: id) }
    }

    mutating func cancelResponse() {
        guard case .now(let responseID) = sequencer.cancel() else { return }
        send({ .responseCancel(responseID: responseID, eventID: $0) }, "cancel")
        if let responseID { interrupted.append(responseID) }
    }

    /// Stops what sounds and refuses the rest of every response that could still send audio.
    ///
    /// - Parameter always: also where nothing is known to sound: the first of it may be on its way here.
    mutating func stopVoice(always: Bool = false) {
        var stale: [String] = []
        if let active = sequencer.activeResponse { stale.append(active) }
        if let voice, !stale.contains(voice.responseID) { stale.append(voice.responseID) }
        effects.append(.cancelEarcons)
        if always { stale += sessionResponses.filter { !stale.contains($0) } }
        guard !stale.isEmpty || voice != nil || always else { return }
        interrupted.append(contentsOf: stale)
        if interrupted.count > 64 { interrupted.removeFirst(interrupted.count - 64) }
        if let voice { authority.interrupted(voice.responseID) }
        voice = nil
        effects.append(.stopVoice(responseIDs: stale))
    }

    mutating func voiceReceived(_ responseID: String) {
        guard !interrupted.contains(responseID) else { return }
        let known = voice?.responseID == responseID ? voice : nil
        let isFiller = known?.isFiller ?? isOnTheWay(responseID)
        turn?.received(isAnswer: !isFiller, at: now)
        voiced = responseID
        question?.isBegun = true
        effects.append(.cancelEarcons)
        let hasCall = known?.hasCall ?? isFiller
        voice = Voice(responseID: responseID, isFiller: isFiller, hasCall: hasCall, isDone: known?.isDone ?? false)
    }

    /// Speech is over with its last sample, and its response with its end; one that runs no more has ended unheard.
    mutating func settleVoice() {
        guard let speaking = voice else { return }
        if !speaking.isDone, !sequencer.mayRun(speaking.responseID) { voice?.isDone = true }
        guard voice?.isDone == true, speaking.isDrained else { return }
        authority.played(speaking.responseID, at: now)
        voice = nil
    }

    mutating func voiceAudible(_ responseID: String) {
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
        let wasStopped = isStopped(outcome.id)
        beginRest(of: outcome)
        let wasVoiced = voiced == outcome.id
        // Cut before the first word, by a user who may only have coughed: what it was to tell is still to be told.
        let isUnheard = (outcome.status == .cancelled || outcome.status == .failed) && !wasVoiced
        let wasToTell = sequencer.isTelling
        let wasRunning = sequencer.done(
            responseID: outcome.id,
            clientEventID: outcome.clientEventID,
            isSpoken: !isUnheard
        )
        if voice?.responseID == outcome.id { voice?.isDone = true }
        defer { authority.ended(outcome.id, isTriedAgain: outcome.status == .failed) }
        switch outcome.status {
        case .completed:
            authority.completed(outcome.id)
            backoff.reset()
            failures = 0
            brokenTurns = 0
            if !userSpeaks, !owedResponse { question = nil }
        case .cancelled:
            guard wasRunning, !userSpeaks, !owedResponse else { break }
            question = nil
            // Nobody has spoken: a service that does so again and again is not asked for ever.
            if isUnheard, wasToTell { retry(after: .service) }
        case .failed:
            note(.responseFailed(status: outcome.status.rawValue, reason: outcome.reason))
            responseFailed(ErrorClass(code: outcome.reason), outcome, isOurs: wasRunning && !wasStopped)
        case .incomplete, .other:
            note(.responseFailed(status: outcome.status.rawValue, reason: outcome.reason))
            if !wasVoiced, wasRunning, !wasStopped { effects.append(.play(.error)) }
            question = nil
        }
    }

    private mutating func responseFailed(_ failure: ErrorClass, _ outcome: ResponseOutcome, isOurs: Bool) {
        if failure.isFatal {
            return serverError(ServerError(type: "response", code: outcome.reason, message: "the response failed"))
        }
        guard isOurs, link == .ready, !userSpeaks, !owedResponse, !interrupted.contains(outcome.id) else { return }
        retry(after: failure)
    }

    /// Milliseconds by which the server's own count of an item may fall short of what it has sent.
    private static let truncationMargin = 100

    /// Tells the server what was heard of each part that was cut (`conversation.item.truncate`).
    ///
    /// A session that was opened since knows nothing of the items of the one before.
    mutating func truncate(_ parts: [HeardPart]) {
        // A response may have begun to sound before the cut was done: it went with the rest, and never ends by itself.
        if let lost = voice?.responseID, parts.contains(where: { $0.part.responseID == lost }) {
            interrupted.append(lost)
            voice = nil
        }
        guard link == .ready else { return }
        var deleted: Set<String> = []
        for part in parts where !part.part.itemID.isEmpty && sessionResponses.contains(part.part.responseID) {
            let itemID = part.part.itemID
            if part.received > 0 { memory.cut(itemID, share: Double(part.heard) / Double(part.received)) }
            if !part.isItemHeard {
                guard deleted.insert(itemID).inserted else { continue }
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
