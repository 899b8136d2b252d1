internal import Synchronization
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

    package init() {}

    /// What to hand to `ReferenceLine.next`.
    package mutating func correction(from pipes: AudioPipes) -> AlignmentCorrection? {
        pipes.alignment.correction(newerThan: &seen)
    }

    /// Sends the period that `line` has just served, and publishes what `period` says of the alignment.
    package mutating func push(
        _ period: ReferencePeriod,
        of line: borrowing ReferenceLine,
        microphone frames: UnsafePointer<Float>,
        reference served: UnsafePointer<Float>,
        to pipes: AudioPipes
    ) {
        microphone.process(frames, into: lowMicrophone.base)
        reference.process(served, into: lowReference.base)
        pipes.alignment.push(line.block, microphone: lowMicrophone.base, reference: lowReference.base)
        pipes.echoDelayTenths.store(period.echoDelay * 10_000 / AudioFormat.deviceRate, ordering: .relaxed)
        pipes.echoIsAligned.store(period.isConfirmed, ordering: .releasing)
        if period.cause != .none { pipes.echoAlignments.wrappingAdd(1, ordering: .relaxed) }
        if period.isJump { pipes.echoJumps.wrappingAdd(1, ordering: .relaxed) }
    }
}
