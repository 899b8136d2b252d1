internal import CDSP

/// 24 kHz to 48 kHz: a streaming half-band filter that never multiplies by the zeros between the samples.
///
/// Gain 1; delay 1.44 ms; for the quality see `HalfbandFilter`. The output does not depend on how the input is cut into
/// calls. Allocates in `init` only.
package struct HalfbandInterpolator: ~Copyable {
    private let taps = SampleBuffer(HalfbandFilter.taps(gain: 1))
    private var recent = SampleBuffer(count: HalfbandFilter.history + HalfbandFilter.block)
    private let between = SampleBuffer(count: HalfbandFilter.block)

    package init() {}

    /// Turns `count` samples into `2 * count`.
    package mutating func process(
        _ input: UnsafePointer<Float>,
        count: Int,
        into output: UnsafeMutablePointer<Float>
    ) {
        var done = 0
        while done < count {
            let samples = min(HalfbandFilter.block, count - done)
            (recent.base + HalfbandFilter.history).update(from: input + done, count: samples)
            cdsp_fir_symmetric(recent.base, taps.base, HalfbandFilter.half, between.base, samples)
            // The middle tap is 1 here: every other output is an input, delayed.
            let delayed = recent.base + (HalfbandFilter.history - HalfbandFilter.middle)
            cdsp_interleave(between.base, delayed, output + 2 * done, samples)
            recent.shift(by: samples, keeping: HalfbandFilter.history)
            done += samples
        }
    }

    /// Forgets the past, as if silence had gone before.
    package mutating func reset() {
        recent.clear()
    }
}
