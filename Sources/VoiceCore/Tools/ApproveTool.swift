import Logging
internal import VoiceConversation

/// approve: allows or denies what the agent has asked permission for.
package struct ApproveTool: AnswerTool {
    package let name = "approve"
    package let description = """
        Allows or denies an action Jarvis has asked permission for. Call it only after you have told the user exactly \
        what Jarvis wants to do and the user has clearly said yes or no to that. Anything unclear is a no.
        """
    package let parameters = """
        {"type":"object","properties":{"command":{"type":"string","description":"The action exactly as it was given \
        to you, character by character."},"allow":{"type":"boolean"}},"required":["command","allow"],\
        "additionalProperties":false}
        """
    private let context: ToolContext

    package init(_ context: ToolContext) {
        self.context = context
    }

    package func call(arguments: String, prompt: Int?) async -> ToolOutput {
        guard let decoded = ToolArguments.decode(Arguments.self, from: arguments) else {
            return context.refuse(
                name,
                "its arguments could not be read",
                "I did not get that. Please say yes or no again.",
                isCarriedOut: false
            )
        }
        return ToolOutput(await context.approve(decoded.command, decoded.allow, prompt), lateQuestion: nil)
    }

    private struct Arguments: Decodable {
        let command: String
        let allow: Bool
    }
}
