package import Logging

/// Asks the agent, one question at a time.
///
/// The server lets questions of one session wait for each other or refuses them, so they wait here: at most two, in the
/// order they came; a third is answered at once with `tooManyQuestions`. When the server reports the session busy all
/// the same, the question is sent once more after a second. After repeated trouble of the server questions are answered
/// at once by its last failure for a while (`CircuitBreaker`). Cancelling the task ends the wait or the request.
package actor JarvisClient {
    /// Time and chance, which tests put in their own hands.
    package struct Surroundings: Sendable {
        /// Time since a fixed moment.
        package var now: @Sendable () -> Duration
        package var sleep: @Sendable (Duration) async -> Void
        package var makeID: @Sendable () -> String

        package init(
            now: @escaping @Sendable () -> Duration,
            sleep: @escaping @Sendable (Duration) async -> Void,
            makeID: @escaping @Sendable () -> String
        ) {
            self.now = now
            self.sleep = sleep
            self.makeID = makeID
        }
    }

    package static let maximumWaiting = 2
    private static let busyDelay = Duration.seconds(1)

    private let request: JarvisRequest
    private let refusal: JarvisFailure?
    private let transport: any JarvisTransport
    private let shaper: SpeechShaper
    private let surroundings: Surroundings
    private let logger: Logger
    private var session: JarvisSession
    private var breaker = CircuitBreaker()
    private var turn = TurnQueue(maximumWaiting: JarvisClient.maximumWaiting)
    /// The last answer in full, for whoever wants to hear the rest.
    package private(set) var lastReply: ShapedReply?

    package init(
        base: ServerURL,
        token: Secret?,
        settings: Configuration.Jarvis,
        transport: any JarvisTransport,
        surroundings: Surroundings = .system,
        logger: Logger
    ) {
        request = JarvisRequest(base: base, token: token, settings: settings)
        refusal = token == nil || TokenTransportPolicy.allows(base) ? nil : .insecure(host: base.host)
        self.transport = transport
        shaper = SpeechShaper(maximumWords: settings.maximumSpokenWords)
        self.surroundings = surroundings
        self.logger = logger
        let idleLimit = settings.idleRenewalMin > 0 ? Duration.seconds(settings.idleRenewalMin * 60) : nil
        session = JarvisSession(idleLimit: idleLimit, makeID: surroundings.makeID)
    }

    /// Begins a fresh conversation with the next question.
    package func startFresh() {
        session.renew()
        lastReply = nil
        logger.info("fresh conversation with Jarvis")
    }

    /// Never throws and always returns something to say.
    package func ask(_ query: String) async -> JarvisAnswer {
        if let refusal { return report(refusal, took: .zero) }
        switch await waitForTurn() {
        case .granted: break
        case .full: return report(.tooManyQuestions, took: .zero)
        case .cancelled: return report(.cancelled, took: .zero)
        }
        defer { turn.finish() }
        let start = surroundings.now()
        if let failure = breaker.failure(at: start) { return report(failure, took: .zero) }
        let result = await send(query)
        let took = surroundings.now() - start
        session.touch(at: surroundings.now())
        breaker.record(result, at: surroundings.now())
        switch result {
        case .failure(let failure): return report(failure, took: took)
        case .success(let content):
            guard let reply = shaper.shape(content) else { return report(.emptyReply, took: took) }
            lastReply = reply
            logger.info(
                "Jarvis answered",
                metadata: [
                    "ms": "\(took.milliseconds)", "words": "\(WordCount.words(in: reply.full))",
                    "cut": "\(reply.wasCut)",
                ]
            )
            return JarvisAnswer(reply: reply)
        }
    }

    private func send(_ query: String) async -> Result<String, JarvisFailure> {
        let message = request.make(query: query, sessionID: session.id(at: surroundings.now()))
        let first = JarvisReply.content(of: await transport.post(message))
        guard first == .failure(.busy), !Task.isCancelled else { return first }
        await surroundings.sleep(Self.busyDelay)
        guard !Task.isCancelled else { return .failure(.cancelled) }
        return JarvisReply.content(of: await transport.post(message))
    }

    private func waitForTurn() async -> TurnQueue.Grant {
        let ticket = turn.makeTicket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { turn.enter(ticket, isCancelled: Task.isCancelled, continuation: $0) }
        } onCancel: {
            Task { await self.abandon(ticket) }
        }
    }

    private func abandon(_ ticket: Int) { turn.abandon(ticket) }

    private func report(_ failure: JarvisFailure, took: Duration) -> JarvisAnswer {
        if failure == .cancelled || failure == .emptyReply {
            logger.info("\(failure.logLine)", metadata: ["ms": "\(took.milliseconds)"])
        } else {
            logger.warning("\(failure.logLine)", metadata: ["ms": "\(took.milliseconds)"])
        }
        if let text = failure.providerText { logger.debug("the server's own words", metadata: ["text": "\(text)"]) }
        return JarvisAnswer(failure: failure)
    }
}
