/// The conversation: what happened, what to do about it. No input or output, no clock, no task.
///
/// It keeps facts (is a session ready, does the user speak, which response runs, what is being played, which calls are
/// out) and derives the state from them after every event, so that no order of events can leave a state behind that
/// the facts do not bear out. `handle` returns what is to be done, in order; the owner does it.
///
/// Rules of the protocol it lives by: the microphone is held until the configuration is in force; one response at a
/// time writes to the conversation; a call is started when its item is complete, answered once, and spoken about by
/// exactly one requested response; the server cancels its own response when the user interrupts, the client tells how
/// much of it was heard.
package struct ConversationMachine: Sendable {
    package struct Options: Equatable, Sendable {
        package var settings: RealtimeSettings
        /// Silence after which an idle session is closed; nil keeps it open.
        package var idleLimit: Duration?
        /// Silence of an outstanding call after which the thinking tone sounds; nil for no tones.
        package var thinkingAfter: Duration? = .milliseconds(700)
        package var setUpLimit: Duration = .seconds(20)
        package var reconnectFirst: Duration = .milliseconds(500)
        package var reconnectLongest: Duration = .seconds(60)
        package var probePause: Duration = .seconds(300)
        package var responseLimit: Duration = .seconds(12)

        package init(settings: RealtimeSettings) {
            self.settings = settings
        }
    }

    enum Link: Equatable, Sendable {
        case closed
        /// Waiting for the next attempt, or in it.
        case opening
        /// `session.update` is sent.
        case configuring
        case ready
        case refused(String)
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

    let options: Options
    var link: Link = .closed
    /// Counts sessions; a call knows in which it was asked.
    var session = 0
    var attempts = 0
    var userSpeaks = false
    /// The user's turn is over and the server owes a response to it.
    var owedResponse = false
    /// The response that begins next is one the user has silenced already.
    var cancelsNext = false
    var sequencer = ResponseSequencer()
    var calls = CallBook()
    var wishes = ToolWishes()
    /// Responses whose delivered outputs are to be spoken about.
    var groups: Set<String> = []
    var voice: Voice?
    /// Responses the user cut short: what still comes of them is stale.
    var interrupted: [String] = []
    /// Responses of this session, the latest ones; what is still played of an earlier one is not known to it.
    var sessionResponses: [String] = []
    var turn: TurnClock?
    var turns = 0
    var nextEvent = 0
    var timers: Set<ConversationTimer> = []
    var effects: [ConversationEffect] = []

    package private(set) var state: ConversationState = .idle

    package init(options: Options) {
        self.options = options
    }

    /// - Parameter now: monotonic time at which the event happened.
    package mutating func handle(_ event: ConversationEvent, at now: Duration) -> [ConversationEffect] {
        effects = []
        switch event {
        case .activate: activate()
        case .deactivate: deactivate()
        case .interrupt: interrupt()
        case .connected: break
        case .disconnected(let failure): lost(failure)
        case .server(let event): heard(event, at: now)
        case .voiceReceived(let responseID, _): voiceReceived(responseID, at: now)
        case .voiceAudible(let responseID): voiceAudible(responseID, at: now)
        case .voiceDrained:
            voice?.isDrained = true
        case .voiceStopped(let parts): truncate(parts)
        case .callDispatched:
            turn?.dispatched(at: now)
        case .callAnswered(let callID, let output, let wantsReply):
            if calls.answer(callID: callID, output: output, wantsReply: wantsReply) {
                turn?.answered(at: now)
            } else {
                note(.unexpected("answer to a call that is not open: \(callID)"))
            }
        case .callDelayed(let callID): delayed(callID)
        case .endWhenQuiet: wishes.endsWhenQuiet = true
        case .timer(let timer):
            timers.remove(timer)
            fired(timer)
        }
        settle(at: now)
        defer { effects = [] }
        return effects
    }

    /// What follows from the facts, whatever the event was.
    private mutating func settle(at now: Duration) {
        if let voice, voice.isDone, voice.isDrained { self.voice = nil }
        deliver()
        requestResponse()
        settleWishes()
        watch()
        let next = derivedState
        guard next != state else { return }
        effects.append(.stateChanged(from: state, to: next))
        state = next
        if next == .listening || next == .idle { endTurn() }
    }

    private var derivedState: ConversationState {
        switch link {
        case .closed: return .idle
        case .refused(let reason): return .error(reason)
        case .opening, .configuring: return .connecting
        case .ready: break
        }
        if userSpeaks { return .userSpeaking }
        if let voice {
            guard voice.isFiller else { return .aiSpeaking }
            return calls.isWaiting || !voice.hasCall ? .fillerSpeaking : .processing
        }
        if owedResponse || awaitsResponse { return .processing }
        if calls.isWaiting { return .waitingForJarvis }
        return sequencer.uncovered.isEmpty ? .listening : .processing
    }

    /// A response is on its way that the user has not silenced.
    private var awaitsResponse: Bool {
        switch sequencer.phase {
        case .idle: false
        case .requested: !cancelsNext
        case .active(let responseID): !(responseID.map(interrupted.contains) ?? false)
        }
    }

    /// Starts and cancels the timers that the facts ask for.
    private mutating func watch() {
        want(.serverResponse, owedResponse && link == .ready, after: options.responseLimit)
        var isRequested = false
        if case .requested = sequencer.phase { isRequested = true }
        want(.requestedResponse, isRequested, after: options.responseLimit)
        let isSilentTurn = turn.map { !$0.hadVoice && !$0.hadTone } ?? false
        let silentCall = link == .ready && calls.isWaiting && voice == nil && !userSpeaks && isSilentTurn
        if let pause = options.thinkingAfter { want(.thinking, silentCall, after: pause) }
        if let limit = options.idleLimit {
            want(.idle, derivedState == .listening, after: limit)
        }
        want(
            .setUp,
            link == .opening && !timers.contains(.reconnect) || link == .configuring,
            after: options.setUpLimit
        )
    }

    private mutating func want(_ timer: ConversationTimer, _ wanted: Bool, after pause: Duration) {
        if wanted, timers.insert(timer).inserted {
            effects.append(.startTimer(timer, pause))
        } else if !wanted, timers.remove(timer) != nil {
            effects.append(.cancelTimer(timer))
        }
    }

    private mutating func fired(_ timer: ConversationTimer) {
        switch timer {
        case .setUp:
            effects.append(.disconnect)
            lost(LinkFailure(.transient, "the session was not ready within \(options.setUpLimit)"))
        case .reconnect:
            guard link == .opening || isRefused else { return }
            link = .opening
            effects.append(.connect)
        case .thinking:
            turn?.hadTone = true
            effects.append(.play(.thinking))
        case .serverResponse:
            // The server heard a turn and made no response of it, noise perhaps.
            owedResponse = false
        case .requestedResponse:
            sequencer.abandon()
        case .idle:
            deactivate()
        }
    }

    private var isRefused: Bool {
        if case .refused = link { true } else { false }
    }

    mutating func note(_ note: ConversationNote) {
        effects.append(.note(note))
    }

    mutating func send(_ event: (String) -> ClientEvent, _ kind: String) {
        nextEvent += 1
        effects.append(.send(event("\(kind)-\(session)-\(nextEvent)")))
    }

    mutating func endTurn() {
        guard let finished = turn else { return }
        turn = nil
        if finished.report.calls > 0 || finished.hadVoice { effects.append(.turnEnded(finished.report)) }
    }
}
