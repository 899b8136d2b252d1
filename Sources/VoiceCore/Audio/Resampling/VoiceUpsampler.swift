internal import CDSP
internal import VoiceBase

/// Converts the voice from the wire, 16-bit samples at 24 kHz, to floats at 48 kHz for the mixer.
///
/// State carries over between calls, so an utterance may come in pieces of any length. Allocates in `init` only.
package struct VoiceUpsampler: ~Copyable {
    private var interpolator = HalfbandInterpolator()
    private let floats = SampleBuffer(count: AudioFormat.wirePeriodSamples)

    package init() {}

    /// Turns `count` samples into `2 * count` frames; full scale is 1.
    package mutating func process(
        _ input: UnsafePointer<Int16>,
        count: Int,
        into output: UnsafeMutablePointer<Float>
    ) {
        var done = 0
        while done < count {
            let samples = min(floats.count, count - done)
            cdsp_float_from_s16(input + done, floats.base, samples)
            interpolator.process(floats.base, count: samples, into: output + 2 * done)
            done += samples
        }
    }

    /// Forgets the past, as after a flush.
    package mutating func reset() {
        interpolator.reset()
    }
}
