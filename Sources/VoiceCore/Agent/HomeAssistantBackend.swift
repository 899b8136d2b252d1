internal import Synchronization
internal import VoiceBase
internal import VoiceNetwork
internal import VoiceReply

/// Asks Home Assistant: the agent of the pipeline that the user prefers there, over its WebSocket; over its REST API where no
/// WebSocket gets through.
///
/// Home Assistant keeps the history, for five minutes. It gets only the user's words, because it matches them against
/// sentences. Closing the connection ends the run. A question that was sent is not repeated, because the lamp may be on
/// already, unless Home Assistant says that it did nothing.
struct HomeAssistantBackend: JarvisBackend {
    /// How long a question waits for another one of the same conversation.
    private static let patience = Duration.seconds(5)
    private static let pause = Duration.milliseconds(500)
    /// Time limit until the WebSocket has taken the token.
    private static let opening = Duration.seconds(10)
    /// Time limit from the end of a run to the reason for that end.
    private static let grace = Duration.seconds(1)

    private let connection: JarvisConnection
    private let maximumWords: Int
    private let known = Known()

    /// Facts learned from earlier questions.
    private final class Known: Sendable {
        /// The agent of the preferred pipeline: the REST API would ask the built-in one.
        let engine = Mutex<String?>(nil)
    }

    init(connection: JarvisConnection, maximumWords: Int) {
        (self.connection, self.maximumWords) = (connection, maximumWords)
    }

    nonisolated(nonsending) func run(_ question: JarvisQuestion, onSign: (JarvisSign) -> Void) async -> JarvisOutcome {
        var conversation: String? = question.previous ?? question.sessionID
        let began = connection.environment.now()
        while true {
            let (outcome, replied) = await ask(question.query, in: conversation, onSign)
            if Task.isCancelled { return JarvisOutcome(.failure(.cancelled)) }
            switch outcome {
            case .answered(let text, let id):
                var outcome = JarvisOutcome(JarvisReply.answer(text), continuation: id)
                outcome.replied = replied
                return outcome
            case .failed(let failure): return JarvisOutcome(.failure(failure))
            case .busy where connection.environment.now() - began < Self.patience:
                await connection.environment.sleep(Self.pause)
            case .busy, .foreign:
                // Asks again in a new conversation, whose history is empty.
                guard conversation != nil else {
                    return JarvisOutcome(.failure(outcome == .busy ? .busy : .authentication))
                }
                conversation = nil
                onSign(.askedAgain)
            }
        }
    }

    /// Asks once.
    ///
    /// - Returns: also the monotonic time of the last piece.
    nonisolated(nonsending) private func ask(
        _ text: String,
        in conversation: String?,
        _ onSign: (JarvisSign) -> Void
    ) async -> (HomeAssistantRun.Outcome, replied: Duration?) {
        guard let token = connection.request.secret else { return (.failed(.authentication), nil) }
        guard let request = connection.request.socket("/api/websocket") else {
            return await askWhole(text, in: conversation, onSign)
        }
        switch await connection.transport.connect(request) {
        case .success(let socket):
            defer { socket.close() }
            let run = HomeAssistantRun(text, conversation: conversation, token: token)
            let outcome = await follow(run, on: socket, onSign)
            return if let outcome { (outcome, Monotonic.now()) } else { await askWhole(text, in: conversation, onSign) }
        // A proxy that knows no WebSockets, or something that is not Home Assistant: the REST API tells which.
        case .failure(.wrongBasePath): return await askWhole(text, in: conversation, onSign)
        case .failure(let failure): return (.failed(failure), nil)
        }
    }

    /// Follows a run to its end; nil if the connection was lost before the question left.
    nonisolated(nonsending) private func follow(
        _ run: HomeAssistantRun,
        on socket: any JarvisSocket,
        _ onSign: (JarvisSign) -> Void
    ) async -> HomeAssistantRun.Outcome? {
        var run = run
        var speech = SpeechStream(maximumWords: maximumWords, omitting: AgentBriefing.mark)
        var clock = timer(Self.opening, socket)
        var isEnding = false
        defer { clock.cancel() }
        while true {
            switch await socket.next() {
            case .failure(.cancelled): return .failed(.cancelled)
            case .failure(.tooLarge): return .failed(.tooLarge)
            case .failure where isEnding: return .failed(.emptyReply)
            case .failure(let failure) where run.wasSent: return .failed(.cutOff(detail: failure.reason))
            case .failure: return nil
            case .success(let message):
                let wasSent = run.wasSent
                switch run.handle(message) {
                case .none: break
                case .send(let line):
                    socket.send(line)
                    guard run.wasSent, !wasSent else { break }
                    clock.cancel()
                    onSign(.sent(at: Monotonic.now()))
                case .words: tell(run.segment, &speech, onSign)
                case .segmentEnded:
                    if !speech.given.isEmpty { onSign(.words([], given: [])) }
                    speech.segmentEnded()
                    tell(run.segment, &speech, onSign)
                case .ending:
                    isEnding = true
                    clock = timer(Self.grace, socket)
                case .finished(let outcome):
                    if let engine = run.engine { known.engine.withLock { $0 = engine } }
                    return outcome
                }
            }
        }
    }

    private func tell(_ segment: String, _ speech: inout SpeechStream, _ onSign: (JarvisSign) -> Void) {
        let new = speech.consume(segment)
        if !new.isEmpty { onSign(.words(new, given: speech.given)) }
    }

    /// Closes the socket after this time.
    private func timer(_ limit: Duration, _ socket: any JarvisSocket) -> Task<Void, Never> {
        Task {
            await connection.environment.expire(limit)
            if !Task.isCancelled { socket.close() }
        }
    }

    /// Asks over the REST API: the answer comes whole.
    nonisolated(nonsending) private func askWhole(
        _ text: String,
        in conversation: String?,
        _ onSign: (JarvisSign) -> Void
    ) async -> (HomeAssistantRun.Outcome, replied: Duration?) {
        // No member may be null.
        var body: [String: JSONValue] = ["text": .string(text)]
        if let conversation { body["conversation_id"] = .string(conversation) }
        if let engine = known.engine.withLock({ $0 }) { body["agent_id"] = .string(engine) }
        let request = connection.request.request(
            "/api/conversation/process", body: Array(JSONValue.object(body).encoded.utf8)
        )
        onSign(.sent(at: Monotonic.now()))
        switch await connection.transport.exchange(request) {
        case .failure(let failure): return (.failed(failure), nil)
        case .success(let response) where response.status != 200:
            return (.failed(JarvisReply.failure(of: response)), nil)
        case .success(let response):
            let limit = JarvisRequest.maximumReplyBytes
            guard let output = OutsideJSON.decode(JSONValue.self, from: response.body, atMost: limit) else {
                return (.failed(.wrongBasePath(hint: "something else answered at /api/conversation/process")), nil)
            }
            return (HomeAssistantRun.outcome(of: output), Monotonic.now())
        }
    }
}
