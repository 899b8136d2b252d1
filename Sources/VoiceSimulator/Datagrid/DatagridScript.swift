/// What the simulated Datagrid agent hears and does. It knows when somebody spoke, not what.
package struct DatagridScript: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        case say(String)
        /// Uses a tool of its own for so many ms, then says the text.
        case work(tool: String, milliseconds: Int, then: String)
        case nothing
    }

    /// One turn of the user: the words and what becomes of them.
    package struct Turn: Sendable, Equatable {
        package var words: String
        package var action: Action

        package init(_ words: String, _ action: Action) {
            self.words = words
            self.action = action
        }
    }

    /// Trouble to make.
    package struct Faults: Sendable, Equatable {
        /// On so many connections; later ones are sound.
        package var connections = Int.max
        /// The status of every hand-off.
        package var handoffStatus: Int?
        /// Refuses the start with this text.
        package var refusesStart: String?
        /// Refuses every conversation that is to go on.
        package var forgetsConversations = false
        /// The socket is lost so many ms after an answer has begun.
        package var dropsAfterAnswer: Int?
        /// The session is ended by the service so many ms after it was ready.
        package var endsAfter: Int?
        /// An error so many ms after it was ready: its code and its text.
        package var error: (code: String, text: String, after: Int)?
        /// `interrupt` is not answered, and the answer goes on.
        package var ignoresInterrupt = false
        /// The agent interrupts itself so many ms after an answer has begun.
        package var interruptsItselfAfter: Int?
        /// Words that nobody said, so many ms after it was ready.
        package var phantom: (words: String, after: Int)?
        /// Sends its text in binary frames.
        package var sendsBinary = false
        /// Does not answer `stop`.
        package var ignoresStop = false
        /// Texts that are sent right after `ready`, whatever they are.
        package var nonsense: [String] = []

        package init() {}

        package static func == (left: Faults, right: Faults) -> Bool { "\(left)" == "\(right)" }
    }

    /// In order; more turns are not answered.
    package var turns: [Turn]
    package var faults: Faults

    package init(_ turns: [Turn], faults: Faults = .init()) {
        self.turns = turns
        self.faults = faults
    }

    /// Each turn is answered with one of these, after a tool was used.
    package static func answers(_ answers: [String]) -> DatagridScript {
        DatagridScript(
            answers.enumerated().map {
                Turn("Question \($0.offset + 1)?", .work(tool: "search_documents", milliseconds: 600, then: $0.element))
            }
        )
    }
}
