package import Logging

/// Asks the agent, one question at a time.
///
///     ask --> TurnQueue --> CircuitBreaker --> JarvisBackend (a run) --> SpeechShaper --> answer
///                                                 | waits for the user
///                          question as an answer <'--> answer, approve --> the run goes on
///
/// The server lets questions of one session wait for each other or refuses them, so they wait here: at most two, in the
/// order they came; a third is answered at once with `tooManyQuestions`. By configuration a new question takes the place
/// of the ones before instead. A question that comes while the agent waits for the user takes its place always: the user
/// has moved on. Every question gets exactly one answer, within the time limit; the time the user takes to answer the
/// agent does not count. Cancelling the task ends the wait or the run.
package actor JarvisClient {
    enum Step: Sendable {
        case prompt(JarvisPrompt)
        case ended(JarvisOutcome)
    }

    /// The question being answered.
    struct Run {
        let number: Int
        let sessionID: String
        let line: StepLine<Step>
        let task: Task<Void, Never>
        let started: Duration
    }

    /// A run that waits for the user.
    struct Pending {
        let run: Run
        let prompt: JarvisPrompt
        let timer: Task<Void, Never>
    }

    package static let maximumWaiting = 2

    let settings: Configuration.Jarvis
    let request: JarvisRequest
    let refusal: JarvisFailure?
    let transport: any JarvisTransport
    let backend: any JarvisBackend
    let shaper: SpeechShaper
    let surroundings: Surroundings
    let logger: Logger
    private let store: JarvisSessionStore
    private var stored: SavedJarvisSession?
    private var session: JarvisSession
    private var breaker = CircuitBreaker()
    private var turn = TurnQueue(maximumWaiting: JarvisClient.maximumWaiting)
    private var runs = 0
    var active: Run?
    var pending: Pending?
    private var reading: ReadingPlace?
    /// The last answer in full.
    package private(set) var lastReply: ShapedReply?

    package init(
        base: ServerURL,
        token: Secret?,
        settings: Configuration.Jarvis,
        transport: any JarvisTransport,
        store: JarvisSessionStore = .none,
        surroundings: Surroundings = .system,
        logger: Logger
    ) {
        self.settings = settings
        request = JarvisRequest(base: base, token: token, settings: settings)
        let isSafe = token == nil || settings.allowPlainHTTP || TokenTransportPolicy.allows(base)
        refusal = isSafe ? nil : .insecure(host: base.host)
        self.transport = transport
        let connection = JarvisConnection(request: request, transport: transport, surroundings: surroundings)
        backend =
            switch settings.api {
            case .chat: ChatBackend(connection: connection, watchesPrompts: true)
            case .responses: ResponsesBackend(connection: connection, silence: .seconds(settings.silenceS))
            case .openai: PlainBackend(connection: connection)
            }
        shaper = SpeechShaper(maximumWords: settings.maximumSpokenWords)
        self.surroundings = surroundings
        self.logger = logger
        self.store = store
        let saved = store.load()
        stored = saved
        session = JarvisSession(
            idleLimit: settings.idleRenewalMin > 0 ? Duration.seconds(settings.idleRenewalMin * 60) : nil,
            saved: saved,
            unusedFor: .seconds(saved.map { surroundings.wallClock() - $0.usedAt } ?? 0),
            now: surroundings.now(),
            makeID: surroundings.makeID
        )
    }

    /// The token of requests from now on.
    nonisolated func useToken(_ token: Secret?) { request.useToken(token) }

    /// Begins a fresh conversation with the next question.
    package func startFresh() {
        session.renew()
        lastReply = nil
        reading = nil
        logger.info("fresh conversation with Jarvis")
        Task { self.save() }
    }

    /// The next piece of the last answer, made for the ear; nil when there is none.
    package func readOn() -> String? { reading?.next() }

    /// Never throws and always returns something to say.
    package func ask(_ query: String) async -> JarvisAnswer {
        let asked = surroundings.now()
        if let refusal { return report(refusal, took: .zero) }
        if pending != nil || settings.newQuestion == .supersede {
            withdraw(.superseded)
            if settings.newQuestion == .supersede { turn.abandonAll(as: .superseded) }
        }
        switch await waitForTurn() {
        case .granted: break
        case .full: return report(.tooManyQuestions, took: .zero)
        case .cancelled: return report(.cancelled, took: .zero)
        case .superseded: return report(.superseded, took: .zero)
        }
        if let failure = await breakerRefusal() {
            turn.finish()
            return report(failure, took: surroundings.now() - asked)
        }
        return await follow(start(query), since: asked)
    }

    /// Takes back what is under way and what waits; false when there is nothing.
    package func cancelRequest() -> Bool {
        let waiting = turn.abandonAll(as: .cancelled)
        return withdraw(.cancelled) || waiting > 0
    }

    // MARK: Runs

    private func start(_ query: String) -> Run {
        runs += 1
        let question = JarvisQuestion(
            query: query,
            sessionID: session.id(at: surroundings.now()),
            previous: session.previous,
            key: settings.api == .responses ? surroundings.makeID() : ""
        )
        let line = StepLine<Step>()
        let backend = backend
        let task = Task.detached { [trace = CallTrace.current] in
            await CallTrace.$current.withValue(trace) {
                let outcome = await backend.run(question) { line.post(.prompt($0)) }
                line.post(.ended(outcome))
            }
        }
        let run = Run(
            number: runs,
            sessionID: question.sessionID,
            line: line,
            task: task,
            started: surroundings.now()
        )
        active = run
        return run
    }

    /// Waits until the run has ended or wants something of the user.
    func follow(_ run: Run, since asked: Duration) async -> JarvisAnswer {
        let deadline = surroundings.now() + .seconds(settings.timeoutS)
        while true {
            let left = max(.zero, deadline - surroundings.now())
            let step = await Patience.value(within: left, sleep: surroundings.sleep) { await run.line.next() }
            if Task.isCancelled { return abandon(run, .cancelled, since: asked) }
            switch step {
            case nil, .some(nil): return abandon(run, .timedOut, since: asked)
            case .ended(let outcome)??: return conclude(run, outcome, since: asked)
            case .prompt(let prompt)??:
                if !isReadAloud(prompt) {
                    _ = await transport.exchange(request.reply(prompt.refusal, session: run.sessionID))
                } else if run.number == active?.number {
                    return park(run, prompt)
                }
            }
        }
    }

    private func abandon(_ run: Run, _ failure: JarvisFailure, since asked: Duration) -> JarvisAnswer {
        run.task.cancel()
        return conclude(run, JarvisOutcome(.failure(failure)), since: asked)
    }

    /// The one end of every run.
    @discardableResult
    func conclude(_ run: Run, _ outcome: JarvisOutcome, since asked: Duration) -> JarvisAnswer {
        if active?.number == run.number {
            active = nil
            turn.finish()
        }
        let now = surroundings.now()
        session.touch(at: now)
        if let continuation = outcome.continuation, session.currentID == run.sessionID {
            session.previous = continuation
        }
        Task { self.save() }
        let took = now - asked
        switch outcome.result {
        case .failure(let failure):
            breaker.record(failure, at: now)
            return report(failure, took: took)
        case .success(let content):
            breaker.record(nil, at: now)
            guard let reply = shaper.shape(content) else { return report(.emptyReply, took: took) }
            lastReply = reply
            reading = shaper.place(in: reply)
            logger.info(
                "Jarvis answered",
                metadata: .event(
                    .agentAnswered,
                    [
                        "ms": "\(took.milliseconds)", "words": "\(WordCount.words(in: reply.full))",
                        "cut": "\(reply.wasCut)",
                    ]
                )
            )
            var answer = JarvisAnswer(reply: reply)
            answer.took = took
            return answer
        }
    }

    /// Ends the run under way; false when there is none.
    @discardableResult
    private func withdraw(_ failure: JarvisFailure) -> Bool {
        guard let run = active else { return false }
        let outcome = JarvisOutcome(.failure(failure))
        run.line.post(.ended(outcome))
        run.task.cancel()
        // One that waits for the user is followed by nobody.
        if let pending {
            pending.timer.cancel()
            self.pending = nil
            conclude(run, outcome, since: run.started)
        }
        return true
    }

    private func breakerRefusal() async -> JarvisFailure? {
        switch breaker.decide(at: surroundings.now()) {
        case .pass: return nil
        case .refuse(let failure): return failure
        case .tryOut:
            guard case .failure(let failure) = await check() else { return nil }
            breaker.record(failure, at: surroundings.now())
            return failure
        }
    }

    private func save() {
        let saved = session.saved(usedAt: surroundings.wallClock())
        guard saved != stored else { return }
        stored = saved
        if let problem = store.save(saved) {
            logger.warning("the conversation with Jarvis will not outlive a restart", metadata: ["why": "\(problem)"])
        }
    }

    // MARK: Waiting for one's turn

    private func waitForTurn() async -> TurnQueue.Grant {
        let ticket = turn.makeTicket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { turn.enter(ticket, isCancelled: Task.isCancelled, continuation: $0) }
        } onCancel: {
            Task { await self.leave(ticket) }
        }
    }

    private func leave(_ ticket: Int) { turn.abandon(ticket) }

    // MARK: Reporting

    func report(_ failure: JarvisFailure, took: Duration) -> JarvisAnswer {
        if failure.isWithdrawal || failure == .emptyReply {
            logger.info("\(failure.logLine)", metadata: ["ms": "\(took.milliseconds)"])
        } else {
            logger.warning("\(failure.logLine)", metadata: .event(.agentFailed, ["ms": "\(took.milliseconds)"]))
        }
        if let text = failure.providerText { logger.debug("the server's own words", metadata: ["text": "\(text)"]) }
        var answer = JarvisAnswer(failure: failure)
        answer.took = took
        return answer
    }
}
