package import VoiceConversation

/// A function that the speaking model may call.
package protocol Tool: Sendable {
    /// The name on the wire.
    var name: String { get }
    /// When to call it, as an instruction for the model.
    var description: String { get }
    /// JSON Schema of the arguments, as JSON text.
    var parameters: String { get }
    /// Runs the tool. Always has a result that can be spoken about; returns soon after the task is cancelled.
    ///
    /// - Parameter arguments: the JSON text that the model wrote; may be anything.
    func call(arguments: String) async -> ToolResult
    /// What a long call is doing, such as "reading your mail"; nil if unknown.
    var activity: String? { get }
    /// Whether the tool enforces the deadline of its calls itself: Jarvis may need minutes, and may wait for the user.
    var keepsDeadline: Bool { get }
}

extension Tool {
    package var activity: String? { nil }
    package var keepsDeadline: Bool { false }
}

/// A tool whose calls run one after another, in the order of the model: "play this" comes before "and then that".
///
/// A call must return at once, since later calls wait for it.
package protocol OrderedTool: Tool {}

/// A tool that passes on the user's answer to a question of the agent.
package protocol AnswerTool: Tool {
    /// - Parameter prompt: the number of the question that the user heard and may have answered; nil for none, in which
    ///   case the answer is no.
    func call(arguments: String, prompt: Int?) async -> ToolResult
}

extension AnswerTool {
    package var keepsDeadline: Bool { true }

    package func call(arguments: String) async -> ToolResult { await call(arguments: arguments, prompt: nil) }
}

extension CallAuthority {
    /// Whether a tool may be called. A tool that passes on an answer always may: without `prompt`, the answer is no.
    func allows(_ tool: any Tool) -> Bool {
        let needed = ToolAuthority.needed(by: tool.name)
        return needed == .answer ? tool is any AnswerTool : reach >= needed
    }
}
