package import Logging
package import VoiceAgent
internal import VoiceConfiguration
internal import VoiceConversation
package import VoiceHousehold
package import VoiceMedia

/// What tools may do, given to them where the program is put together.
///
/// By default everything is refused, so that the tools can be advertised before there is anybody to answer them.
package struct ToolContext: Sendable {
    /// Asks the agent.
    package var ask: @Sendable (_ query: String) async -> JarvisAnswer = { _ in JarvisAnswer(failure: .cancelled) }
    /// The same for a question about media; nil asks it like any other.
    package var askAboutMedia: (@Sendable (_ query: String) async -> JarvisAnswer)?
    /// Answers the question the agent has put to the user; nil dismisses it. `prompt` is the one that he has heard.
    package var answer: @Sendable (_ answers: [String]?, _ prompt: Int?) async -> JarvisAnswer = { _, _ in
        JarvisAnswer(failure: .nothingPending)
    }
    /// Allows or denies what the agent wants to do; the command is what the user was told, in the prompt he has heard.
    package var approve: @Sendable (_ command: String, _ isAllowed: Bool, _ prompt: Int?) async -> JarvisAnswer = {
        _,
        _,
        _ in
        JarvisAnswer(failure: .nothingPending)
    }
    /// Adds a remark to the request under way; nil once it was taken.
    package var add: @Sendable (_ remark: String) async -> JarvisFailure? = { _ in .notAddable }
    /// How far the request under way is; nil when there is none.
    package var progress: @Sendable () async -> String? = { nil }
    /// What the agent is doing, "reading your mail"; nil where nobody knows.
    package var activity: @Sendable () -> String? = { nil }
    /// Takes the last request back, here and at the agent.
    package var forgetLast: @Sendable () async -> JarvisClient.Undo = { .nothing }
    /// Begins a fresh conversation with the agent.
    package var startFresh: @Sendable () async -> Void = {}
    /// The next piece of the last answer; nil when all of it was read.
    package var readOn: @Sendable () async -> String? = { nil }
    /// Takes back the questions that are on their way; false when there is none.
    package var cancelRequest: @Sendable () async -> Bool = { false }
    /// Closes the session once nothing is left to be said.
    package var endConversation: @Sendable () -> Void = {}
    /// Plays music, radio and podcasts.
    package var media: any MediaControls = NoMedia()
    /// What the box itself can do.
    package var box = BoxControls()
    /// Keeps timers and alarms.
    package var timers: TimerController?
    /// An answer that took longer is told with the question it belongs to.
    package var lateAfter: Duration = .seconds(Configuration.Jarvis().stillWorkingS)
    package var logger: Logger

    package init(logger: Logger) {
        self.logger = logger
    }

    /// The output of a call that goes no further, since it makes no sense.
    func refuse(_ tool: String, _ reason: String, _ sentence: String, isCarriedOut: Bool = true) -> ToolOutput {
        logger.warning("a call of \(tool) was not passed on: \(reason)")
        return ToolOutput(sentence, succeeded: false, origin: .own, isCarriedOut: isCarriedOut)
    }
}
