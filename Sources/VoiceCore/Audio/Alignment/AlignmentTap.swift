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
