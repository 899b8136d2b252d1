internal import VoiceBase

/// Replaces an absent loudspeaker: what is written to it counts as heard at the pace of the microphone's periods.
///
/// So voice is consumed, positions advance and a barge-in finds something to cut, as with a card.
struct StandInSpeaker {
    private let limit: Int
    private(set) var queued = 0

    /// - Parameter limit: capacity in frames.
    init(limit: Int) { self.limit = limit }

    /// Lets `count` frames of time pass.
    mutating func advance(_ count: Int) { queued = max(0, queued - count) }

    /// Returns the number of frames accepted.
    mutating func push(_ count: Int) -> Int {
        let taken = max(0, min(count, limit - queued))
        queued += taken
        return taken
    }

    /// Takes back everything but the oldest period; returns the number of frames.
    mutating func flush() -> Int {
        let removed = max(0, queued - AudioFormat.periodFrames)
        queued -= removed
        return removed
    }

    mutating func empty() { queued = 0 }
}
