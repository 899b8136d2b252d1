/// The conversation: what happened, what to do about it. No input or output, no clock, no task.
///
/// It keeps facts (is a session ready, does the user speak, which response runs, what is being played, which calls are
/// out) and derives the state from them after every event, so that no order of events can leave a state behind that
/// the facts do not bear out. `handle` returns what is to be done, in order; the owner does it.
///
/// Rules of the protocol it lives by: the microphone is held until the configuration is in force; one response at a
/// time writes to the conversation; a call is started when its item is complete, answered once, and spoken about by
/// exactly one requested response; the server cancels its own response when the user interrupts, the client tells how
/// much of it was heard. A session is short-lived: the next is opened beside it and takes over in a quiet moment.
package struct ConversationMachine: Sendable {
    package enum Link: Equatable, Sendable {
        case closed
        /// Waiting for the next attempt, or in it.
        case opening
        /// `session.update` is sent.
        case configuring
        case ready
        /// The service refuses us; waiting for the next look.
        case refused
    }

    /// Speech of one response, from its first audio in to its last sample out.
    struct Voice: Equatable, Sendable {
        var responseID: String
        /// It belongs to a response that also holds a call.
        var isFiller: Bool
        /// That call is complete; until then it is still being written.
        var hasCall = false
        var isDone = false
        var isDrained = false
    }

    package private(set) var options: Options
    /// Monotonic time of the event being handled.
    var now = Duration.zero

    // The session.
    package var link: Link = .closed
    /// Counts sessions; a call knows in which it was asked.
    var session = 0
    var backoff: Backoff
    /// Why the service refuses us; kept while we look again, until a session is ready.
    var refusal: String?
    /// Why the latest attempt to have the service failed; outlives the conversation, until a session is ready.
    private(set) package var trouble: ServiceTrouble?
    private var troubles = 0
    /// When the session was created, and when the service will end it.
    package var opened = Duration.zero
    var ends: Duration?

    // The session after it.
    var standby: Standby?
    var standbyBackoff: Backoff
    /// When to open it; nil for never.
    var rotateAt: Duration?
    /// This session is about to end: any moment in which nobody speaks will do.
    var mustSwap = false
    /// It has been told that the next session could not be opened.
    var rotationTold = false
    var memory: TurnMemory
    /// The user's question, until it is answered.
    var question: OpenQuestion?

    // The turn.
    var userSpeaks = false
    /// The user's turn is over and the server owes a response to it.
    var owedResponse = false
    /// The response that is owed is one the user has silenced already.
    var cancelsOwed = false
    /// It is waited for, so that nothing of ours is asked for beside it.
    var awaitsUnwanted = false
    /// The service has heard the user begin to speak, and not yet stop; and whether that was told.
    var hearsUser = false
    private var toldHearing = false
    var stopped = StoppedTurn()
    var sequencer = ResponseSequencer()
    /// Responses to this turn that failed, and requests in a row that were not answered.
    var failures = 0
    var unanswered = 0
    /// Turns in a row that were given up because the service failed.
    var brokenTurns = 0
    /// A response is not asked for before `retryResponse`.
    var retryAfter: Duration?
    var calls = PendingCalls()
    /// Whose word stands behind what the model wants.
    var authority: Authority
    var written = WrittenCalls()
    var wishes = ToolWishes()
    var announcements = Announcements()
    var typed = TypedQuestions()
    var media = MediaRemarks()
    var unasked = UnaskedResponses()
    var agent = AgentTalk()
    /// Nothing is announced in quiet hours.
    var announces = true
    var keepsWarm = false
    var voice: Voice?
    /// The response that was last heard from, by its audio.
    var voiced: String?
    /// Responses the user cut short: what still comes of them is stale.
    var interrupted: [String] = []
    /// Responses of this session, the latest ones; what is still played of an earlier one is not known to it.
    var sessionResponses: [String] = []
    var turn: TurnClock?
    package var turns = 0

    // What is to be done.
    var nextEvent = 0
    var hold = BudgetHold()
    var timers: Set<ConversationTimer> = []
    var effects: [ConversationEffect] = []

    package private(set) var state: ConversationState = .idle

    package init(options: Options) {
        self.options = options
        var seeds = SplitMix64(seed: options.seed)
        func backoff(_ seed: UInt64) -> Backoff {
            Backoff(first: options.reconnectFirst, longest: options.reconnectLongest, seed: seed)
        }
        self.backoff = backoff(seeds.next())
        standbyBackoff = backoff(seeds.next())
        authority = Authority(promptLimit: options.promptLimit)
        memory = TurnMemory(turns: options.rememberedTurns)
    }

    /// - Parameters:
    ///   - now: monotonic time at which the event happened.
    ///   - origin: the connection it is about, where it is about one.
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
            // Who calls has not left.
            wishes.endsWhenQuiet = false
            activate()
        case .deactivate:
            hold.reopens = false
            deactivate()
        case .budget(let verdict): budget(verdict)
        case .keepsOpen(let keepsOpen):
            options.isAlwaysOpen = keepsOpen
            hold.reopens = hold.reopens && keepsOpen
        case .announces(let announces): self.announces(announces)
        case .keepsWarm(let keepsWarm): self.keepsWarm = keepsWarm
        case .interrupt: interrupt()
        case .stop(let isSpoken): stop(isSpoken: isSpoken)
        case .say(let text): say(text)
        case .ask(let text): ask(text)
        case .connected: break
        case .disconnected(let failure): lost(failure)
        case .server(let event):
            adopt(event.responseID, isSure: event.isOfRunningResponse)
            heard(event)
        case .lifetime(let left): if left > .zero { ends = opened + left }
        case .voiceReceived(let responseID, _):
            adopt(responseID, isSure: false)
            voiceReceived(responseID)
        case .voiceAudible(let responseID): voiceAudible(responseID)
        case .voicePlayed(let responseID, let heard, let received):
            authority.sounded(responseID, heard: heard, received: received, at: now)
        case .voiceDrained: voice?.isDrained = true
        case .voiceStopped(let parts): truncate(parts)
        case .callDispatched: turn?.dispatched(at: now)
        case .callAnswered(let callID, let output, let wantsReply, let origin, let isCarriedOut):
            if calls.answer(callID: callID, output: output, wantsReply: wantsReply) {
                authority.answered(callID, origin, isCarriedOut: isCarriedOut)
                turn?.answered(at: now)
            } else {
                note(.unexpected("answer to a call that is not open: \(callID)"))
            }
        case .lost(let loss): note(.lost(loss))
        case .callDelayed(let callID, let activity): delayed(callID, activity)
        case .endWhenQuiet: wishes.endsWhenQuiet = link == .ready
        case .agentReported(let text, let isAskedFor): agentReported(text, isAskedFor: isAskedFor)
        case .agentAsks(let question, let prompt, let characters):
            agent.ask(question, prompt: prompt)
            if question != nil { authority.asks(prompt, characters: characters) }
        case .turnWasSilent(let itemID):
            authority.turnWasSilent(itemID)
            note(.unexpected("the service takes as spoken what no voice was heard in here"))
        case .mediaReported(let remark, let opens): mediaReported(remark, opens: opens)
        case .timer(let timer):
            // One that was cancelled may have been under way.
            if timers.remove(timer) != nil { fired(timer) }
        }
    }

    /// What follows from the facts, whatever the event was.
    private mutating func settle() {
        settleVoice()
        if mustSwap, nobodySpeaks { promote() }
        deliver()
        requestResponse()
        calls.settle(allBut: sequencer.unspoken)
        closeWhenSpent()
        putTyped()
        settleWishes()
        tellAgent()
        tellMedia()
        settleWarm()
        if hearsUser != toldHearing {
            toldHearing = hearsUser
            effects.append(.turnIsOpen(hearsUser))
        }
        watch()
        let next = derivedState
        guard next != state else { return }
        effects.append(.stateChanged(from: state, to: next))
        state = next
        if next == .listening || next == .idle { endTurn() }
    }

    var derivedState: ConversationState {
        switch link {
        case .closed: return .idle
        case .opening, .configuring, .refused: return refusal.map { .error($0) } ?? .connecting
        case .ready: break
        }
        if userSpeaks { return .userSpeaking }
        if let voice {
            guard voice.isFiller else { return .aiSpeaking }
            return calls.isWaiting || !voice.hasCall ? .fillerSpeaking : .processing
        }
        if owedResponse || awaitsResponse { return .processing }
        if calls.isWaiting { return .waitingForJarvis }
        return sequencer.wantsResponse ? .processing : .listening
    }

    /// A response is on its way that the user has not silenced.
    private var awaitsResponse: Bool {
        guard sequencer.isResponseComing else { return false }
        return !(sequencer.activeResponse.map(interrupted.contains) ?? false)
    }

    mutating func failed(_ reason: String, isRefusal: Bool) {
        troubles += 1
        trouble = ServiceTrouble(number: troubles, reason: reason, isRefusal: isRefusal)
    }

    /// The service may take us now: a session is ready, or the key was changed.
    package mutating func forgetTrouble() { trouble = nil }

    mutating func note(_ note: ConversationNote) {
        effects.append(.note(note))
    }

    mutating func send(_ event: (String) -> ClientEvent, _ kind: String) {
        let event = event(eventID(kind))
        if options.settings.dialect.takes(event) { effects.append(.send(event)) }
    }

    mutating func eventID(_ kind: String) -> String {
        nextEvent += 1
        return "\(kind)-\(session)-\(nextEvent)"
    }

    mutating func endTurn() {
        guard let finished = turn else { return }
        turn = nil
        if finished.report.calls > 0 || finished.hadVoice { effects.append(.turnEnded(finished.report)) }
    }
}
