/// One question on its way to the agent.
package struct JarvisQuestion: Sendable, Equatable {
    package var query: String
    package var sessionID: String
    /// The answer it continues; nil for the first question of a conversation.
    package var previous: String?
    /// The same for every repetition of this question.
    package var key: String
}

/// What became of it.
package struct JarvisOutcome: Sendable, Equatable {
    /// The agent's words, or why there are none.
    package var result: Result<String, JarvisFailure>
    /// What the next question of the conversation refers to; nil leaves it as it was.
    package var continuation: String?
    /// True when the server answered at all: a failure is then not the network's.
    package init(_ result: Result<String, JarvisFailure>, continuation: String? = nil) {
        self.result = result
        self.continuation = continuation
    }
}

/// A way of asking the agent: which routes, which events, what a lost connection means.
protocol JarvisBackend: Sendable {
    /// Runs one question to its end. Never throws, and ends soon after the task is cancelled, having told the server.
    ///
    /// - Parameter onPrompt: called when the run waits for the user.
    func run(_ question: JarvisQuestion, onPrompt: @escaping @Sendable (JarvisPrompt) -> Void) async -> JarvisOutcome
}

/// What all ways of asking share.
struct JarvisConnection: Sendable {
    let request: JarvisRequest
    let transport: any JarvisTransport
    let surroundings: JarvisClient.Surroundings

    /// How often a session that is busy is looked at, one second apart, before the question is sent again.
    static let busyLooks = 10

    func state(of session: String) async -> JarvisState? {
        JarvisState(await transport.exchange(request.state(session: session)))
    }

    /// Waits until no run is active in the session, for some seconds at most. A server that does not tell is given one
    /// second, which an abandoned run needs to end.
    func waitUntilIdle(_ session: String) async -> JarvisState? {
        for _ in 0..<Self.busyLooks {
            await surroundings.sleep(.seconds(1))
            guard !Task.isCancelled else { return nil }
            let state = await state(of: session)
            guard let state, state.isActive else { return state }
        }
        return nil
    }

    /// Sends an order whose reply does not matter, also while the task is being cancelled.
    func tell(_ order: JarvisHTTPRequest) {
        let transport = transport
        Task.detached { _ = await transport.exchange(order) }
    }
}
