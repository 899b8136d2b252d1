internal import CDSP
internal import VoiceBase

/// The memory of `ReferenceLine`: frames by their number, the newest 131 072 of them.
///
/// Those from before the first one are silence. Allocates in `init` only.
struct PlayedFrames: ~Copyable {
    /// A power of two with room for the history and for what may be dropped.
    static let capacity = 131_072
    /// More than a period read 0.25 % too fast needs.
    private static let stretch = AudioFormat.periodFrames + 32

    private let frames = SampleBuffer(count: capacity)
    /// The frames around a period that is read between them, in one piece.
    private let piece = SampleBuffer(count: stretch)
    private let interpolator = SincInterpolator()

    mutating func write(_ new: UnsafePointer<Float>, count: Int, at position: Int) {
        var done = 0
        while done < count {
            let at = (position + done) & (Self.capacity - 1)
            let some = min(count - done, Self.capacity - at)
            (frames.base + at).update(from: new + done, count: some)
            done += some
        }
    }

    /// The mean of both channels: what a single microphone in the middle hears.
    mutating func write(_ new: UnsafePointer<StereoFrame>, count: Int, at position: Int) {
        var done = 0
        while done < count {
            let at = (position + done) & (Self.capacity - 1)
            let some = min(count - done, Self.capacity - at)
            cdsp_mean_of_pairs((new + done).samples, frames.base + at, some)
            done += some
        }
    }

    func copy(from position: Int, count: Int, into output: UnsafeMutablePointer<Float>) {
        var done = 0
        while done < count {
            let at = (position + done) & (Self.capacity - 1)
            let some = min(count - done, Self.capacity - at)
            (output + done).update(from: frames.base + at, count: some)
            done += some
        }
    }

    /// Reads at `position + fraction`, then every `step` frames, which is within 0.25 % of 1; one period at most.
    func interpolate(
        from position: Int,
        fraction: Double,
        step: Double,
        count: Int,
        into output: UnsafeMutablePointer<Float>
    ) {
        copy(from: position - SincInterpolator.before, count: Self.stretch, into: piece.base)
        interpolator.process(piece.base, start: fraction, step: step, into: output, count: count)
    }
}
