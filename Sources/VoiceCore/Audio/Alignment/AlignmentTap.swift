internal import VoiceBase

/// The audio thread's end of the delay search: sends every period and takes the corrections.
///
/// Costs a few microseconds a period; allocates in `init` only.
package struct AlignmentTap: ~Copyable {
    private var microphone = SixthDecimator()
    private var reference = SixthDecimator()
    private let lowMicrophone = SampleBuffer(count: AlignmentBlock.samples)
    private let lowReference = SampleBuffer(count: AlignmentBlock.samples)
    private var seen: UInt64 = 0
    /// Clock drift of the newest correction: how much faster the loudspeaker runs than the microphone, as a fraction.
    private(set) var drift = 0.0

    package init() {}

    /// Returns the correction to pass to `ReferenceLine.next`.
    package mutating func correction(from feed: AlignmentFeed) -> AlignmentCorrection? {
        let correction = feed.correction(newerThan: &seen)
        if let correction { drift = correction.drift }
        return correction
    }

    /// Sends the period that `line` has just served.
    package mutating func push(
        periodOf line: borrowing ReferenceLine,
        microphone frames: UnsafePointer<Float>,
        reference served: UnsafePointer<Float>,
        to feed: AlignmentFeed
    ) {
        microphone.process(frames, into: lowMicrophone.base)
        reference.process(served, into: lowReference.base)
        feed.push(line.block, microphone: lowMicrophone.base, reference: lowReference.base)
    }
}

/// Ten milliseconds of both signals for the delay search: the description of 80 samples of each at 8 kHz.
package struct AlignmentBlock: BitwiseCopyable, Sendable, Equatable {
    /// Samples of each signal.
    package static let samples = AudioFormat.periodFrames / decimation
    /// Frames at 48 kHz per sample.
    package static let decimation = 6

    /// Blocks of one epoch were served without a gap or a step; each step begins a new epoch.
    package var epoch: UInt64 = 0
    /// Microphone frames before the block, counted from the start of its `ReferenceLine`.
    package var position = 0
    /// Played frame that is assumed to be heard at `position`, minus `position` and `ReferenceLine.followed`: the value
    /// to correct.
    package var offset = 0.0
    /// Frames by which the reference leads its echo if `offset` is right.
    package var lead = 0
    /// Whether `offset` rests on the card's delays alone: the epoch began with an xrun, a restart or a step of those delays,
    /// and no correction has come since.
    package var isUnsure = true
}

/// Result of the delay search: which played frame is heard at which microphone frame.
package struct AlignmentCorrection: BitwiseCopyable, Sendable, Equatable {
    /// Epoch of the blocks it was found in; it does not apply to others.
    package var epoch: UInt64 = 0
    /// Microphone frame at which `offset` holds.
    package var position = 0
    /// Played frame that is heard at `position`, minus `position` and `ReferenceLine.followed`.
    package var offset = 0.0
    /// How much faster the loudspeaker's clock is than the microphone's, in frames per frame.
    package var drift = 0.0

    /// Returns `offset` at another position.
    func offset(at place: Int) -> Double {
        offset + drift * Double(place - position)
    }
}
