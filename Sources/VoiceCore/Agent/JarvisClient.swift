package import Logging
package import VoiceBase
package import VoiceConfiguration
package import VoiceReply

/// Asks the agent, one question at a time.
///
///     ask --> TurnQueue --> CircuitBreaker --> JarvisBackend (a run) --> SpeechShaper --> answer
///                                                 | waits for the user
///                          question as an answer <'--> answer, approve --> the run goes on
///
/// A call follows its run within the call's own task. The run is a task of the client, because it outlives its call when it
/// waits for the user, and outlives the call's task when it must be withdrawn at the server.
///
/// The server queues or refuses concurrent questions of one session, so they wait here: at most two, in order of arrival; a
/// third is answered at once with `tooManyQuestions`. If so configured, a new question supersedes the earlier ones instead.
/// A question that arrives while the agent waits for the user always supersedes that run: the user has moved on. Every
/// question gets exactly one answer within the time limit; the time the user takes to answer the agent does not count.
/// Cancelling the task ends the wait or the run.
///
/// A run that is withdrawn or exceeds its limit is ended at the server. The next question has its turn once the server has
/// confirmed that, a second later at most.
package actor JarvisClient {
    enum Step: Sendable {
        case sign(JarvisSign)
        case ended(JarvisOutcome)
    }

    /// The question in progress.
    struct Run {
        let number: Int
        let query: String
        let sessionID: String
        let steps: BoundedChannel<Step>
        let task: Task<JarvisOutcome, Never>
        let started: Duration
    }

    /// What was spoken of a reply while it is being written.
    private struct Saying {
        /// Number of the run that writes it.
        var run = 0
        /// Spoken sentences of the current segment.
        var said: [String] = []
        /// Whether any were spoken in the call that follows the run now.
        var hasBegun = false
        /// Sentences were skipped, so the rest is spoken when the reply is complete.
        var isHeld = false
    }

    /// A run that waits for the user.
    struct Pending {
        /// Distinguishes it from every other prompt of this process.
        let number: Int
        let run: Run
        let prompt: JarvisPrompt
        /// Ends the wait when the user's time is over or the run goes on without an answer.
        let vigil: Task<Void, Never>
    }

    /// News that is not the answer to a call.
    package enum News: Sendable, Equatable {
        case asks(AgentPrompt)
        /// The agent no longer waits for the user.
        case settled
        /// The result of a run that no call waits for any more.
        case answered(JarvisAnswer, query: String)
    }

    package static let maximumWaiting = 2

    let settings: Configuration.Jarvis
    let request: JarvisRequest
    let transport: any JarvisTransport
    let backend: any JarvisBackend
    let shaper: SpeechShaper
    let environment: Environment
    let logger: Logger
    let onNews: @Sendable (News) -> Void
    let board: ActivityBoard
    let connection: JarvisConnection
    private let store: JarvisSessionStore
    var session: JarvisSession
    package private(set) var breaker = CircuitBreaker()
    private var turn = TurnQueue(maximumWaiting: JarvisClient.maximumWaiting)
    private var runs = 0
    var prompts = 0
    var active: Run?
    /// What was spoken of the reply in progress.
    private var saying = Saying()
    /// False once only the end of a reply showed that it began with thoughts: nothing is spoken early from then on.
    private var hidesThoughts = true
    var pending: Pending?
    /// Waits until the server confirms the end of a run.
    var departing: Task<Void, Never>?
    private var hasLeft = false
    /// Whether a run of ours may remain in the conversation, from an earlier process or after a lost connection.
    var mayFindLeftOvers: Bool
    /// A notice for the user, to be heard before the next answer.
    var notice: String?
    var reading: ReadingPlace?
    /// The session in which the agent has answered, and so has had its briefing.
    var introduced: String?
    /// Whether the agent has shown that it has the voice prompt: in its health answer, in its last first reply.
    var advertisesVoiceMode = false
    private var saysSoInReply: Bool
    /// The last turn as sent to the server: the question, and remarks added to it.
    var sent: [String] = []
    package internal(set) var lastReply: ShapedReply?

    package init(
        base: ServerURL,
        token: Secret?,
        settings: Configuration.Jarvis,
        transport: any JarvisTransport,
        store: JarvisSessionStore = .none,
        environment: Environment = .system,
        onNews: @escaping @Sendable (News) -> Void = { _ in },
        logger: Logger
    ) {
        self.onNews = onNews
        self.settings = settings
        request = JarvisRequest(base: base, token: token, settings: settings)
        self.transport = transport
        let connection = JarvisConnection(
            request: request,
            transport: transport,
            environment: environment,
            logger: logger
        )
        self.connection = connection
        board = connection.board
        backend =
            switch settings.api {
            case .chat: ChatBackend(connection: connection, watchesPrompts: true)
            case .responses:
                ResponsesBackend(
                    connection: connection,
                    silence: .seconds(settings.silenceS),
                    maximumWords: settings.maximumSpokenWords
                )
            case .openai: PlainBackend(connection: connection)
            }
        shaper = SpeechShaper(maximumWords: settings.maximumSpokenWords)
        self.environment = environment
        self.logger = logger
        self.store = store
        let saved = store.load()
        mayFindLeftOvers = saved != nil
        // If the history is kept here, the briefing was lost with it.
        introduced = settings.api == .openai ? nil : saved?.id
        saysSoInReply = saved?.knowsVoiceMode ?? false
        session = JarvisSession(
            idleLimit: .seconds(30 * 60),
            saved: saved,
            unusedFor: .seconds(saved.map { environment.wallClock() - $0.usedAt } ?? 0),
            now: environment.now(),
            makeID: environment.makeID
        )
    }

    /// Sets the token for requests from now on.
    package nonisolated func useToken(_ token: Secret?) { request.useToken(token) }

    /// Ends the current request, and begins a fresh conversation with the next question.
    package func startFresh() {
        cancelRequest()
        session.renew()
        sent = []
        lastReply = nil
        reading = nil
        logger.info("fresh conversation with Jarvis")
        Task { self.save() }
    }

    /// The next piece of the last answer, shaped for speech; nil if there is none.
    package func readOn() -> String? { reading?.next() }

    /// Asks the agent. Never throws and always returns something to say, or a prompt.
    ///
    /// - Parameter context: what the agent has to know beside the user's words.
    package func ask(_ query: String, context: String? = nil) async -> JarvisAnswer {
        let asked = environment.now()
        if hasLeft { return report(.cancelled, took: .zero) }
        if pending != nil { withdraw(.superseded) }
        if let failure = await waitForTurn() { return report(failure, took: .zero) }
        if let failure = await breakerRefusal() {
            turn.finish()
            return report(failure, took: environment.now() - asked)
        }
        // Its turn may have come while everything was being withdrawn.
        if hasLeft {
            turn.finish()
            return report(.cancelled, took: .zero)
        }
        return await follow(start(query, context), since: asked)
    }

    /// Whether the agent works on a question or waits for the user.
    package var isAtWork: Bool { active != nil || pending != nil }

    /// Withdraws the current request and the waiting ones; false if there were none.
    @discardableResult
    package func cancelRequest() -> Bool {
        let waiting = turn.abandonAll(as: .cancelled)
        return withdraw(.cancelled) || waiting > 0
    }

    /// Withdraws everything for good, and waits until the server has confirmed it, a second at most.
    package func leave() async {
        hasLeft = true
        cancelRequest()
        await departing?.value
    }

    // MARK: Runs

    private func start(_ query: String, _ context: String?) -> Run {
        runs += 1
        let sessionID = session.id(at: environment.now())
        let isFirst = introduced != sessionID
        let wantsPreamble =
            switch settings.preamble {
            case .always: true
            case .auto: !advertisesVoiceMode && !saysSoInReply
            case .off: false
            }
        let whole = context.map { query + "\n\n" + $0 } ?? query
        let text = AgentBriefing.question(whole, preamble: isFirst && wantsPreamble)
        sent = [text]
        let question = JarvisQuestion(
            query: text,
            sessionID: sessionID,
            previous: session.previous,
            key: settings.api == .responses ? environment.makeID() : "",
            mayFindLeftOvers: mayFindLeftOvers
        )
        let steps = BoundedChannel<Step>()
        board.show(JarvisActivity())
        let task = Task { [backend] in
            let outcome = await backend.run(question) { steps.send(.sign($0)) }
            steps.send(.ended(outcome), isLast: true)
            return outcome
        }
        let run = Run(
            number: runs,
            query: query,
            sessionID: question.sessionID,
            steps: steps,
            task: task,
            started: environment.now()
        )
        active = run
        return run
    }

    /// Waits until the run has ended or needs something from the user.
    ///
    /// Applies the deadline of a call: `jarvis.timeout_s` from the first request. It starts anew when the question had to
    /// be asked again and when the user has answered. Time in the queue and the user's own time do not count.
    func follow(_ run: Run, since asked: Duration) async -> JarvisAnswer {
        let limit = Duration.seconds(settings.timeoutS)
        var deadline = environment.now() + limit
        if saying.run != run.number { saying = Saying(run: run.number) }
        saying.hasBegun = false
        while true {
            let left = max(.zero, deadline - environment.now())
            let step = await TimeLimit.run(left, sleep: environment.expire) { await run.steps.next() }
            if Task.isCancelled { return abandon(run, .cancelled, since: asked) }
            switch step {
            case nil, .some(nil): return abandon(run, await reasonForSilence(), since: asked)
            case .ended(let outcome)??: return conclude(run, outcome, since: asked)
            // After an outage, a question asked again gets the full time.
            case .sign(.askedAgain)??: deadline = environment.now() + limit
            case .sign(.words(let new, let given))??:
                if say(new, given, of: run, since: asked) { deadline = environment.now() + limit }
            case .sign(.prompt(let prompt))??:
                if !isReadAloud(prompt) {
                    _ = await transport.exchange(request.reply(prompt.refusal, session: run.sessionID))
                } else if run.number == active?.number {
                    return park(run, prompt)
                }
            }
        }
    }

    /// Passes on sentences of a reply in progress, if the call takes them. A late answer, or one preceded by a notice, is
    /// spoken as a whole, because other words come first.
    ///
    /// - Returns: whether any were passed on.
    private func say(_ new: [String], _ given: [String], of run: Run, since asked: Duration) -> Bool {
        guard saying.run == run.number, !saying.isHeld, hidesThoughts else { return false }
        let late = Duration.seconds(settings.stillWorkingS)
        let isLate = settings.stillWorkingS > 0 && environment.now() - asked > late && !saying.hasBegun
        guard let says = CallTrace.current?.says, notice == nil, !isLate, active?.number == run.number,
            !Task.isCancelled
        else {
            saying.isHeld = !new.isEmpty
            return false
        }
        saying.said = given
        guard !new.isEmpty else { return false }
        saying.hasBegun = true
        for sentence in new { says(sentence) }
        return true
    }

    /// Returns the part of the answer that was not spoken while it was being written.
    func behindWhatWasSaid(_ answer: JarvisAnswer, of run: Run) -> JarvisAnswer {
        guard saying.run == run.number, saying.hasBegun || !saying.said.isEmpty else { return answer }
        var rest = answer.behind(saying.said)
        rest.goesOn = saying.hasBegun
        return rest
    }

    private func abandon(_ run: Run, _ failure: JarvisFailure, since asked: Duration) -> JarvisAnswer {
        release(run)
        return conclude(run, JarvisOutcome(.failure(failure)), since: asked)
    }

    /// Determines why the deadline passed: the agent needs more time, or it is unreachable.
    private func reasonForSilence() async -> JarvisFailure {
        guard settings.api != .openai, let active else { return .timedOut }
        let look = connection.request.state(session: active.sessionID)
        let state = await TimeLimit.run(JarvisConnection.silenceBeforeLook, sleep: environment.expire) {
            [transport] in await transport.exchange(look)
        }
        switch state {
        case nil, .failure(.timedOut): return .offline(detail: "no answer")
        case .failure(.offline(let detail)): return .offline(detail: detail)
        default: return .timedOut
        }
    }

    /// Ends a run that nobody follows any more; its turn is over once the server has confirmed that.
    private func release(_ run: Run) {
        guard active?.number == run.number else { return }
        active = nil
        run.task.cancel()
        departing = Task {
            let outcome = await run.task.value
            learn(outcome, of: run)
            turn.finish()
        }
    }

    /// Updates the conversation from the end of a run.
    private func learn(_ outcome: JarvisOutcome, of run: Run) {
        mayFindLeftOvers = outcome.mayGoOn
        if let latest = outcome.notice { notice = latest }
        if let continuation = outcome.continuation, session.currentID == run.sessionID {
            session.previous = continuation
        }
        Task { self.save() }
    }

    /// Concludes a run; every run ends here.
    @discardableResult
    func conclude(_ run: Run, _ outcome: JarvisOutcome, since asked: Duration) -> JarvisAnswer {
        if active?.number == run.number {
            active = nil
            learn(outcome, of: run)
            turn.finish()
        }
        let now = environment.now()
        session.touch(at: now)
        let took = now - asked
        switch outcome.result {
        case .failure(let failure):
            breaker.record(failure, at: now)
            return withNotice(behindWhatWasSaid(report(failure, took: took), of: run))
        case .success(let content):
            breaker.record(nil, at: now)
            // Addresses never pass through the speaking model.
            let media = MediaInReply(introduce(run.sessionID, content))
            let written = WrittenReply(SpeechShaper.bounded(content).text)
            if written.hasCall { logger.warning("\(JarvisFailure.toolNotRun.logLine)") }
            hidesThoughts = hidesThoughts && !written.hasLateThoughts
            let words = shaper.shape(media.rest)
            guard let reply = words ?? (media.items.isEmpty ? nil : .wordless) else {
                return withNotice(behindWhatWasSaid(report(.emptyReply, took: took), of: run))
            }
            lastReply = reply
            reading = shaper.place(in: reply)
            logger.info(
                "Jarvis answered",
                metadata: .event(
                    .agentAnswered,
                    [
                        "ms": .public(took.milliseconds), "words": .public(WordCount.words(in: reply.full)),
                        "cut": .public(reply.wasCut), "media": .public(media.items.count),
                    ]
                )
            )
            var answer = JarvisAnswer(reply: reply, media: media.items)
            answer.leftOut = media.leftOut
            answer.took = took
            return withNotice(behindWhatWasSaid(answer, of: run))
        }
    }

    /// Puts the pending notice before the next answer, unless nobody hears that answer.
    func withNotice(_ answer: JarvisAnswer) -> JarvisAnswer {
        guard let notice, answer.failure?.isWithdrawal != true, !answer.goesOn else { return answer }
        self.notice = nil
        return answer.after(notice)
    }

    /// Notes that the agent has answered in this session, and so has had its briefing.
    private func introduce(_ id: String, _ content: String) -> String {
        let (words, hasMark) = AgentBriefing.read(content)
        guard introduced != id else { return words }
        introduced = id
        saysSoInReply = hasMark
        return words
    }

    var sessionID: String { session.currentID }

    /// Makes the next question continue this answer.
    func goOn(from previous: String?) {
        session.previous = previous
        Task { self.save() }
    }

    /// Ends the current run; false if there is none.
    @discardableResult
    private func withdraw(_ failure: JarvisFailure) -> Bool {
        guard let run = active else { return false }
        let outcome = JarvisOutcome(.failure(failure))
        run.steps.send(.ended(outcome), isLast: true)
        release(run)
        // No call follows a run that waits for the user.
        if settle() {
            conclude(run, outcome, since: run.started)
        }
        return true
    }

    private func breakerRefusal() async -> JarvisFailure? {
        switch breaker.decide(at: environment.now()) {
        case .pass: return nil
        case .refuse: return .resting(seconds: breaker.pauseLeft(at: environment.now()))
        case .tryOut:
            guard case .failure(let failure) = await check() else { return nil }
            breaker.record(failure, at: environment.now())
            return failure
        }
    }

    func save() {
        var saved = session.saved(usedAt: environment.wallClock())
        saved.knowsVoiceMode = saysSoInReply
        store.save(saved)
    }

    // MARK: Queue

    /// Runs `work` in a turn of its own, while questions wait.
    func withTurn(_ work: () async -> Void) async {
        guard await waitForTurn() == nil else { return }
        await work()
        turn.finish()
    }

    /// Waits for the turn. Returns nil once it has come, after which it must be finished; otherwise the reason why it never
    /// will.
    private func waitForTurn() async -> JarvisFailure? {
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
        // A question refused locally is not a problem of the server.
        if failure.isLocal || failure == .emptyReply {
            logger.info("\(private: failure.logLine)", metadata: ["ms": .public(took.milliseconds)])
        } else {
            logger.warning(
                "\(private: failure.logLine)",
                metadata: .event(.agentFailed, ["ms": .public(took.milliseconds)])
            )
        }
        if let text = failure.providerText { logger.debug("error of the server", metadata: ["text": "\(text)"]) }
        var answer = JarvisAnswer(failure: failure)
        answer.took = took
        return answer
    }
}
