/// Whether sound of the box may be at the microphone: from when it is written until its echo has died away.
struct PlaybackActivity: Sendable, Equatable {
    /// Peak of a period that counts as sound: -60 dBFS. Dither and the ends of filters stay below.
    static let audible: Float = 0.001

    /// Periods since sound was last at the loudspeaker; negative while it is on its way there.
    private(set) var quiet = Int.max / 2
    /// Periods for which sound has been on its way or there without a pause of half a second.
    private(set) var lasting = 0

    /// A period passes.
    mutating func step() {
        quiet += 1
        lasting = quiet > 50 ? 0 : lasting + 1
    }

    /// A period of output was written, to be heard `delay` periods later.
    mutating func wrote(peak: Float, delay: Int) {
        if peak > Self.audible { quiet = min(quiet, -max(0, delay)) }
    }

    /// The reference shows sound: what was played is at the loudspeaker now, whatever the card says of its delay.
    mutating func heard() {
        quiet = min(quiet, 0)
    }

    /// - Parameter tail: how long echo may last after the sound, in periods.
    func isPlaying(tail: Int) -> Bool { quiet < tail }
}

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
