/// Whether the daemon's sound may be at the microphone: from writing it until its echo has decayed.
struct PlaybackActivity: Sendable, Equatable {
    /// Least peak of a period with sound: -60 dBFS. Dither and filter tails stay below.
    static let audible: Float = 0.001

    /// Periods since sound was last at the loudspeaker; negative while it is on its way.
    private(set) var quiet = Int.max / 2
    /// Periods for which sound has been on its way or audible without a pause of half a second.
    private(set) var lasting = 0

    /// Advances by one period.
    mutating func step() {
        quiet += 1
        lasting = quiet > 50 ? 0 : lasting + 1
    }

    /// Records a period of output, to be heard `delay` periods later.
    mutating func wrote(peak: Float, delay: Int) {
        if peak > Self.audible { quiet = min(quiet, -max(0, delay)) }
    }

    /// Notes sound in the reference: it is at the loudspeaker now, whatever delay the card reports.
    mutating func heard() {
        quiet = min(quiet, 0)
    }

    /// - Parameter tail: how long echo may last after the sound, in periods.
    func isPlaying(tail: Int) -> Bool { quiet < tail }
}

/// Level above which a talker stands out from music that the echo canceller cannot handle: well above the usual residue of
/// the music.
///
/// In half duplex the microphone is shut while the daemon speaks, for seconds. Music plays for hours: with the microphone
/// shut, no one could say "stop". The usual level is the median: beats, however loud, do not raise it, nor does a talker who
/// was not let in. A song that grows louder by more than the margin may pass for a talker until the median has followed; the
/// speech detector still applies.
///
/// A pure value; allocates nothing.
package struct MediaGuard: Sendable, Equatable {
    /// Margin above the median, in dB. With music, and talk over music, three of five consecutive 10 ms levels exceed it less
    /// than 1 % of the time (docs/results/echo.md).
    package static let margin: Float = 10
    /// Step of the median per period, in dB: 15 dB a second. A talker found after 250 ms has raised it by less than 4 dB.
    private static let step: Float = 0.15
    /// The step during the first second, after which the median is known.
    private static let firstStep: Float = 1
    private static let needed = 100

    private var median: Float = 0
    private var periods = 0

    /// Takes a period in which only media sounds and no one is heard. Pass no others.
    package mutating func receive(_ reading: EchoReading) {
        if periods == 0 { median = reading.output }
        let step = periods < Self.needed ? Self.firstStep : Self.step
        median += reading.output > median ? step : -step
        periods = min(Self.needed, periods + 1)
    }

    /// Level in dBFS that a talker's output must exceed; nil while unknown.
    package var floor: Float? {
        periods < Self.needed ? nil : median + Self.margin
    }
}
