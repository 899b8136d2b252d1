/// The authority a tool needs from the user. The dispatcher enforces it.
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

    /// Every tool of the daemon.
    package static let table: [String: ToolAuthority] = [
        "stay_silent": .none,
        "end_conversation": .none,
        "continue_reading": .none,
        "cancel_request": .none,
        "check_progress": .none,
        "get_now_playing": .none,
        "list_timers": .none,
        "tell_time": .none,
        "stop_talking": .none,
        "pause_playback": .none,
        "stop_playback": .none,
        "set_timer": .turn,
        "cancel_timer": .turn,
        "change_timer": .turn,
        "play_audio": .turn,
        "enqueue": .turn,
        "resume_playback": .turn,
        "skip_track": .turn,
        "clear_queue": .turn,
        "set_volume": .turn,
        "duck_audio": .turn,
        "previous_track": .turn,
        "change_volume": .turn,
        "mute_microphone": .turn,
        "ask_jarvis": .words,
        "add_to_request": .words,
        "forget_last": .words,
        "new_conversation": .words,
        "answer_question": .answer,
        "approve": .answer,
    ]

    /// Whether the tool may allow what the agent asks for; those missing from the table may.
    package static func givesPermission(_ tool: String) -> Bool {
        needed(by: tool) == .answer && tool != "answer_question"
    }

    /// Returns what a tool needs; tools missing from the table need the most.
    package static func needed(by tool: String) -> ToolAuthority { table[tool] ?? .answer }

    package static func < (left: ToolAuthority, right: ToolAuthority) -> Bool { left.rawValue < right.rawValue }
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
