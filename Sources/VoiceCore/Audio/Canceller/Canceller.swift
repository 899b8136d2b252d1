internal import VoiceBase

/// One stage between the microphone and the wire that takes the loudspeaker's sound out of the microphone's.
///
/// The seam between the audio cycle and the library: `EchoCanceller` does the work, `NullCanceller` passes through.
/// Conforming types are owned and called by the audio thread: `process` allocates nothing, locks nothing, never waits.
package protocol Canceller: ~Copyable {
    /// Samples per period that `process` writes.
    static var outputFrames: Int { get }

    /// Processes one period of 10 ms, full scale 1.
    ///
    /// `microphone` and `reference` hold `AudioFormat.periodFrames`. The reference is what the loudspeaker plays, held
    /// back so that it leads its echo in `microphone` by `streamDelayMilliseconds`. Returns false if the period was lost;
    /// `output` is then silence.
    mutating func process(
        microphone: UnsafePointer<Float>,
        reference: UnsafePointer<Float>,
        streamDelayMilliseconds: Int,
        into output: UnsafeMutablePointer<Float>
    ) -> Bool
}

/// No echo canceller: the microphone as it is, at 48 kHz.
package struct NullCanceller: Canceller, ~Copyable {
    package static var outputFrames: Int { AudioFormat.periodFrames }

    package init() {}

    package mutating func process(
        microphone: UnsafePointer<Float>,
        reference: UnsafePointer<Float>,
        streamDelayMilliseconds: Int,
        into output: UnsafeMutablePointer<Float>
    ) -> Bool {
        output.update(from: microphone, count: Self.outputFrames)
        return true
    }

}
