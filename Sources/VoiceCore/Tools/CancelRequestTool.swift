internal import VoiceConversation

/// cancel_request: takes back what Jarvis is working on.
package struct CancelRequestTool: Tool {
    package let name = "cancel_request"
    package let description = """
        Stops what Jarvis is working on, when the user no longer wants it. An interruption alone is no reason to call \
        it. What Jarvis has done already is not undone.
        """
    package let parameters = ToolArguments.none
    private let context: ToolContext

    package init(_ context: ToolContext) {
        self.context = context
    }

    package func call(arguments: String) async -> ToolOutput {
        await context.cancelRequest()
            ? ToolOutput("The request was cancelled.", origin: .own)
            : ToolOutput("There was no request to cancel.", succeeded: false, origin: .own)
    }
}
