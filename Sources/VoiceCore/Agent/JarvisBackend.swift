/// One question on its way to the agent.
package struct JarvisQuestion: Sendable, Equatable {
    package var query: String
    package var sessionID: String
    /// The answer it continues; nil for the first question of a conversation.
    package var previous: String?
    /// The idempotency key, the same for every repetition of this question.
    package var key: String
    /// Whether an earlier run of ours may remain in the conversation.
    package var mayFindLeftOvers = false
}

/// The result of a question to the agent.
package struct JarvisOutcome: Sendable, Equatable {
    /// The agent's words, or why there are none.
    package var result: Result<String, JarvisFailure>
    /// The reference for the next question of the conversation; nil leaves the present one.
    package var continuation: String?
    /// Whether the run may go on at the server, which could not be reached to end it.
    package var mayGoOn = false
    /// Whether tools ran before the failure, so that the question must not be asked again.
    package var hasWorked = false
    /// A notice for the user, to be heard before the answer.
    package var notice: String?
    /// Monotonic time of the last byte of the reply.
    var replied: Duration?

    var mayBeLength: Bool {
        if case .failure(let failure) = result { failure.mayBeLength } else { false }
    }

    package init(_ result: Result<String, JarvisFailure>, continuation: String? = nil) {
        self.result = result
        self.continuation = continuation
    }
}

/// A signal from a run before its end.
enum JarvisSign: Sendable {
    /// The question left at this monotonic time.
    case sent(at: Duration)
    /// The run waits for the user.
    case prompt(JarvisPrompt)
    /// The question had no effect and was asked again: its time limit starts afresh.
    case askedAgain
    /// Sentences of the reply, shaped for speech, while it is being written. `given` holds all sentences signalled so far
    /// that the current segment still contains.
    case words([String], given: [String])
}

/// A way to ask the agent: its routes, its events, and what a lost connection means.
protocol JarvisBackend: Sendable {
    /// Runs one question to its end. Never throws. If the task is cancelled, withdraws the run at the server and returns
    /// once that is confirmed, within `JarvisConnection.withdrawalLimit`.
    ///
    /// Runs on the caller's actor.
    ///
    /// - Parameter onSign: called with `askedAgain` at most three times.
    nonisolated(nonsending) func run(_ question: JarvisQuestion, onSign: (JarvisSign) -> Void) async -> JarvisOutcome

    /// Drops the beginning of the history kept here; false if there is none to drop.
    func shorten() -> Bool
}

extension JarvisBackend {
    /// The server keeps the history.
    func shorten() -> Bool { false }
}
