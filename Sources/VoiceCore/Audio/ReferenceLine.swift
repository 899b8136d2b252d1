/// The loudspeaker's last two seconds, served in step with the microphone as the reference for the echo canceller.
///
/// Frames are counted from the first one ever appended. The time origin of every call of `next` is the moment at which
/// the two delays were read, just after the captured period was. At that moment, with `written` frames appended so far:
///
/// - the frame being heard is `written - playbackDelay` (`snd_pcm_delay`: a frame written now is heard after that many);
/// - the frame after the captured period's last was at the converter `captureDelay` frames ago (`snd_pcm_delay`: that
///   many were taken and not read yet).
///
/// So the period ends where `end = written - playbackDelay - captureDelay` was heard: what it holds of the loudspeaker is
/// the frames `end - 480 ..< end`, later by the way through the air. The reference handed over ends `lead` frames after
/// that, at `min(end + keep, written)`: it leads the echo by `keep` (40 ms unless told otherwise), or by the
/// whole delay where that is shorter, since frames that are not written yet cannot be had. The lead must never be
/// negative, or no canceller can work.
///
/// `snd_pcm_delay` jitters by a millisecond. Once aligned, periods are therefore handed over one after the other, without
/// a gap or a repetition, and only the smoothed deviation from where they should end is watched. They are aligned anew
/// - when it has been more than 4 ms for half a second (two cards' clocks drift apart, or a delay nobody told of),
/// - at once at the first period after `discontinuity()`,
/// - at once when the next frames do not exist (yet, or any more).
///
/// Owned by the audio thread; a pure computation that allocates in `init` only.
package struct ReferenceLine: ~Copyable {
    /// How far the reference usually leads the echo, in frames: 40 ms.
    package static let keep = AudioFormat.deviceRate * 40 / 1000
    /// How much of the past is kept, in frames: 2 s. A longer delay is taken for this one.
    package static let history = 2 * AudioFormat.deviceRate

    /// A power of two with room for `history` and for what may be dropped.
    private static let capacity = 131_072
    private static let droppable = capacity - history
    private static let tolerance = Double(AudioFormat.deviceRate * 4 / 1000)
    private static let patience = 50
    private static let smoothing = 1.0 / 8

    private let frames = SampleBuffer(count: capacity)
    private var written = 0
    /// Where the next period handed over starts.
    private var position = 0
    private var aligned = false
    private var reportedMilliseconds = 0
    private var deviation = 0.0
    private var periodsOff = 0

    /// How often the reference was aligned anew, the first time included.
    package private(set) var alignments = 0

    private let keep: Int

    /// - Parameter keep: how far the reference is to lead the echo, in frames.
    package init(keep: Int = Self.keep) {
        self.keep = keep
    }

    /// Adds the frames just written to the card, as the loudspeaker gets them: after the last mix and gain.
    package mutating func append(_ new: UnsafePointer<Float>, count: Int) {
        var done = 0
        while done < count {
            let at = written & (Self.capacity - 1)
            let some = min(count - done, Self.capacity - at)
            (frames.base + at).update(from: new + done, count: some)
            written += some
            done += some
        }
    }

    /// Takes back the newest frames, which a flush removed from the card before they were played.
    ///
    /// More than was ever appended, or than 0.73 s, is taken as that much.
    package mutating func dropNewest(_ count: Int) {
        written -= max(0, min(count, written, Self.droppable))
    }

    /// Tells of an xrun or a restart of either side: what is known of the alignment is void.
    package mutating func discontinuity() {
        aligned = false
    }

    /// Serves the reference for the period of `AudioFormat.periodFrames` just captured.
    ///
    /// The delays are those of both sides in frames, read after the period was and before anything more is appended;
    /// negative ones count as 0. Returns by how many milliseconds the reference leads its echo, as the canceller wants
    /// to be told: 40, or less where the whole delay is shorter. It is rounded down, because a delay said too long makes
    /// the canceller deaf and one said too short does not.
    package mutating func next(
        playbackDelay: Int,
        captureDelay: Int,
        into output: UnsafeMutablePointer<Float>
    ) -> Int {
        let longest = Self.history - AudioFormat.periodFrames
        let delay = min(max(0, playbackDelay) + max(0, captureDelay), longest)
        let newest = written - AudioFormat.periodFrames
        let wanted = newest - delay + min(keep, delay)
        let exists = position <= newest && position >= written - Self.history
        if !aligned || !exists {
            align(to: wanted, delay: delay)
        } else if hasDrifted(from: wanted) {
            // The smoothed place is truer than one reading.
            align(to: min(newest, position + Int(deviation.rounded())), delay: delay)
        }
        serve(into: output)
        return reportedMilliseconds
    }

    private mutating func hasDrifted(from wanted: Int) -> Bool {
        deviation += (Double(wanted - position) - deviation) * Self.smoothing
        periodsOff = deviation.magnitude > Self.tolerance ? periodsOff + 1 : 0
        return periodsOff >= Self.patience
    }

    private mutating func align(to start: Int, delay: Int) {
        position = start
        aligned = true
        alignments += 1
        deviation = 0
        periodsOff = 0
        reportedMilliseconds = min(keep, delay) * 1000 / AudioFormat.deviceRate
    }

    /// Frames from before the first one are silence, which is what the line holds there.
    private mutating func serve(into output: UnsafeMutablePointer<Float>) {
        var done = 0
        while done < AudioFormat.periodFrames {
            let at = (position + done) & (Self.capacity - 1)
            let some = min(AudioFormat.periodFrames - done, Self.capacity - at)
            (output + done).update(from: frames.base + at, count: some)
            done += some
        }
        position += AudioFormat.periodFrames
    }
}
