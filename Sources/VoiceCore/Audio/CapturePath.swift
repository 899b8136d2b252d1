internal import CDSP

/// From the microphone to the wire: 480 frames at 48 kHz in, 240 16-bit samples at 24 kHz out, every 10 ms.
///
///     canceller on:   48 kHz -> EchoCanceller -> 32 kHz -> ThreeFourthsDecimator -> 24 kHz
///     canceller off:  48 kHz -> NullCanceller ----------> HalfbandDecimator ------> 24 kHz
///
/// Owned by the audio thread. Everything is allocated in `init`; `process` allocates and locks nothing.
package struct CapturePath: ~Copyable {
    private var canceller: EchoCanceller?
    private var null = NullCanceller()
    private var fromCanceller = ThreeFourthsDecimator()
    private var fromDevice = HalfbandDecimator()
    private let processed = SampleBuffer(count: AudioFormat.periodFrames)
    private let decimated = SampleBuffer(count: AudioFormat.wirePeriodSamples)

    /// Whether the canceller took the last period for speech; false when it is off.
    package var hasVoice: Bool { reading.hasVoice }
    /// What the last period told about echo; nothing but silence when the canceller is off.
    package private(set) var reading = EchoReading()
    /// Periods lost to an error of the library and sent as silence.
    package private(set) var failures = 0

    package init(options: EchoCancellerOptions) throws(EchoCancellerError) {
        canceller = options.needsProcessing ? try EchoCanceller(options: options) : nil
    }

    /// Processes one period.
    ///
    /// `microphone` and `reference` hold 480 frames of full scale 1, `output` has room for 240 samples. What
    /// `streamDelayMilliseconds` says of the reference: `ReferenceLine.next`.
    package mutating func process(
        microphone: UnsafePointer<Float>,
        reference: UnsafePointer<Float>,
        streamDelayMilliseconds: Int,
        into output: UnsafeMutablePointer<Int16>
    ) {
        let whole = canceller?.process(
            microphone: microphone,
            reference: reference,
            streamDelayMilliseconds: streamDelayMilliseconds,
            into: processed.base
        )
        if let whole {
            reading = canceller?.reading ?? EchoReading()
            failures += whole ? 0 : 1
            fromCanceller.process(processed.base, count: EchoCanceller.outputFrames, into: decimated.base)
        } else {
            _ = null.process(
                microphone: microphone,
                reference: reference,
                streamDelayMilliseconds: streamDelayMilliseconds,
                into: processed.base
            )
            fromDevice.process(processed.base, count: NullCanceller.outputFrames, into: decimated.base)
        }
        cdsp_s16_from_float(decimated.base, output, decimated.count)
    }

    /// As `EchoCanceller.realign`; nothing happens when the canceller is off.
    package mutating func realign(shift: Int) {
        canceller?.realign(shift: shift)
    }

    /// Forgets the echo path; nothing happens when the canceller is off.
    package mutating func resetEchoPath() {
        canceller?.reset()
    }

    /// Changes the suppression of residual echo between two periods; nothing happens when the canceller is off.
    package mutating func setSuppression(_ suppression: EchoCancellerOptions.Suppression) {
        canceller?.setSuppression(suppression)
    }
}
