package import VoiceConversation

/// stay_silent: the model's way to say nothing.
package struct StaySilentTool: Tool {
    package let name = "stay_silent"
    package let description = """
        Says nothing. Call it instead of speaking when what was heard was not meant for you: people talking with each \
        other, a television, noise.
        """
    package let parameters = ToolArguments.none

    package init() {}

    package func call(arguments: String) async -> ToolResult {
        ToolResult(.done("Silent."), wantsReply: false)
    }
}

/// end_conversation: closes the session after the farewell has been spoken.
package struct EndConversationTool: Tool {
    package let name = "end_conversation"
    package let description = """
        Ends the conversation. Call it when the user says goodbye or wants you to stop listening; say your own short \
        goodbye first, in the same reply.
        """
    package let parameters = ToolArguments.none
    private let context: ToolContext

    package init(_ context: ToolContext) {
        self.context = context
    }

    package func call(arguments: String) async -> ToolResult {
        context.endConversation()
        return ToolResult(.done("The conversation ends."), wantsReply: false)
    }
}
