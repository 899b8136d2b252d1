/// The authority a tool needs from the user: each `Tool` names it, and the dispatcher enforces it.
///
/// Anybody may have made the model call a tool: a page the agent has read, a title, a server. The model proposes; a person
/// who has spoken decides.
package enum ToolAuthority: Int, Sendable, Comparable {
    /// The tool only reads or makes things quieter: always allowed.
    case none
    /// A turn of the user led to it, possibly through outside text: "play something good" plays what the agent names.
    case turn
    /// A turn of the user led to it, with no outside text in between.
    case words
    /// The tool passes on the user's answer to a question of the agent: to the very question that was read out, and spoken
    /// after it.
    case answer

    package static func < (left: ToolAuthority, right: ToolAuthority) -> Bool { left.rawValue < right.rawValue }
}

/// The tools that pass on the user's answer to a question of the agent, by their names on the wire.
package enum AnswerTool: String {
    case answerQuestion = "answer_question"
    /// May allow what the agent asks permission for.
    case approve
}

/// The authority behind a call.
package struct CallAuthority: Sendable, Equatable {
    /// How far the user's word reaches; never `answer`, which `prompt` states.
    package var reach: ToolAuthority
    /// The question of the agent that the user may have answered in the turn behind the call; nil for none.
    package var prompt: Int?

    package init(_ reach: ToolAuthority, prompt: Int? = nil) {
        self.reach = reach
        self.prompt = prompt
    }

    package static let nobody = CallAuthority(.none)
}

/// The origin of an output's text.
package enum OutputOrigin: Sendable, Equatable {
    /// A fixed sentence of this program.
    case own
    /// The agent, a title, a server: untrusted data.
    case outside
    /// A question of the agent, with the number under which it waits.
    case prompt(Int)
}
