/// Advises on a microphone that clips, at most once in ten minutes.
package struct LevelAdvice: Sendable, Equatable {
    private static let interval = Duration.seconds(600)

    private var last: Duration?
    private var seen: UInt64 = 0
    private var seenPlaying: UInt64 = 0

    package init() {}

    /// - Parameters:
    ///   - isClipping: verdict of `ClippingDetector`.
    ///   - periods: all clipped periods so far; `playing`: those while the loudspeaker played.
    ///   - now: monotonic time.
    /// - Returns: a line for the log, or nil.
    package mutating func line(isClipping: Bool, periods: UInt64, playing: UInt64, at now: Duration) -> String? {
        guard isClipping else { return nil }
        if let last, now - last < Self.interval { return nil }
        let total = periods - min(periods, seen)
        let echo = playing - min(playing, seenPlaying)
        (last, seen, seenPlaying) = (now, periods, playing)
        if total > 0, 2 * echo > total {
            return "the microphone clips while the loudspeaker plays, so its echo cannot be cancelled: turn the "
                + "loudspeaker down or move it away from the microphone"
        }
        return "the microphone clips: lower its capture level (alsamixer) or audio.capture_gain_db"
    }

    /// As above, from the audio thread's measurements.
    package mutating func line(_ reading: CaptureReading, at now: Duration) -> String? {
        line(
            isClipping: reading.isClipping,
            periods: reading.clippedPeriods,
            playing: reading.clippedWhilePlaying,
            at: now
        )
    }
}
