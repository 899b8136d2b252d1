package import Logging
package import VoiceAgent
internal import VoiceBase
package import VoiceConversation
package import VoiceMedia

/// The actions of tools, provided where the program is assembled.
///
/// By default everything is refused, so that tools can be advertised before anything can answer them.
package struct ToolContext: Sendable {
    /// Asks the agent.
    package var ask: @Sendable (_ query: String, _ context: String?, _ inParts: Bool) async -> AgentReply = { _, _, _ in
        .ended(JarvisAnswer(failure: .cancelled))
    }
    /// The context for the agent with a request about media.
    package var mediaContext: @Sendable () async -> String? = { nil }
    /// Stores the media that an answer names, under handles for the speaking model.
    package var keepMedia: @Sendable (_ answer: JarvisAnswer) async -> JarvisAnswer = { $0 }
    /// Answers a question of the agent; nil dismisses it. `prompt` is the number of the question that the user heard.
    package var answer: @Sendable (_ answers: [String]?, _ prompt: Int?, _ inParts: Bool) async -> AgentReply = {
        _,
        _,
        _ in
        .ended(JarvisAnswer(failure: .nothingPending))
    }
    /// Allows or denies an action of the agent. `command` is the action in the words that the user heard, `prompt` the number of
    /// the question that the user heard.
    package var approve:
        @Sendable (_ command: String, _ isAllowed: Bool, _ prompt: Int?, _ inParts: Bool) async -> AgentReply = {
            _,
            _,
            _,
            _ in
            .ended(JarvisAnswer(failure: .nothingPending))
        }
    /// Adds a remark to the running request; nil on success.
    package var add: @Sendable (_ remark: String) async -> JarvisFailure? = { _ in .notAddable }
    /// Returns the progress of the running request; nil if there is none.
    package var progress: @Sendable () async -> String? = { nil }
    /// Returns what the agent is doing, such as "reading your mail"; nil if unknown.
    package var activity: @Sendable () -> String? = { nil }
    /// Takes back the last request, here and at the agent.
    package var forgetLast: @Sendable () async -> JarvisClient.Undo = { .nothing }
    /// Begins a fresh conversation with the agent.
    package var startFresh: @Sendable () async -> Void = {}
    /// Returns the next part of the last answer; nil if all of it was read.
    package var readOn: @Sendable () async -> String? = { nil }
    /// Cancels the running requests; false if there are none.
    package var cancelRequest: @Sendable () async -> Bool = { false }
    /// Closes the session once everything has been said.
    package var endConversation: @Sendable () -> Void = {}
    /// Plays music, radio and podcasts.
    package var media: any MediaControls = NoMedia()
    /// The actions of the box itself.
    package var box = BoxControls()
    /// Keeps timers and alarms.
    package var timers: TimerController?
    /// An answer that took longer is given together with its question.
    package var lateAfter: Duration = .seconds(Configuration.Jarvis().stillWorkingS)
    package var logger: Logger

    package init(logger: Logger) {
        self.logger = logger
    }

    /// Reads a reply of the agent to its end.
    ///
    /// - Parameter question: repeated with an answer that took long.
    nonisolated(nonsending) func read(
        _ reply: AgentReply,
        to question: String? = nil,
        _ listener: AgentListener
    ) async -> ToolResult {
        let answer = await keepMedia(reply.answer(to: listener))
        return ToolResult(answer, lateQuestion: answer.took > lateAfter ? question : nil)
    }

    /// Returns the result of a call that is refused because it makes no sense.
    func refuse(_ tool: String, _ reason: String, _ sentence: String, isCarriedOut: Bool = true) -> ToolResult {
        logger.warning("a call of \(private: tool) was refused: \(private: reason)")
        return ToolResult(.refusal(.because(sentence)), isCarriedOut: isCarriedOut)
    }
}
