/// What goes back to the model: plain text, not JSON in JSON.
package struct ToolOutput: Sendable, Equatable {
    package let text: String
    /// False when the text says that something went wrong.
    package let succeeded: Bool
    /// False where the model should not speak about it.
    package let wantsReply: Bool

    package init(_ text: String, succeeded: Bool = true, wantsReply: Bool = true) {
        self.text = text
        self.succeeded = succeeded
        self.wantsReply = wantsReply
    }
}

extension ToolOutput {
    /// Longest part of a question that is repeated with a late answer, in characters.
    private static let maximumQuestion = 200

    /// What a question to the agent came to. `lateQuestion` is the question of an answer that comes after the talk has
    /// moved on. Nothing is said of a request that the user took back: who took it back has said so.
    init(_ answer: JarvisAnswer, lateQuestion: String?) {
        var text = answer.spoken
        if let lateQuestion, answer.failure == nil {
            let question = lateQuestion.prefix(Self.maximumQuestion)
            text = "This answers the earlier request \"\(question)\"; say so in a few words first. \(text)"
        }
        self.init(text, succeeded: answer.failure == nil, wantsReply: answer.failure?.isWithdrawal != true)
    }
}
