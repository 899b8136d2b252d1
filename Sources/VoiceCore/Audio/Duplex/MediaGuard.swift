/// How loud a talker must be to be told from music, where the echo canceller cannot do that: well above what is usually left
/// of the music.
///
/// In half duplex the microphone is shut while the box speaks, which is seconds. Music plays for hours: shut for all of it,
/// nobody could say "stop". What is usual is the median: beats, however loud, do not raise it, nor does a talker who was not
/// let in. A song that grows louder by more than the margin may pass for a talker until the median has followed; the detector
/// of speech still stands behind this.
///
/// A pure value; allocates nothing.
package struct MediaGuard: Sendable, Equatable {
    /// Above the median, in dB. Of music and of talk over music, three of five 10 ms levels in a row that lie above make up
    /// less than 1 % of the time (the media scenarios of `scripts/bench-aec`).
    package static let margin: Float = 10
    /// By how much the median follows in a period, in dB: 15 dB in a second. A talker who is found after 250 ms has raised it
    /// by less than 4 dB.
    private static let step: Float = 0.15
    /// The same in the first second, after which it is known.
    private static let firstStep: Float = 1
    private static let needed = 100

    private var median: Float = 0
    private var periods = 0

    package init() {}

    /// Takes a period in which media alone sounds and nobody is heard; others are not to be told.
    package mutating func take(_ reading: EchoReading) {
        if periods == 0 { median = reading.output }
        let step = periods < Self.needed ? Self.firstStep : Self.step
        median += reading.output > median ? step : -step
        periods = min(Self.needed, periods + 1)
    }

    /// What a talker's output must be above, in dBFS; nil while that is not known.
    package var floor: Float? {
        periods < Self.needed ? nil : median + Self.margin
    }
}
