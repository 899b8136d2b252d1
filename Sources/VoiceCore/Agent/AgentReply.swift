/// The agent's reply to one call while it is written. For one reader; cancelling its task withdraws the question.
///
/// Holds at most `AgentPart.most` parts that are not read yet. Beyond that the oldest is dropped, never the end.
package typealias AgentReply = AsyncStream<AgentPart>

package enum AgentPart: Sendable, Equatable {
    /// The request left at this monotonic time.
    case sent(at: Duration)
    /// The next sentence of the answer, if the caller wants it in parts.
    case says(String)
    /// The last byte of the reply arrived at this monotonic time.
    case replied(at: Duration)
    /// The answer, without the sentences given before. Nothing follows.
    case ended(JarvisAnswer)

    static let most = 64
}

/// How a call wants the agent's reply.
package struct AgentListener {
    /// Whether the call takes sentences while the answer is being written.
    package var inParts: Bool
    /// Receives every part but the end.
    package var onPart: (AgentPart) -> Void

    package init(inParts: Bool = false, onPart: @escaping (AgentPart) -> Void = { _ in }) {
        self.inParts = inParts
        self.onPart = onPart
    }
}

extension AgentReply {
    /// A reply whose only part is its end.
    package static func ended(_ answer: JarvisAnswer) -> Self {
        Self { parts in
            parts.yield(.ended(answer))
            parts.finish()
        }
    }

    /// Reads to the end; a reader that is cancelled gets no answer.
    nonisolated(nonsending) package func answer(
        to listener: AgentListener = AgentListener()
    ) async -> JarvisAnswer {
        for await part in self {
            if case .ended(let answer) = part { return answer }
            listener.onPart(part)
        }
        return JarvisAnswer(failure: .cancelled)
    }
}
