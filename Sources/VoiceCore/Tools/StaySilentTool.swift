internal import VoiceConversation

/// stay_silent: the model's way to say nothing.
package struct StaySilentTool: Tool {
    package let name = "stay_silent"
    package let description = """
        Says nothing. Call it instead of speaking when what was heard was not meant for you: people talking with each \
        other, a television, noise.
        """
    package let parameters = ToolArguments.none

    package init() {}

    package func call(arguments: String) async -> ToolOutput {
        ToolOutput("Silent.", wantsReply: false, origin: .own)
    }
}
