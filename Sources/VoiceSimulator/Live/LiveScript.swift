/// What the simulated GPT-Live model hears and does. Like its fellow it knows when somebody spoke, not what.
package struct LiveScript: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        /// Speaks a text.
        case say(String)
        /// Hands the request over; `bridge` is what it says meanwhile.
        case delegate(bridge: String?)
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
        /// The timeline stands still from here on, in ms: what is sent is read and not counted.
        package var freezesAt: Int?
        /// Words that nobody said, handed over as a request, at this place in ms.
        package var phantom: (words: String, at: Int)?
        /// Texts are placed and never acknowledged.
        package var losesAcknowledgements = false
        /// How much later texts are placed, in ms.
        package var defersAppends = 0
        /// How much later the user's words come, in ms.
        package var delaysWords = 0
        /// The session is over so many ms after its start.
        package var expiresAfter: Int?
        /// The socket is lost so many ms after a request was handed over.
        package var dropsAfterDelegation: Int?
        /// `acknowledgement_delay_ms` is not known.
        package var refusesDelay = false
        /// A request is handed over twice, under the same id and under another one.
        package var repeatsDelegations = false
        /// Texts that are sent right after the start, whatever they are.
        package var nonsense: [String] = []
        /// Refuses the start with this error code.
        package var refusesStart: String?

        package init() {}

        package static func == (left: Faults, right: Faults) -> Bool {
            "\(left)" == "\(right)"
        }
    }

    /// In order; more turns are not answered.
    package var turns: [Turn]
    package var faults: Faults

    package init(_ turns: [Turn], faults: Faults = .init()) {
        self.turns = turns
        self.faults = faults
    }

    /// Every turn becomes a request.
    package static func requests(_ queries: [String]) -> LiveScript {
        LiveScript(queries.map { Turn($0, .delegate(bridge: "One moment.")) })
    }
}
