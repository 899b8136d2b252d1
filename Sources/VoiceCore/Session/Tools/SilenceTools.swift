internal import VoiceConversation

extension Tool {
    /// stay_silent: the model's way to say nothing.
    package static var staySilent: Tool {
        Tool(
            "stay_silent",
            needs: .none,
            """
            Says nothing. Call it instead of speaking when what was heard was not meant for you: people talking with each \
            other, a television, noise.
            """,
            .plain { _ in
                ToolResult(.done("Silent."), wantsReply: false)
            }
        )
    }

    /// end_conversation: closes the session after the farewell has been spoken.
    package static func endConversation(_ context: ToolContext) -> Tool {
        Tool(
            "end_conversation",
            needs: .none,
            """
            Ends the conversation. Call it when the user says goodbye or wants you to stop listening; say your own short \
            goodbye first, in the same reply.
            """,
            .plain { _ in
                context.endConversation()
                return ToolResult(.done("The conversation ends."), wantsReply: false)
            }
        )
    }
}
