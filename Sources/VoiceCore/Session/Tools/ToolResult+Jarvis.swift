internal import VoiceAgent
internal import VoiceConversation
internal import VoiceReply

extension ToolResult {
    /// Converts the result of a question to the agent. A withdrawn request gets no reply: the tool that withdrew it has
    /// replied.
    ///
    /// - Parameter lateQuestion: the question, if its answer comes after the conversation has moved on; otherwise nil.
    init(_ answer: JarvisAnswer, lateQuestion: String?) {
        let isTurnedDown = answer.failure?.leavesPrompt == true
        let content: Content
        if let prompt = answer.prompt {
            content = .prompt(prompt, after: answer.spoken)
        } else if isTurnedDown {
            content = .refusal(.because(answer.spoken))
        } else if answer.spoken.isEmpty, answer.offer == nil, !answer.media.isEmpty {
            let titles = answer.media.map { "\"\($0.title)\"" }.joined(separator: ", ")
            content = .answer("Jarvis named something to play, but this box does not play media: \(titles).")
        } else {
            content = .answer(answer.spoken, media: answer.offer)
        }
        self.init(
            content,
            lateFor: answer.failure == nil && !answer.goesOn ? lateQuestion : nil,
            wantsReply: answer.failure?.isWithdrawal != true,
            isCarriedOut: !isTurnedDown,
            continues: answer.goesOn,
            isFailure: answer.failure.map { !$0.isWithdrawal && !$0.leavesPrompt } ?? false
        )
    }
}
