internal import VoiceSimulator

/// What the simulated Datagrid agent hears and does. The simulator detects when a voice spoke, not what was said.
package struct DatagridScript: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        case say(String)
        /// Uses one of its own tools for so many ms, then says the text.
        case work(tool: String, milliseconds: Int, then: String)
        case nothing
    }

    /// One turn of the user: the words and the agent's action.
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
        /// The HTTP status of every hand-off.
        package var handoffStatus: Int?
        /// Refuses the start with this message.
        package var refusesStart: String?
        /// Refuses to continue any conversation.
        package var forgetsConversations = false
        /// Drops the socket so many ms after an answer began.
        package var dropsAfterAnswer: Int?
        /// Ends the session so many ms after `ready`.
        package var endsAfter: Int?
        /// Sends an error with this code and text, so many ms after `ready`.
        package var error: (code: String, text: String, after: Int)?
        /// Ignores `interrupt`, so that the answer continues.
        package var ignoresInterrupt = false
        /// The agent interrupts itself so many ms after an answer began.
        package var interruptsItselfAfter: Int?
        /// Transcribes words that no one said, so many ms after `ready`.
        package var phantom: (words: String, after: Int)?
        /// Sends its text in binary frames.
        package var sendsBinary = false
        /// The session is ended by the service so many ms after an answer has begun.
        package var endsInAnswer: Int?
        /// Tools that are never told to be finished.
        package var unfinishedTools = false
        /// Hand-offs, in percent, that are refused, and those whose token has expired when it is used.
        package var refusedHandoffs = 0
        package var expiredTokens = 0
        /// Does not answer `stop`.
        package var ignoresStop = false
        /// Arbitrary texts sent right after `ready`.
        package var nonsense: [String] = []

        package init() {}

        /// One fault of the protocol.
        init(drawing random: inout SplitMix) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1: endsInAnswer = Int.random(in: 50...800, using: &random)
            case 2: unfinishedTools = true
            case 3: ignoresInterrupt = true
            case 4: interruptsItselfAfter = Int.random(in: 100...800, using: &random)
            case 5: forgetsConversations = true
            case 6: phantom = ("Open the door.", Int.random(in: 500...4000, using: &random))
            case 7: ignoresStop = true
            default: break
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

    /// A script that answers each turn with one of these texts, after a tool call.
    package static func answers(_ answers: [String]) -> DatagridScript {
        DatagridScript(
            answers.enumerated().map {
                Turn("Question \($0.offset + 1)?", .work(tool: "search_documents", milliseconds: 600, then: $0.element))
            }
        )
    }
}
