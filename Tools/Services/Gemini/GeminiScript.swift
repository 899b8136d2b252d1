package import VoiceSimulator

/// What the simulated Gemini model hears and does. The simulator detects when the user spoke, not what was said.
package struct GeminiScript: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        case say(String)
        /// Calls `ask_jarvis` with these questions; `bridge` is said meanwhile.
        case ask([String], bridge: String?)
        /// Calls a tool with these arguments.
        case call(String, SimulatedJSON)
        /// Ends the turn without output, for this reason.
        case end(String?)
    }

    /// One turn of the user: the words and the model's action.
    package struct Turn: Sendable, Equatable {
        package var words: String
        package var action: Action

        package init(_ words: String, _ action: Action) {
            self.words = words
            self.action = action
        }
    }

    /// Faults to inject. Times are in ms.
    package struct Faults: Sendable, Equatable {
        /// Number of connections with faults; later ones are sound.
        package var connections = Int.max
        /// Closes the socket instead of setting up, with this code and reason.
        package var refusesSetup: (code: Int, reason: String)?
        /// Refuses to resume a session.
        package var refusesResumption = false
        /// Closes the socket so long after the set-up, with this code and reason.
        package var closes: (code: Int, reason: String, after: Int)?
        /// Drops the socket so long after a call was made.
        package var dropsAfterCall: Int?
        /// Announces the end of the connection so long after the set-up; it comes a minute later.
        package var goesAwayAfter: Int?
        /// Does not take the time of an answer.
        package var refusesScheduling = false
        /// Withdraws each call after so long.
        package var withdrawsAfter: Int?
        /// Calls a second time for the same question.
        package var repeatsCalls = false
        /// Says that it was interrupted when it was not, so long after the set-up.
        package var phantomInterruption: Int?
        /// Words that were never said, so long after the set-up.
        package var phantom: (words: String, at: Int)?
        /// Ends turns that should have output without any.
        package var leavesTurnsEmpty = 0
        /// Sends the user's words behind the reply.
        package var delaysWords = false
        /// Sends everything in binary frames.
        package var sendsBinary = false
        /// Does not end its turns.
        package var ignoresEnds = false
        /// Arbitrary texts sent right after the set-up.
        package var nonsense: [String] = []

        package init() {}

        /// One fault of the protocol.
        init(drawing random: inout SplitMix) {
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                closes = (
                    1011, "Deadline expired before operation could complete.",
                    Int.random(in: 1500...6000, using: &random)
                )
            case 1: closes = (1011, "Internal error encountered.", Int.random(in: 1000...6000, using: &random))
            case 2: dropsAfterCall = Int.random(in: 0...1500, using: &random)
            case 3: refusesResumption = true
            case 4: withdrawsAfter = Int.random(in: 0...800, using: &random)
            case 5: phantomInterruption = Int.random(in: 500...4000, using: &random)
            case 6: phantom = ("Open the door.", Int.random(in: 500...4000, using: &random))
            case 7: leavesTurnsEmpty = 1
            case 8: delaysWords = true
            case 9: ignoresEnds = true
            case 10: repeatsCalls = true
            default: goesAwayAfter = Int.random(in: 500...3000, using: &random)
            }
        }

        package static func == (left: Faults, right: Faults) -> Bool { "\(left)" == "\(right)" }
    }

    /// In order; further turns are not answered.
    package var turns: [Turn]
    package var faults: Faults

    package init(_ turns: [Turn], faults: Faults = .init()) {
        self.turns = turns
        self.faults = faults
    }

    /// A script that asks Jarvis one question after another.
    package static func requests(_ queries: [String]) -> GeminiScript {
        GeminiScript(queries.map { Turn($0, .ask([$0], bridge: "One moment.")) })
    }
}
