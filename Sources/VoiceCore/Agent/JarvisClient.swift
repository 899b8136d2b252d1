package import Logging
package import VoiceBase
package import VoiceReply

/// Asks the agent, one question at a time.
///
///     ask --> queue --> CircuitBreaker --> Run (JarvisBackend) --> sentences, SpeechShaper --> AgentReply
///                                           | waits for the user
///                    question as an answer <'--> answer, approve --> the run continues
///
/// The run is a task of this actor, because it outlives its call when it waits for the user, and when it must be withdrawn at
/// the server. It writes into the reply of the call that follows it; without a call, its answer is news.
///
/// The server queues or refuses concurrent questions of one session, so they wait here: at most two, in order of arrival; a
/// third is answered immediately with `tooManyQuestions`. A question that arrives while the agent waits for the user supersedes
/// that run: the user has moved on. Every question gets exactly one answer within the time limit; the time the user takes to
/// answer the agent does not count. Cancelling the reader of a reply ends the wait or the run.
///
/// A run that is withdrawn or exceeds its limit is ended at the server. The next question has its turn once the server has
/// confirmed that, a second later at most.
package actor JarvisClient {
    /// A call whose reply is read.
    struct Call {
        let number: Int
        let inParts: Bool
        let asked: Duration
        let parts: AgentReply.Continuation
        /// Words before the answer.
        var opening: String?

        func end(_ answer: JarvisAnswer) {
            parts.yield(.ended(opening.map(answer.after) ?? answer))
            parts.finish()
        }
    }

    /// A question that waits for its turn.
    private struct Question {
        let query: String
        let context: String?
        let call: Call
    }

    /// The question in progress.
    struct Run {
        let number: Int
        let query: String
        var sessionID: String
        /// Whether the conversation had other questions before it.
        var isContinued: Bool
        let started: Duration
        var task: Task<Void, Never>?
        /// The call that waits for the answer; nil while the run waits for the user, or once it continues without the user's reply.
        var call: Call?
        /// When `call` began to follow the run.
        var since: Duration
        var wasSent = false
        /// Spoken sentences of the current segment.
        var said: [String] = []
        /// Whether `call` has spoken any of them.
        var hasBegun = false
        /// Sentences were skipped, so the rest is spoken when the reply is complete.
        var isHeld = false
        /// Prompts that wait for the end of the one before them; further ones are refused.
        var later: [JarvisPrompt] = []
    }

    /// The prompt of the run in progress.
    struct Pending {
        /// Distinguishes it from every other prompt of this process.
        let number: Int
        let prompt: JarvisPrompt
        /// Ends the wait when the user's time is over.
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
    static let maximumPrompts = 8

    let settings: Configuration.Jarvis
    package nonisolated let name: AgentName
    /// Told to the agent with the first question of a conversation; empty to leave it out.
    private let boxName: String
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
    /// When the server is to be checked next.
    var nextLook: Duration?
    /// Questions behind the one in progress.
    private var waiting: [Question] = []
    /// The question that waits for the trial of a server in trouble.
    private var trying: Question?
    /// Whether a question is in progress, or a withdrawn one has not ended at the server.
    private var isTaken = false
    private var calls = 0
    private var runs = 0
    var prompts = 0
    var active: Run?
    /// Ends the run when the time of its call is over.
    private var clock: Task<Void, Never>?
    /// False once a reply has shown only at its end that it began with thoughts: from then on nothing is spoken early.
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
    /// The session of the last question, even if that question failed.
    private var asked: String?
    /// The last turn as sent to the server: the question, and remarks added to it.
    var sent: [String] = []
    package internal(set) var lastReply: ShapedReply?

    /// - Parameters:
    ///   - sessionName: part of the ids of its conversations; empty for none.
    ///   - firstPrompt: its prompts are numbered from the next number on. Each client of a process has its own range.
    package init(
        base: ServerURL,
        token: Secret?,
        settings: Configuration.Jarvis,
        name: AgentName = AgentName(),
        boxName: String = "",
        sessionName: String = "",
        firstPrompt: Int = 0,
        transport: any JarvisTransport,
        store: JarvisSessionStore = .none,
        environment: Environment = .system,
        onNews: @escaping @Sendable (News) -> Void = { _ in },
        logger: Logger
    ) {
        self.onNews = onNews
        self.settings = settings
        self.name = name
        self.boxName = boxName
        request = JarvisRequest(base: base, token: token, settings: settings)
        self.transport = transport
        let connection = JarvisConnection(
            request: request, transport: transport, environment: environment, logger: logger
        )
        self.connection = connection
        board = connection.board
        backend =
            switch settings.api {
            case .chat: ChatBackend(connection: connection)
            case .responses:
                ResponsesBackend(
                    connection: connection, silence: .seconds(settings.silenceS),
                    maximumWords: settings.maximumSpokenWords
                )
            case .openai: PlainBackend(connection: connection)
            case .homeAssistant:
                HomeAssistantBackend(connection: connection, maximumWords: settings.maximumSpokenWords)
            }
        shaper = SpeechShaper(maximumWords: settings.maximumSpokenWords)
        self.environment = environment
        self.logger = logger
        self.store = store
        let saved = store.load()
        mayFindLeftOvers = saved != nil
        // If the history is kept here, the briefing was lost with it.
        introduced = settings.api == .openai ? nil : saved?.id
        asked = introduced
        saysSoInReply = saved?.knowsVoiceMode ?? false
        session = JarvisSession(
            idleLimit: .seconds(30 * 60),
            saved: saved,
            unusedFor: .seconds(saved.map { environment.wallClock() - $0.usedAt } ?? 0),
            now: environment.now(),
            makeID: { sessionName.isEmpty ? environment.makeID() : "\(sessionName.prefix(60))-\(environment.makeID())" }
        )
        prompts = firstPrompt
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

    /// Asks the agent. There is always something to say, or a prompt.
    ///
    /// - Parameters:
    ///   - context: information for the agent beside the user's words.
    ///   - inParts: whether sentences are wanted while the answer is being written.
    package func ask(_ query: String, context: String?, inParts: Bool) -> AgentReply {
        let (call, reply) = makeCall(inParts: inParts)
        if hasLeft {
            call.end(report(.cancelled, took: .zero))
            return reply
        }
        if pending != nil { withdraw(.superseded) }
        let question = Question(query: query, context: context, call: call)
        if !isTaken {
            begin(question)
        } else if waiting.count < Self.maximumWaiting {
            waiting.append(question)
        } else {
            call.end(report(.tooManyQuestions, took: .zero))
        }
        return reply
    }

    /// Whether the agent works on a question or waits for the user.
    package var isAtWork: Bool { active != nil }

    /// Withdraws the current request and the waiting ones; false if there were none.
    @discardableResult
    package func cancelRequest() -> Bool {
        let withdrawn = waiting + (trying.map { [$0] } ?? [])
        (waiting, trying) = ([], nil)
        for question in withdrawn { question.call.end(report(.cancelled, took: .zero)) }
        return withdraw(.cancelled) || !withdrawn.isEmpty
    }

    /// Withdraws everything for good, and waits until the server has confirmed it, a second at most.
    package func leave() async {
        hasLeft = true
        cancelRequest()
        await departing?.value
    }

    // MARK: Calls

    func makeCall(inParts: Bool, opening: String? = nil) -> (Call, AgentReply) {
        let (reply, parts) = AgentReply.makeStream(bufferingPolicy: .bufferingNewest(AgentPart.most))
        calls += 1
        let number = calls
        parts.onTermination = { end in
            if case .cancelled = end { Task { await self.left(number) } }
        }
        return (Call(number: number, inParts: inParts, asked: environment.now(), parts: parts, opening: opening), reply)
    }

    /// The reader of a call was cancelled.
    private func left(_ number: Int) {
        if active?.call?.number == number {
            withdraw(.cancelled)
        } else if trying?.call.number == number {
            trying = nil
        } else {
            waiting.removeAll { $0.call.number == number }
        }
    }

    /// Takes the turn for `work`, unless a question has it.
    func withTurn(_ work: () async -> Void) async {
        guard !isTaken else { return }
        isTaken = true
        await work()
        nextTurn()
    }

    private func nextTurn() {
        isTaken = false
        if !waiting.isEmpty { begin(waiting.removeFirst()) }
    }

    private func begin(_ question: Question) {
        isTaken = true
        switch breaker.decide(at: environment.now()) {
        case .pass: start(question)
        case .refuse: refuse(question, .resting(seconds: breaker.pauseLeft(at: environment.now())))
        case .tryOut:
            trying = question
            Task {
                let health = await check()
                let question = trying
                trying = nil
                if case .failure(let failure) = health {
                    breaker.record(failure, at: environment.now())
                    if let question { return refuse(question, failure) }
                } else if let question {
                    return start(question)
                } else {
                    breaker.record(.cancelled, at: environment.now())
                }
                nextTurn()
            }
        }
    }

    /// Records the result of a check of the server without a question.
    func checked(_ failure: JarvisFailure?) {
        let before = breaker.trouble
        breaker.checked(failure)
        guard breaker.trouble != before else { return }
        if breaker.trouble == nil {
            logger.notice("Jarvis answers again", metadata: .event(.agentReady))
        } else if before == nil {
            nextLook = environment.now() + Self.lookPause
        }
    }

    private func refuse(_ question: Question, _ failure: JarvisFailure) {
        question.call.end(report(failure, took: environment.now() - question.call.asked))
        nextTurn()
    }

    // MARK: Runs

    private func start(_ question: Question) {
        runs += 1
        let sessionID = session.id(at: environment.now())
        // Home Assistant matches the words against sentences, so it gets no context.
        let context = settings.api == .homeAssistant ? nil : question.context
        let whole = context.map { question.query + "\n\n" + $0 } ?? question.query
        let first = prepare(whole, in: sessionID)
        board.show(JarvisActivity())
        let number = runs
        var run = Run(
            number: number, query: question.query, sessionID: sessionID, isContinued: asked == sessionID,
            started: environment.now(), call: question.call, since: question.call.asked
        )
        asked = sessionID
        run.task = Task { [backend] in
            var question = first
            var outcome = await backend.run(question) { handle($0, of: number) }
            let before = session
            while outcome.mayBeLength, let shorter = shortened(whole, of: number, &outcome) {
                question = shorter
                outcome = await backend.run(question) { handle($0, of: number) }
            }
            // The length was not the reason: restores the conversation.
            if outcome.mayBeLength, session.currentID == question.sessionID {
                session = before
                asked = before.currentID
                notice = nil
            }
            learn(outcome, of: question.sessionID)
            wentOn(number)
            if active?.number == number { end(outcome) }
            nextTurn()
        }
        active = run
        keepTime()
    }

    /// A question in the form in which it is sent.
    private func prepare(_ query: String, in sessionID: String) -> JarvisQuestion {
        let wantsPreamble =
            switch settings.preamble {
            case _ where settings.api == .homeAssistant: false
            case .always: true
            case .auto: !advertisesVoiceMode && !saysSoInReply
            case .off: false
            }
        let isFirst = introduced != sessionID
        let tellsName = settings.preamble != .off && settings.api != .homeAssistant && !boxName.isEmpty
        let box = isFirst && tellsName ? boxName : nil
        let text = AgentBriefing.question(query, preamble: isFirst && wantsPreamble, box: box)
        sent = [text]
        return JarvisQuestion(
            query: text, sessionID: sessionID, previous: session.previous,
            key: settings.api == .responses ? environment.makeID() : "", mayFindLeftOvers: mayFindLeftOvers
        )
    }

    /// The conversation has become too long for the model, or is refused as it is, and the same request would fail again: drops
    /// its beginning or, where the server keeps it, begins a fresh one.
    ///
    /// - Returns: the question to ask instead; nil if there is nothing to drop, or if part of the question may be done.
    private func shortened(_ query: String, of number: Int, _ outcome: inout JarvisOutcome) -> JarvisQuestion? {
        guard let run = active, run.number == number, !Task.isCancelled else { return nil }
        let mayRepeat = !outcome.hasWorked && run.said.isEmpty
        let isSure = outcome.result == .failure(.tooLong)
        guard mayRepeat || isSure else { return nil }
        var isRenewed = false
        if !backend.shorten() {
            guard settings.api != .openai, run.isContinued || !mayRepeat, run.sessionID == session.currentID else {
                return nil
            }
            session.renew()
            isRenewed = true
        }
        let reason = isSure ? "had become too long for Jarvis" : "was refused by Jarvis's model"
        let remedy = isRenewed ? "a new one has begun" : "its beginning was dropped"
        notice = name.told("The conversation \(reason), so \(remedy).")
        logger.warning(
            isRenewed
                ? "the conversation is \(isSure ? "too long for" : "refused by") Jarvis's model; a new one begins"
                : "the conversation is \(isSure ? "too long for" : "refused by") Jarvis's model; its beginning was dropped"
        )
        guard mayRepeat else {
            outcome.result = .failure(.cutOff(detail: "the conversation is too long for its model"))
            return nil
        }
        let sessionID = session.id(at: environment.now())
        active?.sessionID = sessionID
        active?.isContinued = false
        asked = sessionID
        handle(.askedAgain, of: number)
        return prepare(query, in: sessionID)
    }

    private func handle(_ sign: JarvisSign, of number: Int) {
        if case .prompt = sign {} else { wentOn(number) }
        guard let run = active, run.number == number else { return }
        switch sign {
        case .sent(let instant):
            if !run.wasSent { run.call?.parts.yield(.sent(at: instant)) }
            active?.wasSent = true
        // After an outage, a question asked again gets the full time.
        case .askedAgain: keepTime()
        case .words(let new, let given): say(new, given)
        case .prompt(let prompt): receive(prompt, of: run)
        }
    }

    /// Sets the call that follows the run; with nil, the run's answer is news.
    func follow(_ call: Call?) {
        active?.call = call
        active?.since = call?.asked ?? environment.now()
        active?.hasBegun = false
        keepTime()
    }

    /// Starts the time limit of a call anew: `jarvis.timeout_s` from the first request, from a question that is asked again,
    /// from the last sentence and from the user's answer. Time in the queue and the user's own time do not count.
    func keepTime() {
        clock?.cancel()
        guard let number = active?.number else { return }
        clock = Task {
            await environment.expire(.seconds(settings.timeoutS))
            guard !Task.isCancelled else { return }
            let failure = await reasonForSilence()
            if !Task.isCancelled, active?.number == number { withdraw(failure) }
        }
    }

    func stopTime() { clock?.cancel() }

    /// Passes on sentences of a reply in progress, if the call takes them. A late answer, or one preceded by a notice, is
    /// spoken as a whole, because other words come first.
    private func say(_ new: [String], _ given: [String]) {
        guard let run = active, !run.isHeld, hidesThoughts else { return }
        let late = Duration.seconds(settings.stillWorkingS)
        let isLate = settings.stillWorkingS > 0 && environment.now() - run.since > late && !run.hasBegun
        guard let call = run.call, call.inParts, notice == nil, !isLate else {
            active?.isHeld = !new.isEmpty
            return
        }
        active?.said = given
        guard !new.isEmpty else { return }
        active?.hasBegun = true
        for sentence in new {
            guard case .dropped = call.parts.yield(.says(sentence)) else { continue }
            logger.warning("a sentence of the answer was dropped: the call does not read")
        }
        keepTime()
    }

    /// Gives an answer to the call that follows the run; without one it is news.
    func deliver(_ answer: JarvisAnswer, of run: Run) {
        var answer = answer
        // Sentences that were spoken while the answer was written are not repeated.
        if run.hasBegun || !run.said.isEmpty {
            answer = answer.behind(run.said)
            answer.goesOn = run.hasBegun
        }
        // A notice comes before the next answer, unless that answer is not heard.
        if let notice, answer.failure?.isWithdrawal != true, !answer.goesOn {
            self.notice = nil
            answer = answer.after(notice)
        }
        if let call = run.call {
            call.end(answer)
        } else if answer.failure?.isWithdrawal != true {
            onNews(.answered(answer, query: run.query))
        }
    }

    /// Determines why the deadline passed: the agent needs more time, or it has become unreachable.
    private func reasonForSilence() async -> JarvisFailure {
        guard settings.api.isTermLLM, let active else { return .timedOut }
        let look = connection.request.state(session: active.sessionID)
        let state = await TimeLimit.run(JarvisConnection.silenceBeforeLook, sleep: environment.expire) {
            [transport] in await transport.exchange(look)
        }
        switch state {
        case nil, .failure(.timedOut): return .cutOff(detail: "no answer")
        case .failure(.offline(let detail)): return .cutOff(detail: detail)
        default: return .timedOut
        }
    }

    /// Updates the conversation from the end of a run.
    private func learn(_ outcome: JarvisOutcome, of sessionID: String) {
        mayFindLeftOvers = outcome.mayGoOn
        if let latest = outcome.notice { notice = latest }
        if let continuation = outcome.continuation, session.currentID == sessionID {
            session.previous = continuation
        }
        Task { self.save() }
    }

    /// Ends the run in progress; every run ends here.
    private func end(_ outcome: JarvisOutcome) {
        guard let run = active else { return }
        active = nil
        clock?.cancel()
        if let replied = outcome.replied { run.call?.parts.yield(.replied(at: replied)) }
        let now = environment.now()
        session.touch(at: now)
        let took = now - run.since
        switch outcome.result {
        case .failure(let failure):
            breaker.record(failure, at: now)
            deliver(report(failure, took: took), of: run)
        case .success(let content):
            breaker.record(nil, at: now)
            // Addresses never pass through the speaking model.
            let media = MediaInReply(introduce(run.sessionID, content))
            let written = WrittenReply(SpeechShaper.bounded(content).text)
            if written.hasCall { logger.warning("\(JarvisFailure.toolNotRun.logLine)") }
            hidesThoughts = hidesThoughts && !written.hasLateThoughts
            // A lone address may also be meant to be played, but the user hears that it is a link.
            let words = shaper.shape(media.isLinks ? content : media.rest)
            guard let reply = words ?? (media.items.isEmpty ? nil : .wordless) else {
                return deliver(report(.emptyReply, took: took), of: run)
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
            deliver(answer, of: run)
        }
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

    /// Ends the current run, also at the server; false if there is none. Its turn is over once the server has confirmed that.
    @discardableResult
    private func withdraw(_ failure: JarvisFailure) -> Bool {
        guard let run = active else { return false }
        settle()
        departing = run.task
        run.task?.cancel()
        end(JarvisOutcome(.failure(failure)))
        return true
    }

    func save() {
        var saved = session.saved(usedAt: environment.wallClock())
        saved.knowsVoiceMode = saysSoInReply
        store.save(saved)
    }

    // MARK: Reporting

    /// The line for the log, with the remedy.
    func line(_ failure: JarvisFailure) -> String {
        guard case .wrongBasePath = failure else { return name.told(failure.logLine) }
        return name.told(failure.logLine + ": " + settings.addressAdvice)
    }

    func report(_ failure: JarvisFailure, took: Duration) -> JarvisAnswer {
        // A question refused locally is not a problem of the server.
        if failure.isLocal || failure == .emptyReply {
            logger.info("\(private: line(failure))", metadata: ["ms": .public(took.milliseconds)])
        } else {
            logger.warning(
                "\(private: line(failure))", metadata: .event(.agentFailed, ["ms": .public(took.milliseconds)])
            )
        }
        if let text = failure.providerText { logger.debug("error of the server", metadata: ["text": "\(text)"]) }
        var answer = JarvisAnswer(failure: failure, of: name)
        answer.took = took
        return answer
    }
}
