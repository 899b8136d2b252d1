/// What the simulated model hears and says.
///
/// The simulator cannot understand speech: it detects when a voice spoke, and the script says what was said and what
/// happens next.
package struct ConversationScript: Sendable, Equatable {
    /// A call of a client-side function.
    package struct Call: Sendable, Equatable {
        package var tool: String
        package var arguments: SimulatedJSON

        package init(tool: String, arguments: SimulatedJSON) {
            self.tool = tool
            self.arguments = arguments
        }
    }

    /// One item of a response.
    package enum Part: Sendable, Equatable {
        case say(String)
        case call(Call)
    }

    /// How a response ends; a response that is not completed ends within its last item.
    package enum End: Sendable, Equatable {
        case completed
        case incomplete(reason: String)
        case cancelled(reason: String)
    }

    /// How the model answers one turn of the user.
    package enum Action: Sendable, Equatable {
        /// Speaks a text.
        case say(String)
        /// Speaks a filler and calls a function in the same response.
        case call(filler: String, tool: String, arguments: SimulatedJSON)
        /// Calls a function without speaking.
        case callOnly(tool: String, arguments: SimulatedJSON)
        /// Calls several functions in one response.
        case calls(filler: String?, [Call])
        /// Makes a response that fails with this error code and message.
        case fail(code: String, message: String)
        /// Creates no response.
        case nothing
        /// Speaks and calls in any order; each part is an item.
        case compose([Part], end: End)
    }

    /// One turn of the user: the words and the model's answer.
    package struct Turn: Sendable, Equatable {
        package var transcript: String
        package var action: Action

        package init(transcript: String, action: Action) {
            self.transcript = transcript
            self.action = action
        }
    }

    /// The turns in order; once they are used up, `queries` follow.
    package var turns: [Turn]
    /// What users ask, in rotation, once `turns` is used up: each becomes a call of `ask_jarvis` with a filler.
    package var queries: [String]
    /// Fillers spoken while the agent works, in rotation.
    package var fillers = ["Checking now.", "One moment.", "Let me see.", "Looking into it."]
    /// Plays what an output names under handles ("media-1: ..."), the first immediately and the others after it, before it
    /// speaks of anything.
    package var playsNamedMedia = false
    /// The model's actions when it is asked to speak about outputs, in order; for nil, and after the last one, it reads
    /// them out.
    package var toOutputs: [Action?] = []
    /// The model's actions when a response is requested and there is nothing to answer, in order; then `otherwise`.
    package var toRemarks: [Action] = []
    /// What the model says when a response is requested and there is nothing to answer.
    package var otherwise = "I am here."
    /// Faults to inject.
    package var faults: RealtimeFaults

    package init(turns: [Turn] = [], queries: [String] = ["What is on today?"], faults: RealtimeFaults = .init()) {
        self.turns = turns
        self.queries = queries
        self.faults = faults
    }

    /// The turn with this number, counted from 0.
    package func turn(_ number: Int) -> Turn {
        if number < turns.count { return turns[number] }
        guard !queries.isEmpty, !fillers.isEmpty else { return Turn(transcript: "", action: .say(otherwise)) }
        let query = queries[(number - turns.count) % queries.count]
        return Turn(
            transcript: query,
            action: .call(
                filler: fillers[number % fillers.count], tool: "ask_jarvis", arguments: ["query": .string(query)]
            )
        )
    }
}
