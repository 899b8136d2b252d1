internal import VoiceBase

/// The pauses between attempts to create what failed: 15 s, doubled each time up to a limit. Pure.
struct RetryPause: Equatable, Sendable {
    static let first = Duration.seconds(15)
    static let longest = Duration.seconds(120)
    /// For a model that holds up its trial: each attempt costs five seconds of a core.
    static let longestHeldUp = Duration.seconds(600)

    private var next = Self.first

    /// Returns the pause before the next attempt.
    mutating func take(isHeldUp: Bool) -> Duration {
        let pause = min(next, isHeldUp ? Self.longestHeldUp : Self.longest)
        next = pause * 2
        return pause
    }

    /// An attempt succeeded.
    mutating func reset() { next = Self.first }
}
