internal import VoiceConversation

/// Something the speaking model may call.
package protocol Tool: Sendable {
    /// The name on the wire.
    var name: String { get }
    /// Tells the model when to call it.
    var description: String { get }
    /// JSON Schema of the arguments, as JSON text.
    var parameters: String { get }
    /// `arguments` is the JSON text the model wrote, and may be anything. Always returns something the model can say, and soon
    /// once the task is cancelled.
    func call(arguments: String) async -> ToolOutput
    /// What a call that takes long is doing, "reading your mail"; nil where there is nothing to tell.
    var activity: String? { get }
    /// True where the one who answers keeps the deadline of the call: Jarvis may need minutes, and wait for the user.
    var keepsDeadline: Bool { get }
}

extension Tool {
    package var activity: String? { nil }
    package var keepsDeadline: Bool { false }
}

/// A tool whose calls are made one after another, in the order of the model: "play this" comes before "and then that".
///
/// A call returns at once: those behind it wait for it.
package protocol OrderedTool: Tool {}

/// A tool that carries the user's answer to what the agent has asked.
package protocol AnswerTool: Tool {
    /// - Parameter prompt: what the user has heard and may have answered, by the number under which it waits; nil for
    ///   nothing: then the answer is no.
    func call(arguments: String, prompt: Int?) async -> ToolOutput
}

extension AnswerTool {
    package var keepsDeadline: Bool { true }

    package func call(arguments: String) async -> ToolOutput { await call(arguments: arguments, prompt: nil) }
}

extension CallAuthority {
    /// Whether a tool may be called. One that carries an answer may always: without `prompt` it carries a no.
    func allows(_ tool: any Tool) -> Bool {
        let needed = ToolAuthority.needed(by: tool.name)
        return needed == .answer ? tool is any AnswerTool : reach >= needed
    }
}
