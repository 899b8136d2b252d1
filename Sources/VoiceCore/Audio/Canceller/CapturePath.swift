internal import CDSP
internal import Glibc
internal import VoiceBase

/// From the microphone to the wire: 480 frames at 48 kHz in, 240 16-bit samples at 24 kHz out, every 10 ms.
///
///     canceller on:   48 kHz -> EchoCanceller -> 32 kHz -> ThreeFourthsDecimator -> 24 kHz -> NoiseSuppressor
///     bypassed:       48 kHz -> EchoCanceller without echo cancellation, for voice detection -> as above
///     canceller off:  48 kHz ---------------------------> HalfbandDecimator ------> 24 kHz
///
/// Owned by the audio thread. Everything is allocated in `init`; `process` neither allocates nor locks.
package struct CapturePath: ~Copyable {
    private var canceller: EchoCanceller?
    /// Replaces the canceller if the device cancels its own echo.
    private var bypass: EchoCanceller?
    private var noise: NoiseSuppressor?
    private var fromCanceller = ThreeFourthsDecimator()
    private var fromDevice = HalfbandDecimator()
    private let processed = SampleBuffer(count: AudioFormat.periodFrames)
    private let path = SampleBuffer(count: RememberedRoom.pathFrames)
    private let decimated = SampleBuffer(count: AudioFormat.wirePeriodSamples)

    /// Echo measurements of the last period; with the canceller off, only the signal levels.
    package private(set) var reading = EchoReading()
    /// Whether the device cancels its own echo, so that none is cancelled here. Without effect if the canceller is off.
    package var isBypassed = false {
        didSet { if isBypassed != oldValue { canceller?.reset() } }
    }
    /// Whether no conversation hears the sound: what is kept for the next one keeps its noise, which is followed meanwhile.
    package var isResting = false
    /// Periods lost to an error of the library and sent as silence.
    package private(set) var failures = 0

    package init(options: EchoCancellerOptions) throws(EchoCancellerError) {
        canceller = options.needsProcessing ? try EchoCanceller(options: options) : nil
        if let most = options.noiseSuppression.decibels { noise = try NoiseSuppressor(most: most) }
        guard options.echoCancellation else { return }
        var others = options
        others.echoCancellation = false
        others.linearStage = false
        others.voiceDetection = true
        bypass = try EchoCanceller(options: others)
    }

    /// Processes one period.
    ///
    /// `microphone` and `reference` hold 480 frames of full scale 1; `output` has room for 240 samples.
    /// `streamDelayMilliseconds` is the lead returned by `ReferenceLine.next`. `unsuppressed`, if given, has room for 240
    /// samples too: the output before noise is suppressed, one period earlier.
    package mutating func process(
        microphone: UnsafePointer<Float>,
        reference: UnsafePointer<Float>,
        streamDelayMilliseconds: Int,
        into output: UnsafeMutablePointer<Int16>,
        unsuppressed: UnsafeMutablePointer<Int16>? = nil
    ) {
        if let whole = cancel(microphone, reference, streamDelayMilliseconds) {
            failures += whole ? 0 : 1
            fromCanceller.process(processed.base, count: EchoCanceller.outputFrames, into: decimated.base)
        } else {
            fromDevice.process(microphone, count: AudioFormat.periodFrames, into: decimated.base)
            measure(microphone, reference)
        }
        cdsp_s16_from_float(decimated.base, output, decimated.count)
        unsuppressed?.update(from: output, count: decimated.count)
        if noise != nil { suppressNoise(output) }
    }

    private mutating func suppressNoise(_ output: UnsafeMutablePointer<Int16>) {
        noise?.process(output, isResting: isResting)
        guard !isResting else { return }
        // The suppressor is a period late: where a sound ends, its output is louder than what goes in.
        cdsp_float_from_s16(output, decimated.base, decimated.count)
        reading.output = min(reading.output, LevelMeter.decibels(cdsp_rms(decimated.base, decimated.count)))
    }

    /// Returns nil without a canceller.
    private mutating func cancel(
        _ microphone: UnsafePointer<Float>,
        _ reference: UnsafePointer<Float>,
        _ delay: Int
    ) -> Bool? {
        if isBypassed, bypass != nil {
            let whole = bypass?.process(
                microphone: microphone, reference: reference, streamDelayMilliseconds: delay, into: processed.base
            )
            reading = bypass?.reading ?? EchoReading()
            return whole
        }
        let whole = canceller?.process(
            microphone: microphone, reference: reference, streamDelayMilliseconds: delay, into: processed.base
        )
        if whole != nil { reading = canceller?.reading ?? EchoReading() }
        return whole
    }

    /// Fills the reading without a canceller: nothing is removed, and voice is unknown.
    private mutating func measure(_ microphone: UnsafePointer<Float>, _ reference: UnsafePointer<Float>) {
        let period = AudioFormat.periodFrames
        reading.microphone = LevelMeter.decibels(cdsp_rms(microphone, period))
        reading.reference = LevelMeter.decibels(cdsp_rms(reference, period))
        reading.residual = reading.microphone
        reading.output = reading.microphone
        reading.isClipped = cdsp_peak(microphone, period) >= EchoReading.fullScale
    }

    /// Informs the canceller of what `ReferenceLine.next` did; call before `process` of the same period.
    package mutating func follow(_ period: ReferencePeriod) {
        canceller?.setConfirmed(period.isConfirmed)
        guard period.cause != .none && period.cause != .start else { return }
        canceller?.realign(shift: period.echoShift)
    }

    /// Puts an earlier echo path on trial, if there is one; returns its bias for `ReferenceLine.expect`.
    package mutating func recall(from exchange: borrowing EchoPathExchange) -> Double? {
        guard let bias = exchange.takeBefore(into: path.base) else { return nil }
        canceller?.recall(path.base)
        return bias
    }

    /// Hands over the present echo path if requested.
    /// - Parameter bias: of the reference; nil if the position of the echo is unknown.
    package mutating func handOver(to exchange: borrowing EchoPathExchange, bias: Double?) {
        guard exchange.isAsked, let bias, !isBypassed, canceller != nil else { return }
        canceller?.copyPath(into: path.base)
        exchange.handOver(path.base, bias: bias)
    }

    /// Forgets the echo path. Without effect if the canceller is off.
    package mutating func resetEchoPath() {
        canceller?.reset()
    }
}
