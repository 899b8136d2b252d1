internal import VoiceConversation

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

    package func call(arguments: String) async -> ToolOutput {
        context.endConversation()
        return ToolOutput("The conversation ends.", wantsReply: false, origin: .own)
    }
}
