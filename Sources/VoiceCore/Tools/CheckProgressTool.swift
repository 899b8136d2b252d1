internal import VoiceConversation

/// check_progress: "how far are you?", asked beside the request under way.
package struct CheckProgressTool: Tool {
    package let name = "check_progress"
    package let description = """
        Tells how far Jarvis is with the request it is working on, when the user asks ("how far are you?", "are you still \
        there?"). Changes nothing.
        """
    package let parameters = ToolArguments.none
    private let context: ToolContext

    package init(_ context: ToolContext) {
        self.context = context
    }

    package func call(arguments: String) async -> ToolOutput {
        if let answer = await context.progress() { return ToolOutput(answer) }
        return ToolOutput("Jarvis is not working on anything at the moment.", origin: .own)
    }
}
