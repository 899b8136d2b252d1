internal import FoundationEssentials
package import Logging
internal import VoiceActivation
internal import VoiceAgent
package import VoiceAudio
internal import VoiceBase
package import VoiceConversation
package import VoiceNetwork

/// Runs the conversation, and when it begins and ends: passes events to the two machines in order and carries out the effects
/// they return.
///
///     network thread, tools, timers, words, buttons, commands --> EventMailbox --> machines --> effects --> network thread, ...
///
/// One actor, one loop; nothing in it waits for the network, a tool or the sound card.
package actor ConversationSession {
    package struct Parts: Sendable {
        package var network: NetworkThread
        package var pump: NetworkConfined<VoicePump>
        package var earcons: EarconRequests
        package var mailbox: EventMailbox
        package var dispatcher: ToolDispatcher
        package var service: any VoiceService
        /// Substitute services, in the order of `ConversationMachine.Options.substitutes`.
        package var substitutes: [any VoiceService]
        /// The same services with the voice and instructions of an assistant, by wake word.
        package var assistants: [String: AssistantVoice] = [:]
        /// Chooses the agent of a wake word, nil for the box's own, and returns its number.
        package var useAgent: @Sendable (_ word: String?) -> Int = { _ in 0 }
        package var budget: BudgetTracker?
        /// Withdraws what the agent is working on or waiting for.
        package var withdraw: @Sendable () async -> Void
        /// Asks the agent for its greeting; nil if it does not answer in time.
        package var greeting: @Sendable () async -> String?
        package var logger: Logger

        package init(
            network: NetworkThread,
            pump: NetworkConfined<VoicePump>,
            earcons: EarconRequests,
            mailbox: EventMailbox,
            dispatcher: ToolDispatcher,
            service: any VoiceService,
            substitutes: [any VoiceService] = [],
            budget: BudgetTracker? = nil,
            withdraw: @escaping @Sendable () async -> Void = {},
            greeting: @escaping @Sendable () async -> String? = { nil },
            logger: Logger
        ) {
            self.network = network
            self.pump = pump
            self.earcons = earcons
            self.mailbox = mailbox
            self.dispatcher = dispatcher
            self.service = service
            self.substitutes = substitutes
            self.budget = budget
            self.withdraw = withdraw
            self.greeting = greeting
            self.logger = logger
        }
    }

    /// Receives every effect as it is performed, and the timing of every call; for a timeline or a benchmark.
    package struct Observer: Sendable {
        package var effect: @Sendable (ConversationEffect, Duration) -> Void
        package var call: @Sendable (CallTiming) -> Void
        /// Receives every event of the conversation, before its effects.
        package var event: @Sendable (ConversationEvent) -> Void
        /// Receives the transcript where it is written; nil when that ends.
        package var transcript: @Sendable (TranscriptLine?) -> Void

        package init(
            effect: @escaping @Sendable (ConversationEffect, Duration) -> Void = { _, _ in },
            call: @escaping @Sendable (CallTiming) -> Void = { _ in },
            event: @escaping @Sendable (ConversationEvent) -> Void = { _ in },
            transcript: @escaping @Sendable (TranscriptLine?) -> Void = { _ in }
        ) {
            self.effect = effect
            self.call = call
            self.event = event
            self.transcript = transcript
        }
    }

    var parts: Parts
    var log: ConversationLog
    let observers: [Observer]
    var machine: ConversationMachine
    var activation: Activation
    /// The steps that follow from the event being handled, in order.
    private var due: [Step] = []
    private var isProceeding = false
    /// The connection that carries the conversation, and the standby opened beside it; each has a number.
    private var current = Line()
    private var standby = Line()
    private var connections = 0
    /// Indices of the services behind these two connections; 0 is the preferred one.
    private var chosen = (current: 0, beside: 0)
    /// The assistant whose session is open, or was last; nil for the box's own. Its agent's number is `agent`.
    var assistant: AssistantVoice? { activation.machine.assistant.flatMap { parts.assistants[$0] } }
    private var agent = 0
    private var timers: [ConversationTimer: (task: Task<Void, Never>, start: Int)] = [:]
    var timerStarts = 0
    /// When the timer for the next attempt fires.
    private var retryAt = Duration.zero
    private var runningCalls: [String: Task<Void, Never>] = [:]
    /// The latest of the calls that must run in order.
    private var lastOrdered: Task<Void, Never>?
    /// Timings of calls whose output has not been sent yet, with the time at which the reply was complete.
    private var timings: [String: (timing: CallTiming, replied: Duration?)] = [:]
    private static let mostTimings = 64
    private var unknown: [String: Int] = [:]
    /// nil if transcripts are off.
    var transcript: TranscriptAssembler?
    var transcriptTimer: Task<Void, Never>?
    var budget: BudgetTracker?

    /// - Parameter transcripts: whether transcripts may appear in the log.
    package init(
        _ parts: Parts,
        options: ConversationMachine.Options,
        activation: ActivationParts,
        transcripts: Bool = false,
        observers: [Observer] = []
    ) {
        self.parts = parts
        self.observers = observers
        self.activation = Activation(activation)
        log = ConversationLog(logger: parts.logger, transcripts: transcripts)
        machine = ConversationMachine(options: options)
        budget = parts.budget
        transcript = transcripts ? TranscriptAssembler(expectsUser: parts.service.providesTranscripts) : nil
    }

    package var state: ConversationState { machine.state }

    /// The state, and why the service was unreachable at the last attempt; nil when it is reachable.
    package var reach: (state: ConversationState, trouble: ServiceTrouble?) { (machine.state, machine.trouble) }

    /// Seconds until the next attempt to reach the service; nil if none waits.
    package var retryIn: Int? {
        guard timers[.reconnect] != nil else { return nil }
        return Int((max(.zero, retryAt - Monotonic.now()) + .milliseconds(999)).components.seconds)
    }

    /// How long ago the current session was opened; nil without one.
    package var sessionAge: Duration? {
        machine.link.phase == .ready ? max(.zero, Monotonic.now() - machine.link.opened) : nil
    }

    /// Uses new keys for sessions opened from now on.
    ///
    /// - Parameter services: as built from the current configuration.
    package func useKeys(of services: [any VoiceService]) {
        func renew(_ service: inout any VoiceService) {
            if let found = services.first(where: { $0.name == service.name }) { service.takeKey(of: found) }
        }
        renew(&parts.service)
        for index in parts.substitutes.indices { renew(&parts.substitutes[index]) }
        for word in parts.assistants.keys {
            for index in parts.assistants[word]?.services.indices ?? 0..<0 {
                if var service = parts.assistants[word]?.services[index] {
                    renew(&service)
                    parts.assistants[word]?.services[index] = service
                }
            }
        }
        machine.forgetTrouble()
    }

    /// Ends a pause before the next attempt, because what made the last one fail has changed.
    package func retryNow() {
        machine.forgetTrouble()
        timers.removeValue(forKey: .reconnect)?.task.cancel()
        receive(.timer(.reconnect), at: Monotonic.now())
    }

    /// A service that may have been away is back: tries it now instead of at the next regular look.
    package func serviceIsThere() async {
        if machine.state == .connecting { retryNow() } else { await look() }
    }

    /// Opens a session and ends it again, to see whether there is a service for the next call: in `wake` and `push`, nothing else
    /// shows it earlier. Does nothing during a conversation, or after a refusal, which only a person can end.
    package func look() async {
        let known = machine.trouble
        guard machine.state == .idle, known?.isRefusal != true else { return }
        var failure: LinkFailure?
        for service in [parts.service] + parts.substitutes {
            guard let reason = await look(for: service) else {
                failure = nil
                break
            }
            failure = failure ?? reason
        }
        guard machine.state == .idle, machine.trouble == known else { return }
        guard let failure else {
            if known != nil { machine.forgetTrouble() }
            return
        }
        guard known == nil else { return }
        machine.missed(failure)
        let (verb, kind): (String, JournalEvent) =
            switch failure.kind {
            case .permanent: ("refuses the connection", .serviceRefused)
            case .limited: ("has reached its limit", .connectionLost)
            case .transient, .expired: ("cannot be reached", .connectionLost)
            }
        parts.logger.warning("the voice service \(verb): \(private: failure.reason)", metadata: .event(kind))
    }

    /// - Returns: why no session opens; nil if one does.
    private func look(for service: any VoiceService) async -> LinkFailure? {
        let found = Promise<LinkFailure?>()
        let connection = service.connect(on: parts.network, pump: parts.pump) { event, _ in
            switch event {
            case .service(.opened): found.give(nil)
            case .disconnected(let failure): found.give(failure)
            default: break
            }
        }
        let silence = LinkFailure(.transient, "no answer within \(Self.longestLook.components.seconds) s")
        let failure = await TimeLimit.run(Self.longestLook) { await found.wait() }
        found.give(silence)
        connection?.perform { $0.retire() }
        return failure ?? silence
    }

    private static let longestLook = Duration.seconds(15)

    /// Handles events until the mailbox is closed or the task is cancelled.
    package func run() async {
        let budgetClock = watchBudget()
        for await envelope in parts.mailbox.envelopes {
            parts.mailbox.received(envelope)
            if parts.mailbox.wasOverrun() { endOverrun() }
            switch envelope.event {
            case .conversation(let event):
                guard let origin = origin(of: envelope, event) else { continue }
                count(event)
                receive(event, at: envelope.at, from: origin)
                if let ends = event.sessionEnds, self.origin(of: envelope, event) == origin {
                    receive(.lifetime(.seconds(ends - Self.unixTime())), at: envelope.at, from: origin)
                }
            case .activation(let event):
                if isDue(event, envelope.timerStart) { obey(event, envelope.silence) }
            }
            envelope.isHandled?.give(true)
        }
        for timer in activation.timers.values { timer.task.cancel() }
        endTranscript()
        budgetClock?.cancel()
        await budget?.finish()
        for task in runningCalls.values { task.cancel() }
        for timer in timers.values { timer.task.cancel() }
        if parts.mailbox.lost > 0 {
            parts.logger.error("events of the service were refused", metadata: ["count": .public(parts.mailbox.lost)])
        }
    }

    /// An event that one of the machines is to handle.
    enum Step {
        case conversation(ConversationEvent, at: Duration = Monotonic.now(), from: ConversationLink = .current)
        case activation(ActivationEvent)
    }

    /// Handles an event of the conversation and the steps that follow from it.
    func receive(_ event: ConversationEvent, at instant: Duration, from origin: ConversationLink = .current) {
        proceed(.conversation(event, at: instant, from: origin))
    }

    /// Takes a step, then the steps that follow from it, one after another.
    func proceed(_ step: Step) {
        due.append(step)
        guard !isProceeding else { return }
        isProceeding = true
        defer { isProceeding = false }
        while !due.isEmpty {
            switch due.removeFirst() {
            case .conversation(let event, let instant, let origin): handle(event, at: instant, from: origin)
            case .activation(let event): handle(event)
            }
        }
    }

    private func handle(_ event: ConversationEvent, at instant: Duration, from origin: ConversationLink) {
        let effects = machine.handle(event, at: instant, from: origin)
        // A standby session hears and costs nothing, but it may take over.
        let heard = origin == .current ? event : nil
        if let heard {
            for observer in observers { observer.event(heard) }
            if let news = Self.concerns(heard) { due.append(.activation(news)) }
        }
        transcribe(heard, effects, at: instant)
        let before = chosen.current
        for effect in effects { perform(effect, at: instant) }
        guard !parts.substitutes.isEmpty else { return spend(heard, effects) }
        spend(isCharged(before) ? heard : nil, charged(effects, from: before))
    }

    private func service(_ index: Int) -> any VoiceService {
        if let services = assistant?.services, services.indices.contains(index) { return services[index] }
        return index == 0 ? parts.service : parts.substitutes[min(index, parts.substitutes.count) - 1]
    }

    /// The service of the current session, or of the next attempt.
    package var present: any VoiceService { service(chosen.current) }

    /// The name of the substitute in use; nil while the preferred service is in use.
    package var substitute: String? { chosen.current == 0 ? nil : service(chosen.current).name }

    private func isCharged(_ index: Int) -> Bool { service(index).capabilities.charge != .nothing }

    /// The effects that concern a service that charges.
    private func charged(_ effects: [ConversationEffect], from before: Int) -> [ConversationEffect] {
        var counts = isCharged(before)
        return effects.filter { effect in
            guard case .choose(let index, isBeside: false) = effect else { return counts }
            counts = isCharged(index)
            return true
        }
    }

    /// The connection an envelope belongs to; nil for an abandoned connection or a cancelled timer.
    private func origin(of envelope: EventMailbox.Envelope, _ event: ConversationEvent) -> ConversationLink? {
        if case .timer(let timer) = event, let start = envelope.timerStart {
            guard timers[timer]?.start == start else { return nil }
            timers[timer] = nil
        }
        switch envelope.connection {
        case nil, current.number: return .current
        case standby.number: return .standby
        default: return nil
        }
    }

    /// The service sends more events than can be handled: its session ends, so that the user's orders need not wait for them.
    private func endOverrun() {
        guard current.number != nil else { return }
        retire(&current)
        receive(
            .disconnected(LinkFailure(.transient, "it sends more events than can be read")), at: Monotonic.now()
        )
    }

    private static func unixTime() -> Int {
        Int(Date().timeIntervalSince1970)
    }

    private func perform(_ effect: ConversationEffect, at instant: Duration) {
        log.write(effect, turn: machine.turns)
        for observer in observers { observer.effect(effect, instant) }
        if let news = Self.concerns(effect) { due.append(.activation(news)) }
        switch effect {
        case .choose(let index, isBeside: true): chosen.beside = index
        case .choose(let index, isBeside: false):
            chosen.current = index
            transcript?.expectsUser = service(index).providesTranscripts
        case .connect: current = connect(chosen.current)
        case .disconnect: retire(&current)
        case .send(let request): ask(request)
        case .connectBeside: standby = connect(chosen.beside)
        case .sendBeside(let request): with(standby) { $0.ask(request) }
        case .promote:
            with(standby) { $0.openMicrophone() }
            retire(&current)
            current = standby
            standby = Line()
        case .dropBeside: retire(&standby)
        case .openMicrophone: with(current) { $0.openMicrophone() }
        case .closeMicrophone: parts.pump.perform { $0.uplink.close() }
        case .stopVoice(let responseIDs): parts.pump.perform { $0.playout.stop(refusing: responseIDs) }
        case .forgetMicrophone: parts.pump.perform { $0.uplink.forget() }
        case .turnIsOpen(let isOpen): parts.pump.perform { $0.uplink.turnIsOpen(isOpen) }
        case .startCall(let call, let authority): start(call, authority, at: instant)
        case .cancelCalls: cancelCalls()
        case .askForGreeting:
            let (greeting, mailbox, asked) = (parts.greeting, parts.mailbox, agent)
            Task {
                let text = await greeting()
                // Another assistant may have been called meanwhile.
                if agent == asked { mailbox.post(.agentGreets(text)) }
            }
        case .announce, .answer: break
        case .play(let earcon): parts.earcons.play(earcon)
        case .cancelEarcons: parts.earcons.cancel()
        case .startTimer(let timer, let pause): start(timer, after: pause)
        case .cancelTimer(let timer): timers.removeValue(forKey: timer)?.task.cancel()
        case .stateChanged, .turnEnded, .note: break
        }
    }

    // MARK: Connection

    private struct Line {
        var connection: ServiceConnection?
        /// The number its envelopes carry; nil without a connection.
        var number: Int?
    }

    private func connect(_ index: Int) -> Line {
        connections += 1
        let mailbox = parts.mailbox
        let id = connections
        let connection = service(index).connect(on: parts.network, pump: parts.pump) { event, instant in
            mailbox.post(event, at: instant, connection: id)
        }
        if connection == nil {
            mailbox.post(.disconnected(LinkFailure(.transient, "the network thread does not run")), connection: id)
        }
        return Line(connection: connection, number: id)
    }

    private func retire(_ line: inout Line) {
        with(line) { $0.retire() }
        line = Line()
    }

    private func with(_ line: Line, _ body: @escaping @Sendable (any ServiceLink) -> Void) {
        line.connection?.perform(body)
    }

    private func ask(_ request: ServiceRequest) {
        let answered: String? =
            switch request {
            case .answer(let call, let output) where [.whole, .last].contains(output.part): call
            default: nil
            }
        guard let answered, let known = timings.removeValue(forKey: answered)
        else { return with(current) { $0.ask(request) } }
        let log = log
        let observers = observers
        with(current) { link in
            link.ask(request)
            var timing = known.timing
            timing.delivery = known.replied.map { Monotonic.now() - $0 }
            log.write(timing)
            for observer in observers { observer.call(timing) }
        }
    }

    // MARK: Calls

    private func start(_ call: FunctionCall, _ authority: CallAuthority, at instant: Duration) {
        let dispatcher = parts.dispatcher
        let mailbox = parts.mailbox
        let turn = machine.turns
        let isOrdered = dispatcher.keepsOrder(call.name)
        let inParts = machine.options.capabilities.speaksInParts
        let agent = agent
        let before = isOrdered ? lastOrdered : nil
        let task = Task {
            await before?.value
            // A call that was stopped meanwhile must not begin.
            guard !Task.isCancelled else { return }
            var timing = CallTiming(callID: call.callID, turn: turn)
            var (sent, replied): (Duration?, Duration?)
            let listener = AgentListener(inParts: inParts) { part in
                guard !Task.isCancelled else { return }
                switch part {
                case .sent(let time):
                    sent = time
                    mailbox.post(.callDispatched(callID: call.callID), at: time)
                case .says(let words):
                    mailbox.post(.callSays(callID: call.callID, ToolResult(.answer(words)), isLast: false))
                case .replied(let time): replied = time
                case .ended: break
                }
            }
            let output = await dispatcher.run(
                name: call.name,
                arguments: call.arguments,
                authority: authority,
                turn: turn,
                listener: listener
            ) { mailbox.post(.callDelayed(callID: call.callID, activity: $0)) }
            guard !Task.isCancelled else { return }
            timing.dispatch = sent.map { $0 - instant }
            timing.agent = sent.flatMap { sent in replied.map { $0 - sent } }
            runningCalls[call.callID] = nil
            // Answers that no service takes leave theirs behind.
            if timings.count == Self.mostTimings { timings = [:] }
            timings[call.callID] = (timing, replied)
            guard !output.continues else { return Self.saysLast(output, call, agent, mailbox) }
            mailbox.post(.callAnswered(callID: call.callID, output))
        }
        runningCalls[call.callID] = task
        if isOrdered { lastOrdered = task }
    }

    /// Posts the end of an answer that was spoken in parts. A question of the agent gets a response of its own, so that it
    /// is known how much of it was heard.
    private static func saysLast(
        _ output: ToolResult,
        _ call: FunctionCall,
        _ agent: Int,
        _ mailbox: EventMailbox
    ) {
        var isPrompt = false
        if case .prompt = output.content { isPrompt = true }
        let rest = output.wantsReply && !isPrompt ? output : ToolResult(.answer(""))
        mailbox.post(.callSays(callID: call.callID, rest, isLast: true))
        if isPrompt { mailbox.post(.agentReported(output, agent: agent)) }
    }

    /// Continues with the assistant of another wake word. The calls of the assistant before are withdrawn: no session
    /// could speak their answers, and they would keep an agent of both from the next question.
    func change(to word: String?) {
        let name = assistant?.name ?? "Jarvis"
        parts.logger.info("assistant chosen", metadata: ["name": "\(name)"])
        if !runningCalls.isEmpty {
            parts.logger.notice(
                "the request was withdrawn, because another assistant was called",
                metadata: ["calls": .public(runningCalls.count)]
            )
            for task in runningCalls.values { task.cancel() }
            runningCalls = [:]
            parts.earcons.play(.goodbye)
        }
        agent = parts.useAgent(word)
        proceed(.conversation(.belongs(toAgent: agent, name: name)))
    }

    private func cancelCalls() {
        for task in runningCalls.values { task.cancel() }
        runningCalls = [:]
        let withdraw = parts.withdraw
        Task { await withdraw() }
    }

    // MARK: Timers

    private func start(_ timer: ConversationTimer, after pause: Duration) {
        let mailbox = parts.mailbox
        timers.removeValue(forKey: timer)?.task.cancel()
        timerStarts += 1
        let start = timerStarts
        if timer == .reconnect { retryAt = Monotonic.now() + pause }
        let task = Task {
            guard (try? await Sleep.for(pause)) != nil else { return }
            mailbox.post(timer, start: start)
        }
        timers[timer] = (task, start)
    }

    // MARK: Unknown events

    private func count(_ event: ConversationEvent) {
        guard case .service(.unknown(let type)) = event, unknown.count < 256 else { return }
        let name = String(type.prefix(80))
        unknown[name, default: 0] += 1
        if unknown[name] == 1 {
            parts.logger.debug("an unknown event was ignored", metadata: ["type": "\(name)"])
        }
    }
}

extension ConversationEvent {
    /// When the session ends, in Unix seconds, if the service states it with this event.
    fileprivate var sessionEnds: Int? {
        switch self {
        case .service(.opened(_, let ends)): ends
        case .service(.ready(let readiness)): readiness.ends
        default: nil
        }
    }
}

/// The voice services as an assistant uses them.
package struct AssistantVoice: Sendable {
    /// The wake word in plain form.
    package var word: String
    package var name: String
    /// The preferred service and its substitutes, in their order.
    package var services: [any VoiceService]

    package init(word: String, name: String, services: [any VoiceService]) {
        (self.word, self.name, self.services) = (word, name, services)
    }
}
