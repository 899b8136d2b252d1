/// Why a recognised word does not count.
package enum WakeRefusal: Equatable, Sendable {
    /// A wake word without a pause before it: by how much the quietest moment before the word was quieter than the
    /// word, in dB. See `CallRule`.
    case noPause(Double)
    /// A stop word without quiet before and after it: see `StopWordFilter`.
    case inSentence
    /// A stop word while only the box itself is heard: see `OwnVoice`.
    case ownVoice

    package var isOfStop: Bool {
        switch self {
        case .noPause: false
        case .inSentence, .ownVoice: true
        }
    }

    /// For a log line.
    package var text: String {
        switch self {
        case .noPause(let decibels):
            "no pause before it, the quietest moment is only \(max(0, Int(decibels.rounded(.down)))) dB below it"
        case .inSentence: "part of a sentence"
        case .ownVoice: "only the box itself is heard"
        }
    }
}
