internal import VoiceAgent
internal import VoiceBase
package import VoiceConversation
internal import VoiceReply

/// What goes back to the model: plain text, not JSON in JSON.
package struct ToolOutput: Sendable, Equatable {
    package let text: String
    /// False when the text says that something went wrong.
    package let succeeded: Bool
    /// False where the model should not speak about it.
    package let wantsReply: Bool
    /// Whose words it holds.
    package let origin: OutputOrigin
    /// False where it is certain that nothing came of the call. Only then may the user's turn lead to another answer to
    /// what the agent asks.
    package let isCarriedOut: Bool

    /// Longest output, in UTF-8 bytes: far more than can be listened to, and far less than a connection takes.
    package static let longest = 16 << 10

    /// - Parameter text: what is beyond `longest` is cut off.
    package init(
        _ text: String,
        succeeded: Bool = true,
        wantsReply: Bool = true,
        origin: OutputOrigin = .outside,
        isCarriedOut: Bool = true
    ) {
        self.text = text.bounded(toBytes: Self.longest)
        self.succeeded = succeeded
        self.wantsReply = wantsReply
        self.origin = origin
        self.isCarriedOut = isCarriedOut
    }
}

extension ToolOutput {
    /// Longest part of a question that is repeated with a late answer, in characters.
    private static let maximumQuestion = 200

    /// What a question to the agent came to. `lateQuestion` is the question of an answer that comes after the talk has
    /// moved on. Nothing is said of a request that the user took back: who took it back has said so.
    init(_ answer: JarvisAnswer, lateQuestion: String?) {
        var text = answer.spoken
        if text.isEmpty, answer.handles == nil, !answer.media.isEmpty {
            let titles = answer.media.map { "\"\($0.title)\"" }.joined(separator: ", ")
            text = "Jarvis named something to play, but this box plays no media: \(titles)."
        }
        if let lateQuestion, answer.failure == nil {
            let question = lateQuestion.prefix(Self.maximumQuestion)
            text = "This answers the earlier request \"\(question)\"; say so in a few words first. \(text)"
        }
        if let handles = answer.handles { text += (text.isEmpty ? "" : "\n\n") + handles }
        let isTurnedDown = answer.failure?.leavesPrompt == true
        self.init(
            text,
            succeeded: answer.failure == nil,
            wantsReply: answer.failure?.isWithdrawal != true,
            origin: answer.prompt.map { .prompt($0) } ?? (isTurnedDown ? .own : .outside),
            isCarriedOut: !isTurnedDown
        )
    }
}
