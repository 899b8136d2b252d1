import Logging
package import VoiceConversation

/// answer_question: passes the user's answer to a question of the agent.
package struct AnswerQuestionTool: AnswerTool {
    package let name = "answer_question"
    package let description = """
        Gives Jarvis the user's answer to the question it has just asked, and returns what Jarvis says next. Call it \
        only after a result told you that Jarvis asks something, with what the user said and nothing made up.
        """
    package let parameters = """
        {"type":"object","properties":{"answers":{"type":"array","items":{"type":"string"},"description":"The user's \
        words, or the option chosen: one for each question, in order. For a choice of several, separate them by \
        semicolons."},"dismiss":{"type":"boolean","description":"True when the user does not want to \
        answer."}},"additionalProperties":false}
        """
    private let context: ToolContext

    package init(_ context: ToolContext) {
        self.context = context
    }

    package func call(arguments: String, prompt: Int?) async -> ToolResult {
        guard let decoded = ToolArguments.decode(Arguments.self, from: arguments),
            decoded.dismiss == true || decoded.answers?.contains(where: { !$0.allSatisfy(\.isWhitespace) }) == true
        else {
            return context.refuse(
                name,
                "its arguments could not be read",
                "I did not get that answer. Please say it again.",
                isCarriedOut: false
            )
        }
        return ToolResult(
            await context.answer(decoded.dismiss == true ? nil : decoded.answers, prompt),
            lateQuestion: nil
        )
    }

    private struct Arguments: Decodable {
        let answers: [String]?
        let dismiss: Bool?
    }
}

/// approve: allows or denies an action for which the agent requested permission.
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

    package func call(arguments: String, prompt: Int?) async -> ToolResult {
        guard let decoded = ToolArguments.decode(Arguments.self, from: arguments) else {
            return context.refuse(
                name,
                "its arguments could not be read",
                "I did not get that. Please say yes or no again.",
                isCarriedOut: false
            )
        }
        return ToolResult(await context.approve(decoded.command, decoded.allow, prompt), lateQuestion: nil)
    }

    private struct Arguments: Decodable {
        let command: String
        let allow: Bool
    }
}
