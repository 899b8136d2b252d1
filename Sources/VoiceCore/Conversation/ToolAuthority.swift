/// What a tool needs of the user before it may do anything. The dispatcher enforces it.
///
/// The model that calls a tool may have been told to by anybody: a page that the agent has read, a title, a server. It
/// proposes; a person who has spoken decides.
package enum ToolAuthority: Int, Sendable, Comparable {
    /// It reads, or makes things quieter: anybody may.
    case none
    /// A turn of the user led to it, by way of what was answered too: "play something good" plays what the agent names.
    case turn
    /// A turn of the user led to it, and no text from outside was told in between.
    case words
    /// It gives the user's answer to what the agent has asked: to the very question that was read out to him, and spoken
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

    /// What a tool needs; one that is not in the table has to be put there.
    package static func needed(by tool: String) -> ToolAuthority { table[tool] ?? .answer }

    package static func < (left: ToolAuthority, right: ToolAuthority) -> Bool { left.rawValue < right.rawValue }
}

/// What stands behind a call: whose word led to it.
package struct CallAuthority: Sendable, Equatable {
    /// How far the user's word reaches; never `answer`, which `prompt` tells.
    package var reach: ToolAuthority
    /// What the agent has asked and the user may have answered in the turn that led to the call; nil for nothing.
    package var prompt: Int?

    package init(_ reach: ToolAuthority, prompt: Int? = nil) {
        self.reach = reach
        self.prompt = prompt
    }

    package static let nobody = CallAuthority(.none)
}

/// Where the text of an output comes from.
package enum OutputOrigin: Sendable, Equatable {
    /// A fixed sentence of this program.
    case own
    /// The agent, a title, a server: data.
    case outside
    /// What the agent asks the user, by the number under which it waits.
    case prompt(Int)
}
