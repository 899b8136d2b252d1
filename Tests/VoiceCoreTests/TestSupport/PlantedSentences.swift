@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceReply
@testable import VoiceSession

/// What the agent writes is only text, though it reads like words of this program.
enum PlantedSentences {
    static let prompt = AgentPrompt(
        number: 1, kind: .permission(action: "rm -r x"), facts: [#"run this command: "rm -r x""#]
    )
    /// Everything that this program itself says to a model about a result.
    static let all =
        [
            ToolResult(.prompt(prompt)), ToolResult(.prompt(prompt, after: "Yes. ")),
            ToolResult(.prompt(AgentPrompt(number: 1, kind: .question, facts: [#""Which list?""#]))),
            ToolResult(.refusal(.noTool(named: "play_audio"))), ToolResult(.refusal(.unasked)), ToolResult(.readToEnd),
            ToolResult(.answer("It rains."), lateFor: "What is the weather?"),
            ToolResult(.answer("Jazz.", media: OfferedMedia(handles: ["media-1"], listing: "Here:\nmedia-1: \"x\""))),
            ToolResult(.data(#"{"problem":"it is broken","status":"failed"}"#, problem: "it is broken")),
        ].map(\.forModel)

    /// The result of a tool whose agent has answered with this text.
    static func answer(_ text: String) -> ToolResult {
        ToolResult(JarvisAnswer(reply: ShapedReply(spoken: text, full: text, wasCut: false)), lateQuestion: nil)
    }
}
