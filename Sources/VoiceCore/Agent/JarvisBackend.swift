/// One question on its way to the agent.
package struct JarvisQuestion: Sendable, Equatable {
    package var query: String
    package var sessionID: String
    /// The answer it continues; nil for the first question of a conversation.
    package var previous: String?
    /// The same for every repetition of this question.
    package var key: String
    /// A run of ours may have been left in the conversation.
    package var mayFindLeftOvers = false
}

/// What became of it.
package struct JarvisOutcome: Sendable, Equatable {
    /// The agent's words, or why there are none.
    package var result: Result<String, JarvisFailure>
    /// What the next question of the conversation refers to; nil leaves it as it was.
    package var continuation: String?
    /// The run may go on at the server: it could not be reached to end it.
    package var mayGoOn = false
    /// What the user is to hear before the answer.
    package var notice: String?

    package init(_ result: Result<String, JarvisFailure>, continuation: String? = nil) {
        self.result = result
        self.continuation = continuation
    }
}

/// What a run tells on its way to the end.
enum JarvisSign: Sendable {
    /// It waits for the user.
    case prompt(JarvisPrompt)
    /// Nothing came of it, so the question was put once more: its time begins anew.
    case askedAgain
}

/// A way of asking the agent: which routes, which events, what a lost connection means.
protocol JarvisBackend: Sendable {
    /// Runs one question to its end. Never throws. Once the task is cancelled it takes the run back at the server and ends
    /// when that has confirmed it, within `JarvisConnection.withdrawalLimit`.
    ///
    /// - Parameter onSign: may be called three times with `askedAgain`.
    func run(_ question: JarvisQuestion, onSign: @escaping @Sendable (JarvisSign) -> Void) async -> JarvisOutcome
}
