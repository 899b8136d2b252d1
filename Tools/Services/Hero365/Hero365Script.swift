internal import VoiceSimulator

/// The answers of the simulated Hero365, and its faults.
package struct Hero365Script: Sendable, Equatable {
    /// How the audio of an answer is encoded.
    package enum Form: String, CaseIterable, Sendable {
        /// One Opus packet per message.
        case packet
        /// Up to sixteen Opus packets of 20 ms per message, each preceded by its length.
        case lengths
        /// The same packets as Ogg pages.
        case ogg
        /// 16-bit PCM.
        case pcm
    }

    package struct Faults: Sendable, Equatable {
        /// Number of connections with faults; later ones are sound.
        package var connections = Int.max
        /// Shares of audio messages, in percent: lost, sent after the next, sent twice.
        package var loss = 0
        package var reordering = 0
        package var duplicates = 0
        /// Messages of sound, in percent, whose number leaves some out.
        package var jumps = 0
        /// Drops the socket so many ms after a turn.
        package var dropsAfterTurn: Int?
        /// Answers every turn with this error.
        package var error: (code: String, retryAfter: Int?)?
        /// Turns that are answered with `error`, in percent.
        package var errorShare = 100
        /// Another agent takes over before every answer.
        package var transfers = false
        /// Does not reply to `start_session`.
        package var ignoresStart = false
        /// Refuses flat messages.
        package var wantsNested = false
        /// Never sends the session's status.
        package var tellsNoStatus = false
        /// Sends an answer to its end even if another turn begins.
        package var finishesAnswers = false
        /// Arbitrary texts sent right after the start.
        package var nonsense: [String] = []

        package init() {}

        /// One fault of the protocol.
        init(drawing random: inout SplitMix) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: loss = Int.random(in: 5...20, using: &random)
            case 1: reordering = Int.random(in: 5...30, using: &random)
            case 2: duplicates = Int.random(in: 5...30, using: &random)
            case 3: jumps = Int.random(in: 2...10, using: &random)
            case 4, 5:
                let codes = ["RATE_LIMIT_EXCEEDED", "AUDIO_PROCESSING_ERROR", "AGENT_UNAVAILABLE", "NETWORK_ERROR"]
                error = (
                    codes[Int.random(in: 0..<codes.count, using: &random)], Int.random(in: 100...1500, using: &random)
                )
                errorShare = 50
            case 6: transfers = true
            case 7: tellsNoStatus = true
            case 8: finishesAnswers = true
            default: break
            }
        }

        package static func == (left: Faults, right: Faults) -> Bool { "\(left)" == "\(right)" }
    }

    /// In order; the last one is repeated for every later turn. An empty one means no answer.
    package var answers: [String]
    package var faults: Faults
    package var form = Form.packet
    /// Delay of an answer, in ms.
    package var delay = 300
    /// Length of a session, in ms.
    package var lasts = 300_000
    /// Whether messages are sent in binary frames.
    package var isBinary = false
    /// The agent to which the first one hands over before the first answer.
    package var transfersTo: String?

    package init(_ answers: [String], faults: Faults = .init()) {
        self.answers = answers
        self.faults = faults
    }
}
