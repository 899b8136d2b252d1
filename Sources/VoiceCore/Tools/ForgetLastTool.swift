internal import VoiceAgent
internal import VoiceConversation

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

    package func call(arguments: String) async -> ToolOutput {
        switch await context.forgetLast() {
        case .forgotten:
            ToolOutput(
                "Jarvis has forgotten the last request and its answer. Do not come back to them yourself.",
                origin: .own
            )
        case .nothing: ToolOutput("There is nothing to forget.", succeeded: false, origin: .own)
        case .impossible:
            ToolOutput(
                "Jarvis could not take it back. A fresh start is possible: new_conversation.",
                succeeded: false,
                origin: .own
            )
        }
    }
}
