/// Advises on a microphone that clips, at most once in ten minutes.
package struct LevelAdvice: Sendable, Equatable {
    private static let interval = Duration.seconds(600)

    private var last: Duration?
    private var seen: UInt64 = 0
    private var seenPlaying: UInt64 = 0

    /// - Parameter now: monotonic time.
    /// - Returns: a line for the log, or nil.
    package mutating func line(_ reading: CaptureReading, at now: Duration) -> String? {
        guard reading.isClipping else { return nil }
        if let last, now - last < Self.interval { return nil }
        let total = reading.clippedPeriods - min(reading.clippedPeriods, seen)
        let echo = reading.clippedWhilePlaying - min(reading.clippedWhilePlaying, seenPlaying)
        (last, seen, seenPlaying) = (now, reading.clippedPeriods, reading.clippedWhilePlaying)
        if total > 0, 2 * echo > total {
            return "the microphone clips while the loudspeaker plays, so its echo cannot be cancelled: turn the "
                + "loudspeaker down or move it away from the microphone"
        }
        return "the microphone clips: lower its capture level (alsamixer) or audio.capture_gain_db"
    }
}
