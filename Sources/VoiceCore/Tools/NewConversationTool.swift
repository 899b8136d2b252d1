internal import VoiceConversation

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

    package func call(arguments: String) async -> ToolOutput {
        await context.startFresh()
        return ToolOutput("A fresh conversation has begun.", origin: .own)
    }
}
