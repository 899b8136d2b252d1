internal import VoiceBase
internal import VoiceReply

/// The state machine of the conversation: turns events into effects. No I/O, no clock, no task.
///
/// It keeps facts (is a session ready, is the user speaking, which response is running, what is being played, which calls
/// are out) and derives the state from them after every event, so no order of events can leave a state the facts do not
/// support. `handle` returns the effects in order; the owner performs them.
///
/// Each kind of fact has an owner with its own vocabulary: `SessionLink` the sessions, `Turn` the user's turn, `ModelVoice`
/// the speech being played, `ResponseSequencer` the responses, `PendingCalls` the calls, `Authority` whose word counts,
/// `Remarks` what waits for a quiet moment. The machine notifies each of what concerns it, and asks what follows.
///
/// It knows no particular service, only what a service reports, accepts and can do. Its rules: the microphone stays closed
/// until the settings are in force; one response at a time writes to the conversation; a call starts when it is complete,
/// is answered once, and is spoken about by exactly one requested response; when the user interrupts, the service cancels
/// its own response and is notified how much of it was heard. Sessions are short-lived: the next is opened beside the
/// current one and takes over in a quiet moment.
package struct ConversationMachine: Sendable {
    package internal(set) var options: Options
    /// Monotonic time of the event being handled.
    private(set) var now = Duration.zero

    package internal(set) var link: SessionLink
    var roster: ServiceRoster
    var turn = Turn()
    var voice = ModelVoice()
    var sequencer = ResponseSequencer()
    var calls = PendingCalls()
    /// Calls the service has written but not reported as complete.
    var written = WrittenCalls()
    var unasked = UnaskedResponses()
    var rounds = ToolRounds()
    var wordsSaid = WordsSaid()
    /// The response that breaks off in mid-sentence: a tone follows its sound.
    var brokenOff: String?
    /// Whose word is behind the model's actions.
    var authority: Authority
    /// The turns that the next session receives.
    var memory: TurnMemory
    var remarks = Remarks()
    var hold = BudgetHold()
    /// Fields the service refused while its session was set up.
    var fieldsLeftOut: [String] = []
    /// The latest error of the service while its session was set up, which may be its answer to the settings.
    var setUpError: ServiceError?

    // Pending effects.
    private(set) var timers: Set<ConversationTimer> = []
    private var effects: [ConversationEffect] = []
    private var nextRequest = 0

    package private(set) var state: ConversationState = .idle

    package init(options: Options) {
        self.options = options
        link = SessionLink(options)
        let first = ServiceRoster.Service(
            name: options.service, capabilities: options.capabilities, sessions: options.sessions
        )
        roster = ServiceRoster([first] + options.substitutes)
        authority = Authority(promptLimit: options.promptLimit)
        memory = TurnMemory(turns: options.sessions.rememberedTurns)
    }

    /// Counts the user's turns.
    package var turns: Int { turn.number }

    /// Why the service was last unavailable; nil when it is reachable.
    package var trouble: ServiceTrouble? { link.trouble }

    /// Notes that no session could be opened, although none was wanted yet.
    package mutating func missed(_ failure: LinkFailure) { link.missed(failure) }

    /// Forgets earlier failures, because the key was changed.
    package mutating func forgetTrouble() {
        link.forgetTrouble()
        roster.forgetFailures()
    }

    /// - Parameters:
    ///   - now: monotonic time at which the event happened.
    ///   - origin: the connection the event concerns, if any.
    package mutating func handle(
        _ event: ConversationEvent,
        at now: Duration,
        from origin: ConversationLink = .current
    ) -> [ConversationEffect] {
        effects = []
        self.now = now
        switch origin {
        case .current: happened(event)
        case .standby: happenedBeside(event)
        }
        settle()
        defer { effects = [] }
        return effects
    }

    private mutating func happened(_ event: ConversationEvent) {
        switch event {
        case .activate:
            // A user who calls has not left.
            remarks.wishes.end(whenQuiet: false)
            activate()
        case .deactivate:
            hold.keepsOpen(false)
            deactivate()
        case .budget(let verdict): budget(verdict)
        case .keepsOpen(let keepsOpen):
            options.isAlwaysOpen = keepsOpen
            hold.keepsOpen(keepsOpen)
        case .announces(let announces): remarks.allow(announces)
        case .interrupt: interrupt()
        case .stop(let isSpoken): stop(isSpoken: isSpoken)
        case .supersede: supersede()
        case .say(let text): say(text)
        case .ask(let question): ask(question)
        case .greet: greet()
        case .agentGreets(let text): remarks.greeting.agentSays(text)
        case .connected: break
        case .disconnected(let failure): lost(failure)
        case .service(let report):
            adopt(report.response, isSure: report.isOfRunningResponse)
            heard(report)
        case .lifetime(let left): link.lasts(left)
        case .voiceReceived(let responseID, _) where SpokenPart.isOfBox(responseID):
            authority.boxSpoke()
            boxSpeaks(responseID)
        case .voiceReceived(let responseID, _):
            adopt(responseID, isSure: false)
            voiceReceived(responseID)
        case .voiceAudible(let responseID): voiceAudible(responseID)
        case .voicePlayed(let responseID, let heard, let received):
            authority.sounded(responseID, heard: heard, received: received, at: now)
        case .voiceDrained: voice.drained()
        case .voiceStopped(let parts): truncate(parts)
        case .callDispatched(let callID): if isOfTurn(callID) { turn.clock?.dispatched(at: now) }
        case .callAnswered(let callID, let given):
            let output = questionAgain(for: callID, given) ?? given
            if isOfTurn(callID) { turn.clock?.answered(isFailure: output.isFailure, at: now) }
            if calls.answer(callID: callID, output) {
                authority.answered(callID, output.origin, isCarriedOut: output.isCarriedOut)
            } else {
                note(.unexpected("answer to a call that is not open: \(callID)"))
            }
        case .callSays(let callID, let part, let isLast): callSays(callID, part, isLast: isLast)
        case .lost(let loss): note(.lost(loss))
        case .callDelayed(let callID, let activity):
            if takesText, calls.isWaiting(callID: callID) {
                remarks.queue.add(.delay(callID: callID, activity: activity), at: now)
            }
        case .endWhenQuiet(let alwaysToo):
            if alwaysToo || !options.isAlwaysOpen { remarks.wishes.end(whenQuiet: link.isReady) }
        case .belongs(let agent, let name): belongs(to: agent, named: name)
        case .agentReported(let output, let aloud, let agent): agentReported(output, aloud: aloud, agent: agent)
        case .agentAsks(let prompt, let agent):
            remarks.asks(prompt, agent: agent)
            if let prompt { authority.asks(prompt.number, characters: prompt.characters) }
        case .userPaused(let ago): if options.capabilities.turns == .service { turn.userPaused(at: now - ago) }
        case .userResumed: if options.capabilities.turns == .service { turn.userResumed(at: now) }
        case .turnWasSilent(let itemID):
            authority.turnWasSilent(itemID)
            turn.wasVoiceless()
            note(.unexpected("the service reports speech where no voice was heard locally"))
        case .mediaReported(let remark, let opens): mediaReported(remark, opens: opens)
        case .timer(let timer):
            // The event of a cancelled timer may already have been under way.
            if timers.remove(timer) != nil { fired(timer) }
        }
    }

    /// Performs what follows from the facts, whatever the event. Each step may create work for the ones below it, never for
    /// those above.
    private mutating func settle() {
        // Playback comes first, because it decides whether the box is silent.
        settleVoice()
        // The new session takes over in that silence, so that everything below goes to it.
        settleSwap()
        // A service that hears a user answers only when no call is open.
        if turn.isUserSpeaking { putOffCalls() }
        // Answers that were spoken make room for those that wait behind them.
        calls.settle(allBut: sequencer.unspoken)
        // Outputs before the request for the response that reads them.
        deliver()
        requestResponse()
        // A spent budget waits for the last response, and takes no further speech.
        closeWhenSpent()
        // The speech queue comes after answers.
        speakNext()
        // Hearing, timers and the state are derived from the result of all of it; the state last, as its observers see it.
        if let isHeard = turn.takeChangeOfHearing() { emit(.turnIsOpen(isHeard)) }
        watch()
        let next = derivedState
        if next != state {
            emit(.stateChanged(from: state, to: next))
            state = next
            if next == .listening || next == .idle { endTurn() }
        }
        assert(brokenInvariants.isEmpty, "\(brokenInvariants)")
    }

    var derivedState: ConversationState {
        switch link.phase {
        case .closed: return .idle
        case .opening, .configuring, .refused: return link.refusal.map { .error($0) } ?? .connecting
        case .ready: break
        }
        if turn.isTalking { return .userSpeaking }
        if let speech = voice.speech {
            guard speech.isFiller else { return .aiSpeaking }
            return calls.isWaiting || !speech.hasCall ? .fillerSpeaking : .processing
        }
        if turn.owesResponse || turn.isUserSpeaking || awaitsResponse { return .processing }
        if calls.isWaiting { return .waitingForJarvis }
        return sequencer.wantsResponse ? .processing : .listening
    }

    /// Whether a response is on its way that the user has not silenced.
    private var awaitsResponse: Bool {
        guard sequencer.isResponseComing else { return false }
        return !(sequencer.activeResponse.map(voice.isSilenced) ?? false)
    }

    /// Whether the call belongs to the turn that the clock measures.
    func isOfTurn(_ callID: String) -> Bool { calls.turn(of: callID) == turn.number }

    /// No one is speaking and no response is pending.
    var isQuiet: Bool { voice.isSilent && turn.isQuiet && sequencer.isIdle && !sequencer.wantsResponse }

    /// Violated invariants between events; empty if all is well.
    package var brokenInvariants: [String] {
        var broken = link.brokenInvariants + roster.brokenInvariants + turn.brokenInvariants
        if timers.contains(.reconnect) != link.isPausing { broken.append("a pause and its timer differ") }
        if !link.isReady, turn.isHeard || !turn.isQuiet { broken.append("a turn without a session") }
        if link.isClosed, turn.question != nil { broken.append("a question without a conversation") }
        if link.isReady, turn.question?.lostAt != nil { broken.append("a lost question that no session was sent") }
        if link.isReady, calls.hasDeliverable(in: link.number, oneByOne: tellsOneByOne) {
            broken.append("an answer that is kept back")
        }
        if !calls.unspoken.allSatisfy({ sequencer.unspoken.contains($0.call.callID) }) {
            broken.append("an answer that no response will speak of")
        }
        if derivedState != state { broken.append("\(state) where the facts say \(derivedState)") }
        return broken
    }

    // MARK: Effects

    mutating func emit(_ effect: ConversationEffect) { effects.append(effect) }

    mutating func note(_ note: ConversationNote) { emit(.note(note)) }

    /// Sends a request, unless the service cannot handle it.
    mutating func send(_ request: ServiceRequest) {
        if request.isTaken(by: options.capabilities) { emit(.send(request)) }
    }

    /// Switches to the service of the next session, with its capabilities and rules.
    mutating func serve(_ index: Int) {
        guard index != roster.current else { return }
        roster.use(index)
        options.capabilities = roster.currentCapabilities
        options.sessions = roster.currentSessions
        link.serve(options.sessions, lifetime: options.capabilities.sessionLimit)
        emit(.choose(service: index, isBeside: false))
    }

    mutating func requestID(_ kind: String) -> String {
        nextRequest += 1
        return "\(kind)-\(link.number)-\(nextRequest)"
    }

    /// The user waits for an answer that will not come.
    mutating func missAnswer() {
        turn.clock?.serviceFailed()
        emit(.play(.error))
    }

    mutating func endTurn() {
        if let report = turn.end() { emit(.turnEnded(report)) }
    }

    /// Starts or cancels a timer, as wanted.
    mutating func want(_ timer: ConversationTimer, _ isWanted: Bool, after pause: Duration) {
        guard isWanted else { return cancel(timer) }
        if timers.insert(timer).inserted { emit(.startTimer(timer, pause)) }
    }

    mutating func restart(_ timer: ConversationTimer, after pause: Duration) {
        cancel(timer)
        timers.insert(timer)
        emit(.startTimer(timer, pause))
    }

    mutating func cancel(_ timer: ConversationTimer) {
        if timers.remove(timer) != nil { emit(.cancelTimer(timer)) }
    }
}
