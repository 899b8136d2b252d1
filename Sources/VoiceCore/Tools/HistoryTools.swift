internal import VoiceAgent
package import VoiceConversation

/// continue_reading: "tell me more", read from the last answer without asking the agent.
package struct ContinueReadingTool: Tool {
    package let name = "continue_reading"
    package let description = """
        Returns the next part of the last answer of Jarvis, when it offered more details and the user wants them. \
        Does not ask Jarvis anything.
        """
    package let parameters = ToolArguments.none
    private let context: ToolContext

    package init(_ context: ToolContext) {
        self.context = context
    }

    package func call(arguments: String) async -> ToolResult {
        ToolResult(await context.readOn().map { .answer($0) } ?? .readToEnd)
    }
}

/// forget_last: "forget what I just said".
package struct ForgetLastTool: Tool {
    package let name = "forget_last"
    package let description = """
        Makes Jarvis forget the last request and its answer, when the user says so ("forget what I just said", "scratch \
        that"). What Jarvis has done already is not undone. A wholly fresh start is new_conversation.
        """
    package let parameters = ToolArguments.none
    private let context: ToolContext

    package init(_ context: ToolContext) {
        self.context = context
    }

    package func call(arguments: String) async -> ToolResult {
        switch await context.forgetLast() {
        case .forgotten:
            ToolResult(
                .done("Jarvis has forgotten the last request and its answer. Do not come back to them yourself.")
            )
        case .nothing: ToolResult(.refusal(.because("There is nothing to forget.")))
        case .impossible:
            ToolResult(
                .refusal(.because("Jarvis could not take it back. A fresh start is possible: new_conversation."))
            )
        }
    }
}

/// new_conversation: a fresh start with the agent.
package struct NewConversationTool: Tool {
    package let name = "new_conversation"
    package let description = """
        Begins a fresh conversation with Jarvis, who then no longer has the earlier one in mind. Call it only when the \
        user asks for a fresh start or to forget what was said.
        """
    package let parameters = ToolArguments.none
    private let context: ToolContext

    package init(_ context: ToolContext) {
        self.context = context
    }

    package func call(arguments: String) async -> ToolResult {
        await context.startFresh()
        return ToolResult(.done("A fresh conversation has begun."))
    }
}
