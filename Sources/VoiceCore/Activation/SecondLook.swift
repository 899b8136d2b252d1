/// Decides whether somebody nearby called, before a recognised word opens a session. Pure.
///
/// The engine reports which word it was. If there is a second model of the word, it decides. Otherwise there must have
/// been a voice that stood out from the room, which is often not the case over music. Stop words have a check of their
/// own, `LoneStop`.
package struct SecondLook: Equatable, Sendable {
    package enum Reason: Equatable, Sendable {
        /// Level above the room's noise, in dB.
        case notAboveNoise(Double)
        /// Voiced time, in milliseconds.
        case littleVoice(Int)
        /// Score of another model, 0 to 1.
        case otherModel(Double)
        /// A stop word without quiet before and after it: see `LoneStop`.
        case inSentence
        /// A stop word while only the box itself is heard: see `OwnVoice`.
        case ownVoice
        /// A stop word as faint as what the canceller leaves of the box's own sound: see `LoneStop`.
        case echo
        /// No pause before the word: by how much the quietest moment there was quieter than the word, in dB. See
        /// `CallPause`.
        case noPause(Double)
        /// Another word, by the recogniser's text: see `SimilarWords`.
        case similar(String)

        /// Whether it is one against a stop word.
        package var isOfStop: Bool { self == .inSentence || self == .ownVoice || self == .echo }

        /// For a log line.
        package var text: String {
            switch self {
            case .notAboveNoise(let decibels): "only \(Int(decibels.rounded())) dB above the noise"
            case .littleVoice(let milliseconds): "only \(milliseconds) ms of voice in it"
            case .otherModel(let score): "the second model gives it \(score.asScore)"
            case .inSentence: "part of a sentence"
            case .similar(let word): "the recogniser reads \"\(word)\""
            case .ownVoice: "only the box itself is heard"
            case .echo: "as faint as an echo of the box"
            case .noPause(let decibels):
                "no pause before it, the quietest moment is only \(max(0, Int(decibels.rounded(.down)))) dB below it"
            }
        }
    }

    /// Minimum level above the noise, in dB.
    package static let overNoise = 6.0
    /// The same, as a power ratio.
    static let powerOverNoise: Float = 4
    package static let voiceMilliseconds = 300
    /// Minimum score of the second model: what is taken for the word by mistake mostly scores below 0.01.
    package static let score = 0.1
    /// How long the second model is asked again: it recognises a word later than the first.
    static let patience = Duration.milliseconds(240)

    package init() {}

    /// Why it was not a call; nil if it may be one. Without evidence, the engine's decision stands.
    package func refusal(_ evidence: WordEvidence?) -> Reason? {
        guard let evidence else { return nil }
        guard evidence.overNoise >= Self.overNoise else { return .notAboveNoise(evidence.overNoise) }
        guard evidence.voiceMilliseconds >= Self.voiceMilliseconds else {
            return .littleVoice(evidence.voiceMilliseconds)
        }
        return nil
    }
}
