internal import VoiceBase

/// Opening, configuring, losing and closing the session.
extension ConversationMachine {
    mutating func activate() {
        guard link != .refused else { return tryRefusedAgain() }
        if refusal != nil { effects.append(.play(.error)) }
        guard link == .closed, budgetAllows() else { return }
        backoff.reset()
        if adoptWarm() { return }
        link = .opening
        effects.append(.connect)
    }

    /// Who asks need not wait for the next look, and what comes of it is told anew: the key may have been changed.
    private mutating func tryRefusedAgain() {
        guard budgetAllows() else { return }
        timers.remove(.reconnect).map { effects.append(.cancelTimer($0)) }
        backoff.reset()
        refusal = nil
        link = .opening
        effects.append(.connect)
    }

    mutating func deactivate() {
        guard link != .closed else { return }
        stopVoice()
        authority.withdrawn()
        // It ends on purpose: nothing is lost.
        userSpeaks = false
        question = nil
        announcements.clear()
        typed.clear()
        closeSession()
        link = .closed
        refusal = nil
        calls.abandon()
        memory = TurnMemory(turns: options.rememberedTurns)
        timers.remove(.reconnect).map { effects.append(.cancelTimer($0)) }
        effects.append(.disconnect)
    }

    mutating func sessionCreated(id: String?, expiresAt: Int?) {
        // While the next attempt is waited for, it is an echo of the last one.
        guard link == .opening, !timers.contains(.reconnect) else { return note(.unexpected("session.created")) }
        session += 1
        link = .configuring
        opened = now
        ends = options.sessionLifetime.map { now + $0 }
        note(.sessionOpened(id: id, expiresAt: expiresAt))
        let settings = options.settings
        send({ .sessionUpdate(settings, eventID: $0) }, "settings")
        if !settings.dialect.confirmsSettings { settingsInForce() }
    }

    mutating func sessionUpdated(_ inForce: JSONValue) {
        guard link == .configuring else { return }
        let differences = options.settings.differences(from: inForce)
        if !differences.isEmpty { note(.settingsDiffer(differences.map(\.path))) }
        if let worst = differences.first(where: \.isFatal) {
            return refuse("the service did not take \(worst.path) as it was asked for")
        }
        settingsInForce()
    }

    mutating func settingsInForce() {
        sessionReady()
        effects.append(.openMicrophone)
    }

    /// The conversation may go on in this session.
    mutating func sessionReady() {
        link = .ready
        refusal = nil
        forgetTrouble()
        rotateAt = rotation(opened: opened, ends: ends)
        carryOver()
        askAgain()
    }

    /// A session ended that was not asked to.
    mutating func lost(_ failure: LinkFailure) {
        guard link != .closed, link != .refused, !timers.contains(.reconnect) else { return }
        if link == .ready, failure.missedSpeech { question = question ?? OpenQuestion() }
        if link == .ready, standby?.phase == .ready {
            note(.connectionLost(reason: failure.reason, retryIn: .zero))
            return promote()
        }
        closeSession()
        switch failure.kind {
        case .permanent: return refuse(failure.reason)
        case .expired, .transient, .limited: break
        }
        failed(failure.reason, isRefusal: false)
        if refusal != nil {
            // It was only a look whether the service takes us again.
            link = .refused
            typed.clear()
            return startReconnect(after: options.probePause)
        }
        link = .opening
        let pause = pause(after: failure)
        note(.connectionLost(reason: failure.reason, retryIn: pause))
        startReconnect(after: pause)
    }

    private mutating func pause(after failure: LinkFailure) -> Duration {
        if failure.kind == .expired, backoff.attempts == 0 {
            _ = backoff.next()
            return .zero
        }
        let pause = backoff.next()
        let wanted = failure.retryAfter.map { min($0, options.limitedLongest) }
        return (wanted ?? (failure.kind == .limited ? options.limitedPause : .zero)) + pause
    }

    /// The service will not have us: say so once, and look again after a long pause.
    mutating func refuse(_ reason: String) {
        guard link != .closed else { return }
        closeSession()
        link = .refused
        // Who typed is told of the refusal; nobody waits until it is over.
        typed.clear()
        failed(reason, isRefusal: true)
        effects.append(.disconnect)
        if refusal != reason { note(.refused(reason: reason)) }
        if refusal == nil { effects.append(.play(.error)) }
        refusal = reason
        startReconnect(after: options.probePause)
    }

    /// What is true of a session is over with it. Calls go on, and audio that came in is played to its end.
    mutating func closeSession(keepsMicrophone: Bool = false) {
        if link == .ready, !keepsMicrophone { effects.append(.closeMicrophone) }
        questionLost()
        authority.sessionEnded()
        userSpeaks = false
        hearsUser = false
        stopped = StoppedTurn()
        interrupted = []
        owedResponse = false
        cancelsOwed = false
        awaitsUnwanted = false
        wishes.sessionEnded(isReplaced: keepsMicrophone)
        sequencer = ResponseSequencer(after: sequencer)
        calls.reopen()
        written = WrittenCalls()
        unasked.sessionEnded()
        retryAfter = nil
        failures = 0
        unanswered = 0
        sessionResponses = []
        voice?.isDone = true
        mustSwap = false
        rotateAt = nil
        ends = nil
        dropStandby()
        // The next session may be ready at once.
        for timer in ConversationTimer.ofTurns { timers.remove(timer).map { effects.append(.cancelTimer($0)) } }
    }

    private mutating func startReconnect(after pause: Duration) {
        if !timers.insert(.reconnect).inserted { effects.append(.cancelTimer(.reconnect)) }
        effects.append(.startTimer(.reconnect, pause))
    }

    // MARK: The question that was on its way

    /// The session takes with it what the user said last: keep the words where they are known, else let it be heard
    /// that something was lost.
    private mutating func questionLost() {
        if userSpeaks { question = question ?? OpenQuestion() }
        guard var lost = question, lost.lostAt == nil else { return }
        lost.lostAt = now
        lost.text = userSpeaks || lost.isBegun ? nil : lost.text ?? memory.words(of: lost.items)
        note(.questionLost(isAskedAgain: lost.text != nil))
        if lost.text == nil { effects.append(.play(.error)) }
        question = lost
    }

    /// Puts the question to the new session; without its words, the tone of the open microphone asks the user for it.
    private mutating func askAgain() {
        guard let lostAt = question?.lostAt else { return }
        guard let text = question?.text, now - lostAt <= options.askAgainWithin else {
            question = nil
            return effects.append(.play(.listening))
        }
        question?.lostAt = nil
        send({ .userMessage(text: text, eventID: $0) }, "question")
        authority.askedAgain(at: now)
        sequencer.want()
    }

    // MARK: Errors

    /// An error that ends the session for good, or one that only spoils an event.
    mutating func serverError(_ error: ServerError) {
        let meaning = ErrorClass(error)
        switch meaning {
        case .account, .configuration:
            refuse("\(error.code ?? error.type): \(error.message)")
        case .expired:
            effects.append(.disconnect)
            lost(LinkFailure(.expired, "the session reached its maximum duration"))
        case .limited, .service:
            note(.serverError(error))
            limited(error, meaning)
        case .activeResponse:
            sequencer.refused(eventID: error.eventID)
        case .noActiveResponse:
            sequencer.cancelRefused()
        case .settings:
            if link == .configuring {
                refuse("the service rejected the settings: \(error.message)")
            } else {
                note(.serverError(error))
            }
        case .race: break
        case .other:
            note(.serverError(error))
            if sequencer.isOutstanding(error.eventID) { requestFailed() }
        }
    }

    /// The service has too much to do, or a bad moment: before a session is ready it is left alone for a while.
    private mutating func limited(_ error: ServerError, _ meaning: ErrorClass) {
        if link == .ready {
            guard case .requested = sequencer.phase else { return }
            sequencer.abandon()
            retry(after: meaning)
        } else if link == .opening || link == .configuring {
            effects.append(.disconnect)
            lost(LinkFailure(meaning == .limited ? .limited : .transient, "\(error.type): \(error.message)"))
        }
    }
}
