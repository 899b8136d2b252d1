import Synchronization

/// Asks any OpenAI-compatible endpoint, which keeps no history: the latest part of the conversation is sent along.
///
/// A lesser backend: no sessions, no reports of tool use, no questions to the user.
final class PlainBackend: JarvisBackend {
    /// Limits of the history kept.
    static let maximumMessages = 20
    static let maximumBytes = 32 << 10

    private struct History {
        var sessionID = ""
        var messages: [ChatMessage] = []
        /// Lower than `maximumBytes` once the model has refused more; kept for later conversations.
        var limit = PlainBackend.maximumBytes
        /// The first question of the conversation was sent with the briefing.
        var isBriefed = false
        /// The history before it was shortened, until there is an answer.
        var whole: [ChatMessage]?
    }

    private let connection: JarvisConnection
    private let history = Mutex(History())

    init(connection: JarvisConnection) {
        self.connection = connection
    }

    nonisolated(nonsending) func run(_ question: JarvisQuestion, onSign: (JarvisSign) -> Void) async -> JarvisOutcome {
        let messages = history.withLock { history in
            if history.sessionID != question.sessionID {
                history = History(sessionID: question.sessionID, limit: history.limit)
            }
            if AgentBriefing.isIn(question.query) { history.isBriefed = true }
            let misses = history.isBriefed && history.messages.isEmpty && !AgentBriefing.isIn(question.query)
            let query = misses ? AgentBriefing.question(question.query, preamble: true) : question.query
            return history.messages + [ChatMessage(role: "user", content: query)]
        }
        let request = connection.request.completion(messages)
        var outcome = connection.outcome(of: await connection.transport.exchange(request), onSign)
        if case .failure(let failure) = outcome.result, let pause = failure.pauseBeforeRepeating {
            await connection.environment.sleep(pause)
            guard !Task.isCancelled else { return JarvisOutcome(.failure(.cancelled)) }
            onSign(.askedAgain)
            outcome = connection.outcome(of: await connection.transport.exchange(request), onSign)
        }
        history.withLock { history in
            guard history.sessionID == question.sessionID else { return }
            guard case .success(let text) = outcome.result else { return }
            // Keeps at most half of the refused length from now on.
            if let whole = history.whole { history.limit = min(history.limit, Self.size(whole) / 2) }
            history.whole = nil
            history.messages = messages + [ChatMessage(role: "assistant", content: text)]
            Self.bound(&history, to: history.limit, atLeast: 2)
        }
        return outcome
    }

    /// Drops the older half; on a second call everything; on a third nothing, and restores the history.
    func shorten() -> Bool {
        history.withLock { history in
            if let whole = history.whole {
                let isHistory = !history.messages.isEmpty
                (history.messages, history.whole) = isHistory ? ([], whole) : (whole, nil)
                return isHistory
            }
            guard !history.messages.isEmpty else { return false }
            history.whole = history.messages
            Self.bound(&history, to: Self.size(history.messages) / 2, atLeast: 0)
            return true
        }
    }

    /// Drops the last question and its answer; false if there is none.
    func forgetLast() -> Bool {
        history.withLock { history in
            guard history.messages.count >= 2 else { return false }
            history.messages.removeLast(2)
            return true
        }
    }

    private static func size(_ messages: [ChatMessage]) -> Int { messages.reduce(0) { $0 + $1.content.utf8.count } }

    /// Drops the oldest questions with their answers, but keeps the briefing that came with the first one.
    private static func bound(_ history: inout History, to limit: Int, atLeast least: Int) {
        while history.messages.count > least,
            history.messages.count > maximumMessages || size(history.messages) > limit
        {
            history.messages.removeFirst(2)
        }
        guard history.isBriefed, let oldest = history.messages.first?.content, !AgentBriefing.isIn(oldest) else {
            return
        }
        history.messages[0].content = AgentBriefing.question(oldest, preamble: true)
    }
}
