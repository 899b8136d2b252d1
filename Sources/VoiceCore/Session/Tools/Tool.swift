package import VoiceAgent
package import VoiceConversation

/// A function that the speaking model may call.
package struct Tool: Sendable {
    /// The work of a call. Always has a result that can be spoken about; returns soon after the task is cancelled.
    ///
    /// Its arguments are the JSON text that the model wrote, which may be anything.
    package enum Body: Sendable {
        case plain(@Sendable (_ arguments: String) async -> ToolResult)
        /// Calls run one after another, in the order of the model: "play this" comes before "and then that". They must return
        /// immediately, since later calls wait for them.
        case ordered(@Sendable (_ arguments: String) async -> ToolResult)
        /// The result is a reply of the agent, which keeps the deadline: it may need minutes, and may wait for the user.
        case asks(AgentBody)
        /// As `asks`, for the user's answer to a question of the agent. Without the number of a prompt, the answer is no.
        case answers(AgentBody)
    }

    /// - prompt: the number of the agent's question that the user heard and may have answered.
    /// - listener: receives the reply while it is being written.
    package typealias AgentBody =
        nonisolated(nonsending) @Sendable (
            _ arguments: String, _ prompt: Int?, _ listener: AgentListener
        ) async -> ToolResult

    /// The name on the wire.
    package let name: String
    /// Whose word a call needs; `answer` for exactly those with the body `answers`.
    package let needs: ToolAuthority
    /// When to call it, as an instruction for the model.
    package let description: String
    /// JSON Schema of the arguments, as JSON text.
    package let parameters: String
    /// The present activity of a long call, such as "reading your mail"; nil if unknown.
    var activity: @Sendable () -> String? = { nil }
    let body: Body

    /// A tool without arguments.
    init(_ name: String, needs: ToolAuthority, _ description: String, _ body: Body) {
        self.init(name, needs: needs, description, ToolArguments.none, body)
    }

    init(_ name: String, needs: ToolAuthority, _ description: String, _ parameters: String, _ body: Body) {
        self.name = name
        self.needs = needs
        self.description = description
        self.parameters = parameters
        self.body = body
    }

    /// Whether it keeps the deadline of its calls itself.
    var isOfAgent: Bool {
        switch body {
        case .plain, .ordered: false
        case .asks, .answers: true
        }
    }

    nonisolated(nonsending) func call(
        arguments: String,
        prompt: Int? = nil,
        listener: AgentListener = AgentListener()
    ) async -> ToolResult {
        switch body {
        case .plain(let perform), .ordered(let perform): await perform(arguments)
        case .asks(let perform), .answers(let perform): await perform(arguments, prompt, listener)
        }
    }
}

extension CallAuthority {
    /// Whether a tool may be called. A tool that passes on an answer always may: without `prompt`, the answer is no.
    func allows(_ tool: Tool) -> Bool {
        if case .answers = tool.body { return true }
        return tool.needs != .answer && reach >= tool.needs
    }
}
