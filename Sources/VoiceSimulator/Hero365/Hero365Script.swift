/// What the simulated Hero365 says, and what trouble it makes.
package struct Hero365Script: Sendable, Equatable {
    /// How the sound of an answer is written.
    package enum Form: String, CaseIterable, Sendable {
        /// A packet of Opus in each message.
        case packet
        /// Sixteen packets of 20 ms in each, with their lengths.
        case lengths
        /// The same as pages of Ogg.
        case ogg
        /// PCM, 16 bits.
        case pcm
    }

    package struct Faults: Sendable, Equatable {
        /// On so many connections; later ones are sound.
        package var connections = Int.max
        /// Messages of sound, in percent: lost, sent after the next, sent twice.
        package var loss = 0
        package var reordering = 0
        package var duplicates = 0
        /// The socket is lost so many ms after a turn.
        package var dropsAfterTurn: Int?
        /// A turn is answered with this error.
        package var error: (code: String, retryAfter: Int?)?
        /// Nothing is said to `start_session`.
        package var ignoresStart = false
        /// Flat messages are refused.
        package var wantsNested = false
        /// The session's state is never told.
        package var tellsNoStatus = false
        /// An answer is said to its end though there is another turn.
        package var finishesAnswers = false
        /// Texts that are sent right after the start, whatever they are.
        package var nonsense: [String] = []

        package init() {}

        package static func == (left: Faults, right: Faults) -> Bool { "\(left)" == "\(right)" }
    }

    /// In order; the last one again to every turn behind them. An empty one is no answer.
    package var answers: [String]
    package var faults: Faults
    package var form = Form.packet
    /// Before an answer, in ms.
    package var delay = 300
    /// A session, in ms.
    package var lasts = 300_000
    /// Messages are sent in binary frames.
    package var isBinary = false
    /// The agent hands over to another one before the first answer.
    package var transfersTo: String?

    package init(_ answers: [String], faults: Faults = .init()) {
        self.answers = answers
        self.faults = faults
    }
}
