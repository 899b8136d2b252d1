internal import VoiceAgent
internal import VoiceConversation

extension Tool {
    /// add_to_request: "and also ...", for the request Jarvis is working on.
    package static func addToRequest(_ context: ToolContext) -> Tool {
        Tool(
            "add_to_request",
            needs: .words,
            """
            Adds to the request Jarvis is working on right now, when the user adds to it or corrects it before the answer has \
            come ("and also ...", "no, I meant Tuesday"). A question of its own goes to ask_jarvis instead.
            """,
            """
            {"type":"object","properties":{"remark":{"type":"string","description":"What the user added, in the user's own \
            words, with every name, number and detail."}},"required":["remark"],"additionalProperties":false}
            """,
            .plain { arguments in
                guard let decoded = ToolArguments.decode(Remark.self, from: arguments),
                    !decoded.remark.allSatisfy(\.isWhitespace), decoded.remark.utf8.count <= maximumQueryBytes
                else {
                    return context.refuse(
                        "add_to_request", "its arguments could not be read", "I did not get that. Please say it again."
                    )
                }
                if let failure = await context.add(decoded.remark) {
                    return ToolResult(.refusal(.because(failure.spokenSentence)))
                }
                return ToolResult(
                    .done("Jarvis has been told, and its answer will cover that. Say so in two or three words.")
                )
            }
        )
    }

    private struct Remark: Decodable {
        let remark: String
    }

    /// check_progress: "how far are you?", asked while the request is running.
    package static func checkProgress(_ context: ToolContext) -> Tool {
        Tool(
            "check_progress",
            needs: .none,
            """
            Tells how far Jarvis is with the request it is working on, when the user asks ("how far are you?", "are you still \
            there?"). Changes nothing.
            """,
            .plain { _ in
                if let answer = await context.progress() { return ToolResult(.answer(answer)) }
                return ToolResult(.done("Jarvis is not working on anything at the moment."))
            }
        )
    }

    /// cancel_request: cancels the request that Jarvis is working on.
    package static func cancelRequest(_ context: ToolContext) -> Tool {
        Tool(
            "cancel_request",
            needs: .none,
            """
            Stops what Jarvis is working on, when the user no longer wants it. An interruption alone is no reason to call \
            it. What Jarvis has done already is not undone.
            """,
            .plain { _ in
                await context.cancelRequest()
                    ? ToolResult(.done("The request was cancelled."))
                    : ToolResult(.refusal(.because("There was no request to cancel.")))
            }
        )
    }
}
