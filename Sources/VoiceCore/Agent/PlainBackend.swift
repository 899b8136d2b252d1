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
    }

    private let connection: JarvisConnection
    private let history = Mutex(History())

    init(connection: JarvisConnection) {
        self.connection = connection
    }

    nonisolated(nonsending) func run(_ question: JarvisQuestion, onSign: (JarvisSign) -> Void) async -> JarvisOutcome {
        let asked = ChatMessage(role: "user", content: question.query)
        let messages = history.withLock { history in
            if history.sessionID != question.sessionID { history = History(sessionID: question.sessionID) }
            return history.messages + [asked]
        }
        let request = connection.request.completion(messages)
        let outcome = connection.outcome(of: await connection.transport.exchange(request), onSign)
        if case .success(let text) = outcome.result {
            history.withLock { history in
                guard history.sessionID == question.sessionID else { return }
                history.messages += [asked, ChatMessage(role: "assistant", content: text)]
                Self.bound(&history.messages)
            }
        }
        return outcome
    }

    /// Drops the last question and its answer; false if there is none.
    func forgetLast() -> Bool {
        history.withLock { history in
            guard history.messages.count >= 2 else { return false }
            history.messages.removeLast(2)
            return true
        }
    }

    /// Drops the oldest questions with their answers, but keeps the briefing that came with the first one.
    private static func bound(_ messages: inout [ChatMessage]) {
        let wasBriefed = messages.first.map { AgentBriefing.isIn($0.content) } ?? false
        while messages.count > 2,
            messages.count > maximumMessages
                || messages.reduce(0, { $0 + $1.content.utf8.count }) > maximumBytes
        {
            messages.removeFirst(2)
        }
        guard wasBriefed, let oldest = messages.first?.content, !AgentBriefing.isIn(oldest) else { return }
        messages[0].content = AgentBriefing.question(oldest, preamble: true)
    }
}
