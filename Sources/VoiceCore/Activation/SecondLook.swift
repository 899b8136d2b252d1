/// Whether somebody called who is near, before a session is opened for a word that was found. Pure.
///
/// The engine says which word it was; this says that there was a voice, and that it stood out of the room. Words that stop
/// need no such look: a stop too many does no harm.
package struct SecondLook: Equatable, Sendable {
    package enum Reason: Equatable, Sendable {
        /// The level over the room's noise, in dB.
        case notAboveNoise(Double)
        /// How much of it was a voice, in milliseconds.
        case littleVoice(Int)
        /// What another model thinks of it, 0 to 1.
        case otherModel(Double)

        /// For a log line.
        package var text: String {
            switch self {
            case .notAboveNoise(let decibels): "only \(Int(decibels.rounded())) dB above the noise"
            case .littleVoice(let milliseconds): "only \(milliseconds) ms of voice in it"
            case .otherModel(let score): "the second model gives it \(score.asScore)"
            }
        }
    }

    /// In dB.
    package static let overNoise = 6.0
    /// The same, as a ratio of powers.
    static let powerOverNoise: Float = 4
    package static let voiceMilliseconds = 300
    /// What the second model has to think of it.
    package static let score = 0.5
    /// It hears a word later than the first, and is asked again so long.
    static let patience = Duration.milliseconds(240)

    package init() {}

    /// Why it was no call; nil where it may be one. Before there is anything to judge by, the engine has decided.
    package func refusal(_ evidence: WordEvidence?) -> Reason? {
        guard let evidence else { return nil }
        guard evidence.overNoise >= Self.overNoise else { return .notAboveNoise(evidence.overNoise) }
        guard evidence.voiceMilliseconds >= Self.voiceMilliseconds else {
            return .littleVoice(evidence.voiceMilliseconds)
        }
        return nil
    }
}
