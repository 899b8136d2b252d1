internal import VoiceBase

/// Opening, configuring, losing and closing the session, and changing to the standby.
extension ConversationMachine {
    mutating func activate() {
        switch link.phase {
        case .closed: break
        // A request of the user need not wait for the next probe, and a repeated failure is reported again: the key may have
        // been changed.
        case .refused: break
        case .opening, .configuring, .ready:
            if link.refusal != nil { emit(.play(.error)) }
            return
        }
        guard budgetAllows() else { return }
        begin()
    }

    /// Begins the attempts to open a session, with the service chosen now.
    private mutating func begin() {
        cancel(.reconnect)
        serve(roster.choice(at: now))
        link.open()
        emit(.connect)
    }

    mutating func deactivate() {
        guard !link.isClosed else { return }
        stopVoice()
        authority.withdrawn()
        turn.abandon()
        remarks.conversationEnded()
        endSession()
        link.close()
        calls.abandon()
        memory = TurnMemory(turns: options.sessions.rememberedTurns)
        cancel(.reconnect)
        emit(.disconnect)
    }

    /// The service is connected and receives its settings.
    mutating func sessionOpened(id: String?, ends: Int?) {
        guard link.created(at: now) else { return note(.unexpected("a session that was not awaited")) }
        setUpError = nil
        if id != nil { announceSession(id, ends) }
        send(.open(history: openingHistory))
    }

    mutating func sessionReady(_ readiness: ServiceReadiness) {
        guard link.phase == .configuring else { return }
        if readiness.id != nil || !link.isAnnounced { announceSession(readiness.id, readiness.ends) }
        if !readiness.differing.isEmpty { note(.settingsDiffer(readiness.differing)) }
        if let refused = readiness.refused { return refuse(Self.refusal(of: refused)) }
        settingsInForce()
    }

    private mutating func announceSession(_ id: String?, _ ends: Int?) {
        link.announced()
        note(.sessionOpened(id: id, expiresAt: ends))
    }

    private static func refusal(of setting: String) -> String {
        "the service did not take \(setting) as it was asked for"
    }

    private mutating func settingsInForce() {
        sessionReady()
        emit(.openMicrophone)
    }

    /// The conversation may continue in this session.
    private mutating func sessionReady() {
        link.becameReady()
        noteFieldsLeftOut()
        if remarks.areAllowed, roster.takeNews() {
            if takesText, options.capabilities.saysExactly {
                remarks.queue.add(.words(Self.substituteNotice), at: now)
            } else {
                emit(.announce(Self.substituteNotice))
            }
        }
        carryOver()
        askAgain()
    }

    /// Announced when a substitute service speaks.
    static let substituteNotice =
        "The usual voice service is not available. Another one has taken over until it is back."

    /// The session ended unexpectedly.
    mutating func lost(_ failure: LinkFailure) {
        guard link.isReady || link.isSettingUp else { return }
        if link.isReady, failure.missedSpeech { turn.missedSpeech() }
        if link.mayChange {
            note(.connectionLost(failure, retryIn: .zero))
            return promote()
        }
        let error = setUpError
        // The error came in place of the settings' confirmation, and the service closed the session because of it.
        if link.phase == .configuring, let error { return refuse(Self.refusal(of: error)) }
        var failure = failure
        if link.isSettingUp, let error { failure.reason += " (\(error.line))" }
        // A session that carried the conversation deserves another attempt; one that never became ready does not.
        let isSubstituted = !link.isReady
        endSession()
        guard failure.kind != .permanent else { return refuse(failure.reason) }
        if isSubstituted, substitute(failure.reason) { return }
        let pause = link.lost(failure)
        if link.phase == .refused {
            remarks.queue.drop(.typed)
        } else {
            note(.connectionLost(failure, retryIn: pause))
        }
        restart(.reconnect, after: pause)
    }

    /// The service refuses the client: reports it once and probes again after a long pause.
    private mutating func refuse(_ reason: String) {
        guard !link.isClosed else { return }
        endSession()
        emit(.disconnect)
        if substitute(reason) { return }
        let refusal = link.refused(reason)
        // A typed question fails with the refusal: it does not wait until the service returns.
        remarks.queue.drop(.typed)
        if refusal.isNews { note(.refused(reason: reason)) }
        if refusal.isFirst { emit(.play(.error)) }
        restart(.reconnect, after: refusal.pause)
    }

    /// Replaces the current service, which is unavailable, by another.
    ///
    /// - Returns: false if there is none.
    private mutating func substitute(_ reason: String) -> Bool {
        guard let other = roster.substitute(at: now) else { return false }
        roster.failed(roster.current, at: now)
        note(.serviceReplaced(from: roster.name(roster.current), by: roster.name(other), reason: reason))
        begin()
        return true
    }

    /// Continues with a free service after the budget is spent.
    ///
    /// - Returns: false if there is none.
    mutating func goOnForNothing() -> Bool {
        roster.isSpent = true
        guard roster.hasFree else { return false }
        guard !link.isClosed else { return true }
        let before = roster.current
        let other = roster.choice(at: now)
        guard other != before else { return true }
        // The user did not interrupt the current speech: the other service repeats it.
        remarks.queue.sessionEnded(remarks.prompt, said: WordsSaid())
        stopVoice()
        endSession()
        emit(.disconnect)
        note(.serviceReplaced(from: roster.name(before), by: roster.name(other), reason: "the budget is spent"))
        begin()
        return true
    }

    /// The pause before the next attempt is over.
    mutating func reconnect() {
        guard link.pauseEnded() else { return }
        serve(roster.choice(at: now))
        emit(.connect)
    }

    /// Ends everything that belongs to the session. Calls continue, and received audio is played to its end.
    ///
    /// - Parameter isReplaced: whether the standby has taken over.
    private mutating func endSession(isReplaced: Bool = false) {
        setUpError = nil
        if link.isReady, !isReplaced { emit(.closeMicrophone) }
        if let lost = turn.sessionEnded(memory, at: now) { questionLost(lost) }
        authority.sessionEnded()
        remarks.queue.sessionEnded(remarks.prompt, said: wordsSaidByModel)
        remarks.wishes.sessionEnded(isReplaced: isReplaced)
        keepUnsaid()
        sequencer = ResponseSequencer(after: sequencer)
        sayOurselves(calls.reopen().filter { !remarks.prompt.isOpen($0) }.map(\.aloud), .agent)
        written = WrittenCalls()
        unasked.sessionEnded()
        voice.sessionEnded()
        if !isReplaced, link.sessionEnded() { emit(.dropBeside) }
        // The next session may be ready immediately.
        for timer in ConversationTimer.ofTurns { cancel(timer) }
    }

    /// The question is asked again in the next session. If its words are unknown, or it was asked in two sessions, a tone
    /// signals the loss.
    private mutating func questionLost(_ lost: OpenQuestion) {
        if lost.isRepeated {
            note(.questionGivenUp)
            // Carried as history, the question could end the next session too.
            memory.forget(lost.items)
        } else {
            note(.questionLost(isAskedAgain: lost.text != nil))
        }
        if lost.text == nil { missAnswer() }
    }

    /// The words of the response that speaks. A service without a model reports the spoken sentences itself.
    var wordsSaidByModel: WordsSaid { options.capabilities.rewords ? wordsSaid : WordsSaid() }

    /// After a reconnect, only the unspoken rest of an answer is spoken: speech that was received is played to its end.
    private mutating func keepUnsaid() {
        defer { wordsSaid = WordsSaid() }
        guard options.capabilities.rewords, sequencer.activeResponse == wordsSaid.response else { return }
        for call in calls.unspoken where sequencer.telling.contains(call.call.callID) {
            // An open question is asked again in full.
            guard let output = call.output, output.lateFor == nil, !remarks.prompt.isOpen(output) else { continue }
            calls.said(call.call.callID, first: wordsSaid.count(of: output.sentences))
        }
    }

    // MARK: Handing over to the next session

    /// Passes the latest turns on to the new session.
    private mutating func carryOver() {
        if link.endsEarly, !memory.lines.isEmpty {
            note(.unexpected("session after session ends early: this one is not told what was said before"))
        }
        for line in history { send(.recall(line)) }
    }

    /// The history for services that accept it only when they open.
    private var openingHistory: [ServiceHistoryLine] { openingHistory(options.capabilities) }

    private func openingHistory(_ capabilities: ServiceCapabilities) -> [ServiceHistoryLine] {
        capabilities.history == .opening ? history : []
    }

    private var history: [ServiceHistoryLine] {
        guard !link.endsEarly else { return [] }
        var memory = memory
        if let question = turn.question, question.text != nil { memory.forget(question.items) }
        switch options.sessions.carry {
        case .none: return []
        case .summary: return memory.summary.map { [.summary($0), .end] } ?? []
        case .turns:
            let lines = memory.lines.map { line -> ServiceHistoryLine in
                switch line.speaker {
                case .user: .user(line.heard)
                case .assistant: .assistant(line.heard)
                }
            }
            return lines.isEmpty ? [] : lines + [.end]
        }
    }

    /// Repeats the question in the new session. If its words are unknown, the open-microphone tone asks the user to repeat it.
    private mutating func askAgain() {
        switch turn.takeLostQuestion(within: options.askAgainWithin, at: now) {
        case .none: break
        case .unknown: emit(.play(.listening))
        case .known where !takesQuestions:
            turn.forgetQuestion()
            emit(.play(.listening))
        case .known(let text):
            send(.ask(text))
            authority.askedAgain(at: now)
            sequencer.want()
        }
    }

    // MARK: Errors

    /// Handles an error, which ends the session for good or only spoils an event.
    mutating func serviceError(_ error: ServiceError) {
        switch error.meaning {
        case .account, .configuration:
            refuse(error.line)
        case .expired: giveUp(.expired, "the session reached its maximum duration")
        case .limited, .service:
            note(.serviceError(error))
            limited(error)
        case .activeResponse:
            sequencer.refused(eventID: error.request)
            if remarks.queue.isTelling { remarks.queue.requeueUnheard() }
        case .outputsMissing:
            options.capabilities.answersWhileCalling = false
            requestIsOver()
        case .field:
            leftOut(error.setting)
        case .event:
            fieldsLeftOut += error.setting.map { [$0] } ?? []
            if link.isReady { noteFieldsLeftOut() }
        case .noActiveResponse:
            sequencer.cancelRefused()
        case .settings:
            if link.phase == .configuring {
                refuse(Self.refusal(of: error))
            } else {
                note(.serviceError(error))
            }
        case .race: break
        case .full where link.isSettingUp: giveUp(.transient, error.line)
        case .other, .full:
            note(.serviceError(error))
            if link.isSettingUp { mayBeRefused(error) }
            if sequencer.isOutstanding(error.request) { requestFailed() }
        }
    }

    /// Keeps an error that names no field while a session is set up. If the session does not become ready, this error is
    /// reported as the reason.
    private mutating func mayBeRefused(_ error: ServiceError) {
        setUpError = error
        restart(.setUp, after: min(options.settingsGrace, options.sessions.setUpLimit))
    }

    private static func refusal(of error: ServiceError) -> String {
        "the service rejected the settings: \(error.text.isEmpty ? error.name : error.text)"
    }

    /// The session has not become ready in time.
    mutating func setUpTimedOut(after limit: Duration) {
        guard let error = setUpError else { return giveUp(.transient, "the session was not ready within \(limit)") }
        guard link.phase == .configuring else { return giveUp(.transient, error.line) }
        refuse(Self.refusal(of: error))
    }

    /// The translator leaves the field out from now on: the settings, or the request of a response, are sent again without it.
    private mutating func leftOut(_ field: String?) {
        fieldsLeftOut += field.map { [$0] } ?? []
        switch link.phase {
        case .configuring: send(.open(history: openingHistory))
        case .ready:
            noteFieldsLeftOut()
            if case .requested = sequencer.phase { requestIsOver() }
        case .closed, .opening, .refused: break
        }
    }

    private mutating func noteFieldsLeftOut() {
        guard !fieldsLeftOut.isEmpty else { return }
        note(.fieldsLeftOut(fieldsLeftOut))
        fieldsLeftOut = []
    }

    /// The service is overloaded or has a temporary fault: before a session is ready, the next attempt waits for a while.
    private mutating func limited(_ error: ServiceError) {
        switch link.phase {
        case .ready:
            let isOfAnother = error.request != nil && !sequencer.isOutstanding(error.request)
            guard case .requested = sequencer.phase, !isOfAnother else { return }
            sequencer.abandon()
            retry(after: error.meaning, wanted: error.retryAfter)
        case .opening, .configuring:
            giveUp(error.meaning == .limited ? .limited : .transient, error.line, retryAfter: error.retryAfter)
        case .closed, .refused: break
        }
    }

    /// Abandons a session that is of no further use.
    mutating func giveUp(_ kind: LinkFailure.Kind, _ reason: String, retryAfter: Duration? = nil) {
        emit(.disconnect)
        lost(LinkFailure(kind, reason, retryAfter: retryAfter))
    }

    /// The service ends the session.
    mutating func sessionClosing(_ closing: ServiceClosing, _ reason: String) {
        guard link.isReady || link.isSettingUp else { return }
        switch closing {
        // The end of the connection is handled when it is reported.
        case .asked: break
        case .expired: giveUp(.expired, reason)
        case .refused: refuse(reason)
        case .moderated:
            note(.responseFailed(status: "moderated", reason: reason))
            deactivate()
            emit(.play(.error))
            emit(.announce(Self.moderationNotice))
        case .lost: giveUp(.transient, reason)
        }
    }

    private static let moderationNotice =
        "The voice service has ended this conversation. Call me again to begin another."

    // MARK: The standby session

    /// - Parameter service: a place in the list; nil for the current service.
    mutating func openStandby(of service: Int? = nil) {
        guard link.openStandby() else { return }
        connectBeside(service ?? roster.current)
    }

    private mutating func connectBeside(_ service: Int) {
        if service != roster.beside { emit(.choose(service: service, isBeside: true)) }
        roster.useBeside(service)
        emit(.connectBeside)
    }

    /// Probes a service preferred to the current one: if it works, it takes over in a quiet moment.
    mutating func tryPreferred() { openStandby(of: roster.choice(at: now)) }

    private var isTryingAnother: Bool { link.isReady && roster.beside != roster.current }

    mutating func happenedBeside(_ event: ConversationEvent) {
        guard link.standby != nil else { return }
        switch event {
        case .disconnected(let failure): standbyFailed(failure)
        case .lifetime(let left): link.standbyLasts(left, at: now)
        case .service(let report): reportedBeside(report)
        default: break
        }
    }

    private mutating func reportedBeside(_ report: ServiceReport) {
        switch report {
        case .opened(let id, _):
            guard link.standbyCreated(id: id, at: now) else { break }
            emit(.sendBeside(.open(history: openingHistory(roster.capabilitiesBeside))))
        case .ready(let readiness):
            guard link.standby?.phase == .configuring else { break }
            if let refused = readiness.refused {
                return standbyFailed(LinkFailure(.permanent, Self.refusal(of: refused)))
            }
            link.standbyBecameReady()
        case .trouble(let error):
            switch error.meaning {
            case .account, .configuration, .settings: standbyFailed(LinkFailure(.permanent, error.line))
            case .expired, .limited, .service: standbyFailed(LinkFailure(.transient, error.line))
            case .full: standbyFailed(LinkFailure(.transient, error.line), isFull: true)
            case .field: emit(.sendBeside(.open(history: openingHistory(roster.capabilitiesBeside))))
            case .activeResponse, .noActiveResponse, .race, .outputsMissing, .event, .other: break
            }
        case .closing(.refused, let reason): standbyFailed(LinkFailure(.permanent, reason))
        case .closing(_, let reason): standbyFailed(LinkFailure(.transient, reason))
        default: break
        }
    }

    /// The current session continues; the next is retried after a growing pause.
    ///
    /// - Parameter isFull: the service cannot hold a session beside the current one, which has to end first.
    mutating func standbyFailed(_ failure: LinkFailure, isFull: Bool = false) {
        emit(.dropBeside)
        if isFull, !isTryingAnother { return link.endsBeforeNext() }
        guard !isTryingAnother else {
            roster.failed(roster.beside, at: now)
            return link.standbyWasATry()
        }
        guard link.standbyFailed(at: now) else { return }
        note(.rotationFailed(reason: failure.reason))
    }

    /// Whether the session could end now without loss; calls may be running.
    private var mayEnd: Bool { link.isReady && turn.isIdle && sequencer.isIdle && !calls.isWaiting }
    private var mayPromote: Bool { link.mayChange && turn.isIdle && sequencer.isIdle }

    /// The service allows one session: the current one ends in a quiet moment, and the next is opened in its place.
    mutating func replaceSession() {
        guard mayEnd else { return }
        endSession()
        emit(.disconnect)
        link.replaced()
        emit(.connect)
    }

    /// Changes sessions in a silent moment, because the current one is about to end.
    mutating func settleSwap() {
        if link.mustSwap, mayPromote { promote() }
    }

    /// The standby takes over.
    mutating func promote() {
        guard let next = link.promote() else { return }
        endSession(isReplaced: true)
        let before = roster.current
        serve(roster.beside)
        emit(.promote)
        if roster.current == before {
            note(.sessionSwapped(id: next.id))
        } else {
            note(.serviceReplaced(from: roster.name(before), by: roster.name(roster.current), reason: nil))
        }
        sessionReady()
    }
}
