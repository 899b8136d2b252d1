/// Decides whether a call began after a pause, or is a piece of somebody's talk that resembles the word. Pure.
///
/// Who calls has not just been talking: a third of a second before the word is as quiet as the room, also over music or
/// babble. Within a talk there is seldom such a pause where a word begins.
enum CallPause {
    /// How much quieter than the word the room must have been before it, in dB.
    static let decibels = 6.0

    /// Why it was not a call; nil if it may be one. Without a past, the engine's decision stands.
    static func refusal(_ pause: Double?) -> WakeRefusal? {
        guard let pause, pause < decibels else { return nil }
        return .noPause(pause)
    }
}
