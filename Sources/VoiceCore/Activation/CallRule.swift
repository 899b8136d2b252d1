/// Decides whether the word of a microWakeWord model counts as a call, in addition to its cut-off. Pure.
///
/// Talk seldom pauses before what sounds like the word. A caller does: the third of a second before a call is as quiet as the
/// room, also over music or babble.
enum CallRule {
    /// No mean exceeds it: probabilities are in 256ths, 255 at most.
    static let unreachable = 255.0 / 256
    /// The highest cut-off that a mean exceeds.
    static let highest = 254.0 / 256
    /// How much quieter than the word the room must have been before it, in dB.
    static let pause = 6.0

    /// - Throws: for a user's cut-off that no mean exceeds, or that every mean exceeds.
    static func check(_ word: WakeWords.Word) throws(WakeWordError) {
        guard let own = word.ownThreshold, !(own > 0 && own < unreachable) else { return }
        throw WakeWordError("\"\(word.text):\(own)\" wants a probability above 0, and 0.996 at most: for instance 0.9")
    }

    /// Why the word was not a call; nil if it may be one. Without audio from before the word, the engine's decision stands.
    static func refusal(_ pauseBefore: Double?) -> WakeRefusal? {
        guard let pauseBefore, pauseBefore < pause else { return nil }
        return .noPause(pauseBefore)
    }
}
