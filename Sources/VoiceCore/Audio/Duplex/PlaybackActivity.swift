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
