/// Pauses between attempts: random, below a ceiling that doubles.
///
/// Full jitter ("Exponential Backoff And Jitter", AWS Architecture Blog 2015): all daemons of a town lose the service in
/// the same second and must not return in the same one.
package struct Backoff: Equatable, Sendable {
    /// Ceiling of the first pause, and of the longest.
    let first: Duration
    let longest: Duration
    /// Pauses taken since the last reset.
    package private(set) var attempts = 0
    private var random: SplitMix64

    package init(first: Duration = .milliseconds(500), longest: Duration = .seconds(60), seed: UInt64) {
        self.first = first
        self.longest = longest
        random = SplitMix64(seed: seed)
    }

    /// Upper bound of the next pause.
    package var ceiling: Duration {
        var ceiling = first
        for _ in 0..<min(attempts, 32) where ceiling < longest { ceiling *= 2 }
        return min(ceiling, longest)
    }

    /// Returns the next pause, uniform from 0 to `ceiling`.
    package mutating func next() -> Duration {
        let pause = ceiling * Double.random(in: 0...1, using: &random)
        attempts += 1
        return pause
    }

    /// Resets the ceiling after a success.
    package mutating func reset() {
        attempts = 0
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): a generator of value type, so that a machine that holds one stays a value.
struct SplitMix64: RandomNumberGenerator, Equatable, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
