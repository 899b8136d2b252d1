internal import VoiceBase

/// The audio thread's end of the search for the delay: sends every period, takes what was found.
///
/// Costs a few microseconds a period; allocates in `init` only.
package struct AlignmentTap: ~Copyable {
    private var microphone = SixthDecimator()
    private var reference = SixthDecimator()
    private let lowMicrophone = SampleBuffer(count: AlignmentBlock.samples)
    private let lowReference = SampleBuffer(count: AlignmentBlock.samples)
    private var seen: UInt64 = 0
    /// Of the newest correction: by how much the loudspeaker's clock is faster than the microphone's, as a fraction.
    private(set) var drift = 0.0

    package init() {}

    /// What to hand to `ReferenceLine.next`.
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

/// Ten milliseconds of both signals, as the search for the delay gets them: what goes with 80 samples of each at 8 kHz.
package struct AlignmentBlock: BitwiseCopyable, Sendable, Equatable {
    /// Samples of each signal.
    package static let samples = AudioFormat.periodFrames / decimation
    /// Frames at 48 kHz that one of them stands for.
    package static let decimation = 6

    /// Blocks of one epoch were served without a gap or a step; a new one begins with every step.
    package var epoch: UInt64 = 0
    /// Frames of the microphone before the block, counted from where its `ReferenceLine` began.
    package var position = 0
    /// Which frame played is held for the one heard at `position`, less `position`: what is corrected.
    package var offset = 0.0
    /// By how many frames the reference leads its echo if `offset` is right.
    package var lead = 0
    /// Whether nothing is known of `offset` but what the card's delays say: it began with an xrun, a restart or a step of
    /// those delays, and no correction has come since.
    package var isUnsure = true

    package init() {}
}

/// What the search for the delay found: which frame played is heard at which frame of the microphone.
package struct AlignmentCorrection: Sendable, Equatable {
    /// The epoch of the blocks it was found in; it says nothing of others.
    package var epoch: UInt64 = 0
    /// Frames of the microphone at which `offset` holds.
    package var position = 0
    /// Frame played that is heard at `position`, less `position`.
    package var offset = 0.0
    /// By how much the loudspeaker's clock is faster than the microphone's, in frames per frame.
    package var drift = 0.0

    package init() {}

    /// `offset` at another place.
    func offset(at place: Int) -> Double {
        offset + drift * Double(place - position)
    }
}
