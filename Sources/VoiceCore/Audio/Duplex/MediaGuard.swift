internal import Glibc

/// How loud a talker must be to be told from music, where the echo canceller cannot do that: well above what is left of the
/// music on average.
///
/// In half duplex the microphone is shut while the box speaks, which is seconds. Music plays for hours: shut for all of it,
/// nobody could say "stop". A song that grows louder by more than the margin within seconds may pass for a talker; the
/// detector of speech still stands behind this.
///
/// A pure value; allocates nothing.
package struct MediaGuard: Sendable, Equatable {
    /// Above the average, in dB: the 10 ms levels of music stay below it but for single beats.
    package static let margin: Float = 10
    /// Periods of the average, 8 s: a talker raises it by less than 3 dB before he is found.
    private static let memory: Float = 800
    /// Periods before anything is known, 1 s.
    private static let needed: Float = 100

    private var power: Float = 0
    private var periods: Float = 0

    package init() {}

    /// Takes a period in which media alone sounds and nobody is heard; others are not to be told.
    package mutating func take(_ reading: EchoReading) {
        periods = min(Self.memory, periods + 1)
        power += (powf(10, reading.output / 10) - power) / periods
    }

    /// What a talker's output must be above, in dBFS; nil while that is not known.
    package var floor: Float? {
        periods < Self.needed ? nil : 10 * log10f(max(power, 1e-12)) + Self.margin
    }
}
