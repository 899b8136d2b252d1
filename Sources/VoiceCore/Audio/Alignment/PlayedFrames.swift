internal import CDSP
internal import VoiceBase

/// The memory of `ReferenceLine`: the newest 131 072 frames, by their number.
///
/// Frames before the first one are silence. Allocates in `init` only.
struct PlayedFrames: ~Copyable {
    /// A power of two with room for the history and for frames that may be dropped.
    static let capacity = 131_072
    /// More frames than a period needs that is read 0.25 % too fast.
    private static let stretch = AudioFormat.periodFrames + 32

    private let frames = SampleBuffer(count: capacity)
    /// The frames around a period that is read between them, contiguous.
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

    /// Writes the mean of both channels, which a single microphone in the middle would pick up.
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

    /// Reads at `position + fraction`, then every `step` frames, which is within 0.25 % of 1. One period at most.
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
