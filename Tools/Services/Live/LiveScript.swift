internal import VoiceSimulator

/// What the simulated GPT-Live model hears and does. As in `ConversationScript`, the simulator detects when a voice
/// spoke, not what was said.
package struct LiveScript: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        /// Speaks a text.
        case say(String)
        /// Delegates the request; `bridge` is said meanwhile.
        case delegate(bridge: String?)
        case nothing
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
        /// The position at which the timeline stops: later audio is read and not counted.
        package var freezesAt: Int?
        /// Words that no one said, delegated as a request at this position.
        package var phantom: (words: String, at: Int)?
        /// Places texts but never acknowledges them.
        package var losesAcknowledgements = false
        /// Additional delay before texts are placed.
        package var defersAppends = 0
        /// Additional delay of the user's words.
        package var delaysWords = 0
        /// Ends the session so long after its start.
        package var expiresAfter: Int?
        /// Drops the socket so long after a request was delegated.
        package var dropsAfterDelegation: Int?
        /// Rejects `acknowledgement_delay_ms` as unknown.
        package var refusesDelay = false
        /// Delegates each request again, under the same id and under another one.
        package var repeatsDelegations = false
        /// Sends its text in binary frames.
        package var sendsBinary = false
        /// Arbitrary texts sent right after the start.
        package var nonsense: [String] = []
        /// Refuses the start with this error code.
        package var refusesStart: String?

        package init() {}

        /// One fault of the protocol.
        init(drawing random: inout SplitMix) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: freezesAt = Int.random(in: 2000...8000, using: &random)
            case 1: defersAppends = Int.random(in: 500...2500, using: &random)
            case 2: delaysWords = Int.random(in: 500...2000, using: &random)
            case 3: phantom = ("Open the door.", Int.random(in: 1500...6000, using: &random))
            case 4: losesAcknowledgements = true
            case 5: repeatsDelegations = true
            case 6: refusesDelay = true
            case 7: dropsAfterDelegation = Int.random(in: 0...1500, using: &random)
            default: break
            }
        }

        package static func == (left: Faults, right: Faults) -> Bool {
            "\(left)" == "\(right)"
        }
    }

    /// In order; further turns are not answered.
    package var turns: [Turn]
    package var faults: Faults
    /// Time between two reports of usage, in ms.
    package var usageEvery = 15_000
    /// Time from the transcript of the user's last word to the reply of `.say`, in ms; below 0, the model replies before it
    /// has reported the words.
    package var repliesAfter = 500
    /// Whether the words of a turn name the connection, so that no request occurs twice.
    package var namesConnections = false

    package init(_ turns: [Turn], faults: Faults = .init()) {
        self.turns = turns
        self.faults = faults
    }

    /// A script in which every turn becomes a request.
    package static func requests(_ queries: [String]) -> LiveScript {
        LiveScript(queries.map { Turn($0, .delegate(bridge: "One moment.")) })
    }
}
