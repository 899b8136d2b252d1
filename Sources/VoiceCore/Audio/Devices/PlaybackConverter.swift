internal import CDSP
internal import VoiceBase

/// Converts the engine's frames, 48 kHz by the microphone's clock, to the rate and clock of a loudspeaker.
///
/// A loudspeaker at 48 kHz whose clock never differed gets the frames unchanged. Allocates in `init` only.
struct PlaybackConverter: ~Copyable {
    /// Most frames that come out of one call.
    static let block = RationalResampler.block
    private static let stride = ClockFollower.made

    private var follower = ClockFollower(channels: 2)
    private var resampler: RationalResampler?
    /// Planar: left, then right.
    private let separate = SampleBuffer(count: 2 * PlaybackConverter.stride)
    private let followed = SampleBuffer(count: 2 * PlaybackConverter.stride)
    private let converted = SampleBuffer(count: 2 * PlaybackConverter.block)
    private let output = FrameBuffer(count: PlaybackConverter.block)
    /// Engine frames per loudspeaker frame, apart from the ratio of the rates: 1 if the clocks agree.
    var step = 1.0

    /// - Parameter rate: of the loudspeaker, in Hz.
    init(rate: Int) {
        guard rate != AudioFormat.deviceRate else {
            resampler = nil
            return
        }
        resampler = RationalResampler(from: AudioFormat.deviceRate, to: rate, channels: 2, canGoBack: true)
    }

    /// Delay of the next output behind the next input, in frames at 48 kHz.
    var lag: Double {
        switch resampler {
        case .some(let resampler): follower.lag + resampler.lag
        case .none: follower.lag
        }
    }

    /// Takes `count` frames, one period at most. The output is valid until the next call.
    mutating func process(
        _ frames: UnsafePointer<StereoFrame>,
        count: Int
    ) -> (frames: UnsafePointer<StereoFrame>, count: Int) {
        let stride = Self.stride
        cdsp_deinterleave(frames.samples, separate.base, separate.base + stride, count)
        let made = follower.process(separate.base, stride: stride, count: count, step: step, into: followed.base)
        var source = follower.isFollowing ? followed.base : separate.base
        var (apart, total) = (stride, made)
        if resampler != nil {
            total =
                resampler?.process(
                    source, stride: stride, count: made, into: converted.base, outputStride: Self.block
                ) ?? 0
            source = converted.base
            apart = Self.block
        } else if !follower.isFollowing {
            return (frames, count)
        }
        cdsp_interleave(source, source + apart, output.base.samples, total)
        return (UnsafePointer(output.base), total)
    }

    /// How many frames of the loudspeaker `rewind` can take back.
    var rewindable: Int {
        switch resampler {
        case .some(let resampler): resampler.rewindable
        case .none: follower.rewindable
        }
    }

    /// Takes back the newest `count` frames of the loudspeaker, which were not played. Returns the corresponding number of
    /// engine frames. The next input continues from there without a discontinuity.
    mutating func rewind(_ count: Int) -> Int {
        let back = resampler?.rewind(count) ?? count
        return follower.rewind(back, step: step)
    }

    /// Forgets the past, as if preceded by silence.
    mutating func reset() {
        follower.reset()
        resampler?.reset()
    }
}
