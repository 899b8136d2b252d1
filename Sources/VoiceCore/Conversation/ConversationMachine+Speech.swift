internal import VoiceBase

/// The user's turns, the model's speech, how one interrupts the other, and "stop".
extension ConversationMachine {
    static let stoppedOutput = "Not done: the user has stopped this request. Do not speak of it."

    mutating func heard(_ report: ServiceReport) {
        switch report {
        case .opened(let id, let ends): sessionOpened(id: id, ends: ends)
        case .ready(let readiness): sessionReady(readiness)
        case .closing(let closing, let reason): sessionClosing(closing, reason)
        case .userStarted(let itemID, _): speechStarted(itemID)
        case .userStopped(_, let ago): speechStopped(at: now - ago)
        case .userTurn(let itemID, _):
            authority.turnCommitted(itemID)
            committed(itemID)
        case .heard(let itemID, _, let text, isWhole: true):
            memory.said(text, in: itemID)
            note(.heard(text))
            if text.allSatisfy(\.isWhitespace) { turn.hadNoWords(itemID) }
        case .notHeard(_, let reason): note(.unexpected("transcription failed: \(reason)"))
        case .answerPlaced(let wireID):
            calls.placed(wireID: wireID)
            for callID in calls.delivered(wireID: wireID, session: link.number) {
                sequencer.outputConfirmed(callID: callID)
            }
        case .answerWaits(let wireID): answerWaits(wireID)
        case .answerSaid(let wireID, let response, let sentence, let isWhole):
            calls.said(wireID: wireID, by: response, sentence: sentence, isWhole: isWhole)
        case .responseBegan(let id, let request): responseBegan(id, request)
        case .reminds(let id): authority.reminds(id)
        case .speaks(let response, let itemID): memory.began(itemID, by: .assistant, in: response)
        case .said(let response, _, _, let text, isWhole: false): wordsSaid.said(text, by: response, isWhole: false)
        case .said(let response, let itemID, _, let text, isWhole: true):
            wordsSaid.said(text, by: response, isWhole: true)
            memory.said(text, in: itemID)
            note(.spoken(text))
        case .responseEnded(let end): responseEnded(end)
        case .callBegan(let responseID, let itemID, let call):
            if let call { written.begun(call, itemID: itemID, of: responseID) }
            becameFiller(responseID)
        case .callWritten(let responseID, let itemID, let call): written.ended(call, itemID: itemID, of: responseID)
        case .call(let responseID, let call, let isComplete):
            begin(call, responseID: responseID, isComplete: isComplete)
        case .interrupted(let responseID): if voice.speech?.responseID == responseID { stopVoice() }
        case .toolNews(let tool, let status):
            note(.serviceTool(tool, status: status))
            // The service is acting on the question: repeated in another session, it might act twice.
            turn.forgetQuestion()
        case .trouble(let error): serviceError(error)
        case .nearlyFull:
            link.isFull(at: now)
            cancel(.rotate)
        case .dropped(let source): missed(source)
        case .news(let what): note(.news(what))
        case .heard, .placed, .audioEnded, .responseGoesOn, .charged, .unknown: break
        }
    }

    // MARK: The user

    private mutating func speechStarted(_ itemID: String) {
        guard link.isReady else { return }
        guard turn.speechStarted(itemID, at: now) else { return }
        if state != .listening { turn.clock?.interrupted(at: now) }
        stopVoice()
        authority.turnBegan(itemID, at: now)
        memory.began(itemID, by: .user)
        endTurn()
    }

    /// - Parameter end: when the user stopped, which may be long before the service says so.
    private mutating func speechStopped(at end: Duration) {
        guard link.isReady, turn.speechStopped(at: end) else { return }
        authority.turnEnded(at: now)
        unasked.userSpoke()
        if turn.takeEarlyFailure() { retry(after: .service) }
    }

    /// The user's turn became an item of the conversation.
    private mutating func committed(_ itemID: String) {
        if link.isReady, turn.committed(itemID) { delete(itemID) }
    }

    private mutating func delete(_ itemID: String) {
        send(.forget(item: itemID))
    }

    // MARK: Responses

    /// Treats the first event of a response as its beginning if the service does not announce one.
    ///
    /// - Parameter isSure: whether the event is certainly of this session and not the end of a response. Needed for
    ///   services that do announce beginnings, if one is missing.
    mutating func adopt(_ responseID: String?, isSure: Bool) {
        guard link.isReady, let responseID, !responseID.isEmpty, !voice.knows(responseID) else { return }
        if options.capabilities.responseBounds == .bothReported {
            guard isSure, sequencer.isFree else { return }
        }
        responseBegan(responseID, nil)
    }

    private mutating func responseBegan(_ id: String, _ request: String?) {
        voice.responseBegan(id)
        let begun = sequencer.created(responseID: id, clientEventID: request)
        let isNamed = request != nil
        let verdict = turn.responseBegan(id, isOurs: begun.isOurs, isSilenced: begun.isSilenced, isNamed: isNamed)
        let isAmbiguous = !isNamed && verdict.wasOwed
        if begun.isOurs {
            unasked.began(id, isAmbiguous: isAmbiguous)
            remarks.queue.began(id)
        }
        authority.began(id, isOurs: begun.isOurs && !isAmbiguous, telling: sequencer.telling, at: now)
        if verdict.isUnwanted { refuse(response: id) }
    }

    private mutating func responseEnded(_ end: ResponseEnd) {
        let wasStopped = isStopped(end.response)
        beginRest(of: end)
        let wasVoiced = voice.wasVoiced(end.response)
        let words = wasVoiced ? "" : wordsSaid.text(of: end.response) ?? end.words
        let isOver = end.status != .cancelled && end.status != .failed
        let isMissed = isOver && !wasVoiced && !wasStopped && isMissed(end.response, words)
        let isSaidHere = isMissed && options.hasLocalVoice && words.isSayable && maySayOurselves(end.response)
        // A failed response may have spoken of its failure. A response that was cut before its first word, by a user
        // who may only have coughed, still has to be said.
        let isUnheard =
            end.status == .failed || !wasVoiced && (end.status == .cancelled || isMissed) && !isSaidHere
        let wasToTell = sequencer.isTelling
        let wasRemark = remarks.queue.isTold(by: end.response)
        if end.status != .completed, !isUnheard, sequencer.mayRun(end.response) {
            calls.cut(end.response, telling: sequencer.telling)
        }
        let wasRunning = sequencer.done(
            responseID: end.response, clientEventID: end.request, isSpoken: !isUnheard
        )
        voice.responseEnded(end.response)
        if !wasVoiced, !isSaidHere { memory.wasUnheard(end.response) }
        let isHeard = wasVoiced || isSaidHere || end.status == .completed && !options.capabilities.namesItems
        // A service without a model reports the spoken sentences itself.
        let continues = options.capabilities.rewords
        if let rest = remarks.queue.ended(end, isHeard: isHeard, said: wordsSaid, continues: continues),
            unasked.last != nil
        {
            unasked.repeats(.init(purpose: .remark, words: .tell(rest, .exactly)))
        }
        defer { authority.ended(end.response, isTriedAgain: end.status == .failed) }
        switch end.status {
        case .completed:
            authority.completed(end.response)
            remarks.prompt.sessionWorks()
            calls.completed(end.response)
            link.proved()
            if isSaidHere {
                note(.silentResponse(hadWords: true))
                sayOurselves([words], .agent)
            } else if isMissed, wasRunning {
                return wasSilent(end.response, words, wasToTell: wasToTell, wasRemark: wasRemark)
            }
            turn.answered(by: end.response)
        case .cancelled:
            turn.wasCancelled(end.response)
            guard wasRunning, turn.isIdle else { break }
            turn.forgetQuestion()
            // The user has not spoken: a service that does this repeatedly is not asked forever.
            if isUnheard, wasToTell { retry(after: .service) }
        case .failed:
            note(.responseFailed(status: end.status.rawValue, reason: end.line))
            if wasRunning, !wasToTell, turn.isUserSpeaking, options.capabilities.turns == .service {
                turn.failedEarly()
            }
            // A remark that was said to its end is not requested again.
            let isLeft = !wasRemark || remarks.queue.isTelling
            responseFailed(end, isOurs: wasRunning && !wasStopped && isLeft, words)
        case .incomplete, .other:
            note(.responseFailed(status: end.status.rawValue, reason: end.line))
            turn.forgetQuestion()
            if wasVoiced, wasRunning, !wasStopped, end.status == .incomplete { brokenOff = end.response }
            guard !wasVoiced, wasRunning, !wasStopped else { break }
            if isSaidHere { return sayOurselves([words], .agent) }
            if isMissed, wasToTell { return retry(after: .service, ofOutputs: true) }
            missAnswer()
        }
    }

    /// Whether the user misses a response without a sound: the user did not silence it, and it led to no call. The
    /// translators of services without names make silent responses themselves, but no words.
    private func isMissed(_ responseID: String, _ words: String) -> Bool {
        (options.capabilities.namesItems || !words.isEmpty) && !voice.isSilenced(responseID)
            && (!turn.isUserSpeaking || turn.isEarly(responseID))
            && !calls.knows(responseID: responseID, session: link.number)
    }

    /// Whether the local voice may say the words of the response. Not if it asks for a permission: only the service
    /// knows how much of that question was heard.
    private func maySayOurselves(_ responseID: String) -> Bool {
        let told = calls.unspoken.filter { sequencer.telling.contains($0.call.callID) }.compactMap(\.output)
        return sequencer.mayRun(responseID) && !told.contains(where: remarks.prompt.isOpen)
    }

    /// A response has ended well without a sound. An answer of the agent, and one that was written instead of spoken, is
    /// requested once more; otherwise the user learns that there is none.
    ///
    /// - Parameters:
    ///   - words: the words that the response wrote.
    ///   - wasRemark: whether it was to tell an entry of the queue, which is told again anyway.
    private mutating func wasSilent(_ responseID: String, _ words: String, wasToTell: Bool, wasRemark: Bool) {
        let hadWords = !words.isEmpty
        let isAwaited = wasToTell || turn.question != nil && !turn.isVoiceless
        guard hadWords || isAwaited else { return turn.answered(by: responseID) }
        note(.silentResponse(hadWords: hadWords))
        if wasToTell { return retry(after: .service, ofOutputs: true, words: words) }
        if hadWords, !wasRemark, let wish = wish(Self.writtenAnswer, plainly: nil) {
            unasked.repeats(.init(purpose: .remark, words: wish))
            return retry(after: .service, words: words)
        }
        turn.answered(by: responseID)
        guard options.saysUnheard, !wasRemark, words.isSayable else { return missAnswer() }
        sayOurselves([words], .agent)
    }

    static let writtenAnswer = """
        Your last answer was written and not spoken, so the user has heard nothing. Do not call a function: say that answer \
        aloud.
        """

    private mutating func responseFailed(_ end: ResponseEnd, isOurs: Bool, _ words: String) {
        if end.failure.isFatal {
            let name = end.reason ?? "response"
            return serviceError(ServiceError(end.failure, name: name, text: end.text ?? "the response failed"))
        }
        guard isOurs, link.isReady, turn.isIdle, !voice.isSilenced(end.response) else { return }
        retry(after: end.failure, words: words, wanted: end.retryAfter)
    }

    /// Refuses an unwanted response, before its first word.
    private mutating func refuse(response responseID: String) {
        turn.stop(responses: [responseID])
        cancelResponse()
        // An earlier response that is still playing is cut as well.
        cutVoice()
    }

    private mutating func cancelResponse() {
        guard case .now(let responseID) = sequencer.cancel() else { return }
        send(.cancel(response: responseID))
        if let responseID { voice.silence(responseID) }
    }

    // MARK: The voice

    mutating func voiceReceived(_ responseID: String) {
        guard let isFiller = voice.received(responseID, isOnTheWay: isOnTheWay(responseID)) else { return }
        turn.clock?.received(isAnswer: !isFiller, at: now)
        turn.answerBegan()
        emit(.cancelEarcons)
    }

    /// The box speaks with its own voice: the user may interrupt it like any speech, but it is not an answer, and no response
    /// that the service would have to end.
    mutating func boxSpeaks(_ name: String) {
        if voice.boxSpeaks(name) { emit(.cancelEarcons) }
    }

    mutating func voiceAudible(_ responseID: String) {
        guard !voice.isSilenced(responseID), !SpokenPart.isOfBox(responseID) else { return }
        authority.audible(responseID)
        let isFiller = voice.isFiller(responseID, isOnTheWay: isOnTheWay(responseID))
        turn.clock?.audible(isAnswer: !isFiller, at: now)
    }

    /// Whether the response is an acknowledgement: it holds a call, reports a long one, or is a filler of the service.
    private func isOnTheWay(_ responseID: String) -> Bool {
        calls.contains(responseID: responseID, session: link.number) || remarks.wishes.isNotice(responseID)
            || options.capabilities.fillsSilence && calls.isWaiting
    }

    /// The response holds a call, so its speech is an acknowledgement.
    mutating func becameFiller(_ responseID: String) {
        if voice.becameFiller(responseID) { turn.clock?.becameFiller() }
    }

    mutating func settleVoice() {
        guard let played = voice.settle(sequencer) else { return }
        authority.played(played, at: now)
        guard played == brokenOff else { return }
        brokenOff = nil
        emit(.play(.error))
    }

    /// Stops playback and refuses the rest of every response that could still send audio.
    ///
    /// - Parameter always: stops even if nothing is known to be playing, as the first audio may be on its way.
    mutating func stopVoice(always: Bool = false) {
        emit(.cancelEarcons)
        cutVoice(always: always)
    }

    private mutating func cutVoice(always: Bool = false) {
        guard let cut = voice.cut(active: sequencer.activeResponse, always: always) else { return }
        if let sounding = cut.sounding {
            authority.interrupted(sounding)
            remarks.queue.wasCut(sounding)
            wordsSaid.wasCut(sounding)
        }
        emit(.stopVoice(responseIDs: cut.stale))
    }

    /// Notifies the service how much was heard of each cut part.
    ///
    /// A newer session does not know the items of the previous one.
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
            send(.truncate(item: itemID, part: part.part.contentIndex, heard: part.heard, of: part.received))
        }
    }

    // MARK: Interruption and "stop"

    /// The user interrupts, or says only "Jarvis": the answers of calls are still wanted, and any current speech is a turn.
    mutating func interrupt() {
        turn.endAtPause()
        silence()
        remarks.queue.forgetCurrent()
        if !turn.isUserSpeaking { turn.forgetQuestion() }
    }

    /// "Stop": in any state, with or without a connection, there is silence immediately. Nothing that was asked is said, asked
    /// again, or left to the agent.
    mutating func stop(isSpoken: Bool) {
        turn.stop(responses: voice.responses)
        silence(always: true)
        emit(.forgetMicrophone)
        emit(.cancelCalls)
        withdrawCalls()
        // Its reports of waiting answers may still be on the way.
        if link.isReady { send(.dropSpeech) }
        authority.withdrawn()
        remarks.takeBack()
        let taken = turn.takeBack(isSpoken: isSpoken, inSession: link.isReady, at: now)
        memory.forget(taken.items)
        if taken.isHeard { send(.clearInput) }
        for itemID in taken.deleted { delete(itemID) }
    }

    /// The turn was ended too early: withdraws its call and says nothing of it.
    mutating func supersede() {
        guard link.isReady, calls.isWaiting || turn.question != nil || sequencer.wantsResponse else { return }
        silence()
        emit(.cancelCalls)
        withdrawCalls()
        authority.withdrawn()
        turn.forgetQuestion()
    }

    /// Silences all current and pending speech; results still to be spoken count as spoken.
    private mutating func silence(always: Bool = false) {
        turn.silenced(inSession: link.isReady, at: now)
        if link.isReady {
            cancelResponse()
            sequencer.forget()
        }
        stopVoice(always: always)
    }

    /// Whether calls of this response must not be made.
    func isStopped(_ responseID: String) -> Bool {
        if turn.isStopped(response: responseID) { return true }
        // A response that was cancelled before its name was known.
        return sequencer.phase == .cancelling(responseID: nil) && !voice.knows(responseID)
    }
}
