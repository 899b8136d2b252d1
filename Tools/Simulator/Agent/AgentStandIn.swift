internal import Synchronization

/// A stand-in for the agent: an HTTP/1.1 server on 127.0.0.1 with `POST {base}/v1/chat/completions`.
///
///     request -> AgentRequestHandler -> AgentModel (pure) -> AgentBehaviour of the query -> answer
package final class AgentStandIn: Sendable {
    private struct State {
        var model: AgentModel
        var behaviour: @Sendable (AgentRequest) -> AgentBehaviour
        var requests: [AgentRequest] = []
    }

    /// How many requests are kept for inspection; later ones are served but not recorded.
    package static let recordLimit = 10000

    private let port: Int
    private let state: Mutex<State>
    private let listener = LoopbackListener()

    /// - Parameters:
    ///   - token: the accepted bearer token.
    ///   - basePath: where the API is mounted, such as `/ui`.
    ///   - port: TCP port on 127.0.0.1; 0 takes any free one.
    ///   - behaviour: returns how each run ends; called on the connection's thread, must not block.
    package init(
        token: String,
        basePath: String = "/ui",
        port: Int = 0,
        behaviour: @escaping @Sendable (AgentRequest) -> AgentBehaviour
    ) {
        self.port = port
        state = Mutex(State(model: AgentModel(token: token, basePath: basePath), behaviour: behaviour))
    }

    /// An agent that answers every question with a text in Markdown.
    package convenience init(
        token: String,
        delayMilliseconds: Int = 0,
        replies: @escaping @Sendable (_ query: String) -> String
    ) {
        self.init(token: token) { request in
            AgentBehaviour(.reply(replies(request.query ?? "")), delayMilliseconds: delayMilliseconds)
        }
    }

    /// Starts to listen and returns the port; throws when the port is taken.
    package func start() async throws -> Int {
        try await listener.start(port: port) { AgentRequestHandler(agent: self) }
    }

    /// Closes the listener and every connection.
    package func stop() async { await listener.stop() }

    /// Sets how requests end from now on.
    package func setBehaviour(_ behaviour: @escaping @Sendable (AgentRequest) -> AgentBehaviour) {
        state.withLock { $0.behaviour = behaviour }
    }

    /// Every request so far except health checks and session state requests, in order of arrival.
    package var requests: [AgentRequest] { state.withLock { $0.requests } }

    /// The agent's history of a session.
    package func history(session: String) -> [AgentModel.Message] {
        state.withLock { $0.model.history[session] ?? [] }
    }
}

// MARK: - For the handler

extension AgentStandIn {
    /// Records a request and decides on it; `number` is nil if the request is not recorded.
    func arrived(_ request: AgentRequest) -> (number: Int?, decision: AgentModel.Decision) {
        state.withLock { state in
            var number: Int?
            // Health checks and session state requests are not requests of a user.
            let isLook = request.target.hasSuffix("/healthz") || request.target.hasSuffix("/state")
            if state.requests.count < Self.recordLimit, !isLook {
                number = state.requests.count
                state.requests.append(request)
            }
            return (number, state.model.decide(request))
        }
    }

    /// Returns how a run ends. The closure is called outside the lock, because it may read `requests`.
    func behaviour(_ request: AgentRequest) -> AgentBehaviour {
        let behaviour = state.withLock { $0.behaviour }
        return behaviour(request)
    }

    func answered(_ number: Int?) {
        guard let number else { return }
        state.withLock { $0.requests[number].answered = ContinuousClock.now }
    }

    func abandoned(_ number: Int?) {
        guard let number else { return }
        state.withLock { $0.requests[number].disconnectedEarly = true }
    }

    func finish(session: String, named: Bool, words: String, reason: String = "stop") -> AgentModel.Answer {
        state.withLock {
            $0.model.finish(session: session, sessionWasNamed: named, words: words, finishReason: reason)
        }
    }
}

/// One HTTP request the stand-in agent received.
package struct AgentRequest: Sendable {
    package var method: String
    /// Path and query as received.
    package var target: String
    /// Headers in order, names as received.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// When the whole request had arrived.
    package var arrival: ContinuousClock.Instant
    /// When the answer was written; nil until then.
    package var answered: ContinuousClock.Instant?
    /// Whether the client closed the connection before the answer, which cancels the run.
    package var disconnectedEarly = false

    /// The first header of that name; case is ignored.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The body as JSON.
    package var json: SimulatedJSON? { SimulatedJSON(bytes: body) }

    /// The text of the last user message.
    package var query: String? {
        json?["messages"]?.array?.last { $0["role"] == "user" }?["content"]?.string
    }
}
