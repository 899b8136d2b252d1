internal import VoiceConversation

/// continue_reading: "tell me more", answered from the last answer without asking again.
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

    package func call(arguments: String) async -> ToolOutput {
        if let piece = await context.readOn() { return ToolOutput(piece) }
        return ToolOutput("That was all of the answer. Ask Jarvis when the user wants to know more.")
    }
}
