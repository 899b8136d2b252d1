internal import VoiceAgent
internal import VoiceBase
package import VoiceConversation
internal import VoiceReply

/// The output of a call for the model: text, not JSON inside JSON.
package struct ToolOutput: Sendable, Equatable {
    package let text: String
    /// False if the text reports a failure.
    package let succeeded: Bool
    /// False if the model should not speak about it.
    package let wantsReply: Bool
    /// Whose words the text contains.
    package let origin: OutputOrigin
    /// False if it is certain that the call had no effect. Only then may the same turn lead to another answer to the
    /// agent's question.
    package let isCarriedOut: Bool
    /// Whether the beginning was spoken while the call was out; the text then holds only the rest.
    package let goesOn: Bool

    /// Longest output in UTF-8 bytes: far more than anybody listens to, and far less than a connection accepts.
    package static let longest = 16 << 10

    /// - Parameter text: cut off after `longest` bytes.
    package init(
        _ text: String,
        succeeded: Bool = true,
        wantsReply: Bool = true,
        origin: OutputOrigin = .outside,
        isCarriedOut: Bool = true,
        goesOn: Bool = false
    ) {
        self.text = text.bounded(toBytes: Self.longest)
        self.succeeded = succeeded
        self.wantsReply = wantsReply
        self.origin = origin
        self.isCarriedOut = isCarriedOut
        self.goesOn = goesOn
    }
}

extension ToolOutput {
    /// Longest part of a question repeated with a late answer, in characters.
    private static let maximumQuestion = 200

    /// Converts the result of a question to the agent. A withdrawn request gets no reply: the tool that withdrew it has
    /// replied.
    ///
    /// - Parameter lateQuestion: the question, if its answer comes after the conversation has moved on; otherwise nil.
    init(_ answer: JarvisAnswer, lateQuestion: String?) {
        var text = answer.spoken + (answer.prompt?.forModel ?? "")
        if text.isEmpty, answer.offer == nil, !answer.media.isEmpty {
            let titles = answer.media.map { "\"\($0.title)\"" }.joined(separator: ", ")
            text = "Jarvis named something to play, but this box does not play media: \(titles)."
        }
        if let lateQuestion, answer.failure == nil, !answer.goesOn {
            let question = lateQuestion.prefix(Self.maximumQuestion)
            text = "This answers the earlier request \"\(question)\"; say so in a few words first. \(text)"
        }
        if let offer = answer.offer { text += (text.isEmpty ? "" : "\n\n") + offer.listing }
        let isTurnedDown = answer.failure?.leavesPrompt == true
        self.init(
            text,
            succeeded: answer.failure == nil,
            wantsReply: answer.failure?.isWithdrawal != true,
            origin: answer.prompt.map { .prompt($0.number) } ?? (isTurnedDown ? .own : .outside),
            isCarriedOut: !isTurnedDown,
            goesOn: answer.goesOn
        )
    }
}
