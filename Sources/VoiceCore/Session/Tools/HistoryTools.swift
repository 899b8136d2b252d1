internal import VoiceAgent
internal import VoiceConversation

extension Tool {
    /// continue_reading: "tell me more", read from the last answer without asking the agent.
    package static func continueReading(_ context: ToolContext) -> Tool {
        Tool(
            "continue_reading",
            needs: .none,
            """
            Returns the next part of the last answer of Jarvis, when it offered more details and the user wants them. \
            Does not ask Jarvis anything.
            """,
            .plain { _ in
                ToolResult(await context.readOn().map { .answer($0) } ?? .readToEnd)
            }
        )
    }

    /// forget_last: "forget what I just said".
    package static func forgetLast(_ context: ToolContext) -> Tool {
        Tool(
            "forget_last",
            needs: .words,
            """
            Makes Jarvis forget the last request and its answer, when the user says so ("forget what I just said", "scratch \
            that"). What Jarvis has done already is not undone. A wholly fresh start is new_conversation.
            """,
            .plain { _ in
                switch await context.forgetLast() {
                case .forgotten:
                    ToolResult(
                        .done(
                            "Jarvis has forgotten the last request and its answer. Do not come back to them yourself."
                        )
                    )
                case .nothing: ToolResult(.refusal(.because("There is nothing to forget.")))
                case .impossible:
                    ToolResult(
                        .refusal(
                            .because("Jarvis could not take it back. A fresh start is possible: new_conversation.")
                        )
                    )
                }
            }
        )
    }

    /// new_conversation: a fresh start with the agent.
    package static func newConversation(_ context: ToolContext) -> Tool {
        Tool(
            "new_conversation",
            needs: .words,
            """
            Begins a fresh conversation with Jarvis, who then no longer has the earlier one in mind. Call it only when the \
            user asks for a fresh start or to forget what was said.
            """,
            .plain { _ in
                await context.startFresh()
                return ToolResult(.done("A fresh conversation has begun."))
            }
        )
    }
}
