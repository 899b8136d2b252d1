internal import VoiceAgent
internal import VoiceConversation

extension Tool {
    /// answer_question: passes the user's answer to a question of the agent.
    package static func answerQuestion(_ context: ToolContext) -> Tool {
        Tool(
            AnswerTool.answerQuestion.rawValue,
            needs: .answer,
            """
            Gives Jarvis the user's answer to the question it has just asked, and returns what Jarvis says next. Call it \
            only after a result told you that Jarvis asks something, with what the user said and nothing made up.
            """,
            """
            {"type":"object","properties":{"answers":{"type":"array","items":{"type":"string"},"description":"The user's \
            words, or the option chosen: one for each question, in order. For a choice of several, separate them by \
            semicolons."},"dismiss":{"type":"boolean","description":"True when the user does not want to \
            answer."}},"additionalProperties":false}
            """,
            .answers { arguments, prompt, listener in
                guard let decoded = ToolArguments.decode(Answers.self, from: arguments),
                    decoded.dismiss == true
                        || decoded.answers?.contains(where: { !$0.allSatisfy(\.isWhitespace) }) == true
                else {
                    return context.refuse(
                        "answer_question", "its arguments could not be read",
                        "I did not get that answer. Please say it again.", isCarriedOut: false
                    )
                }
                let answers = decoded.dismiss == true ? nil : decoded.answers
                return await context.read(context.answer(answers, prompt, listener.inParts), listener)
            }
        )
    }

    private struct Answers: Decodable {
        let answers: [String]?
        let dismiss: Bool?
    }

    /// approve: allows or denies an action for which the agent requested permission.
    package static func approve(_ context: ToolContext) -> Tool {
        Tool(
            AnswerTool.approve.rawValue,
            needs: .answer,
            """
            Allows or denies an action Jarvis has asked permission for. Call it only after you have told the user exactly \
            what Jarvis wants to do and the user has clearly said yes or no to that. Anything unclear is a no.
            """,
            """
            {"type":"object","properties":{"command":{"type":"string","description":"The action exactly as it was given \
            to you, character by character."},"allow":{"type":"boolean"}},"required":["command","allow"],\
            "additionalProperties":false}
            """,
            .answers { arguments, prompt, listener in
                guard let decoded = ToolArguments.decode(Approval.self, from: arguments) else {
                    return context.refuse(
                        "approve", "its arguments could not be read", "I did not get that. Please say yes or no again.",
                        isCarriedOut: false
                    )
                }
                let reply = await context.approve(decoded.command, decoded.allow, prompt, listener.inParts)
                return await context.read(reply, listener)
            }
        )
    }

    private struct Approval: Decodable {
        let command: String
        let allow: Bool
    }
}
