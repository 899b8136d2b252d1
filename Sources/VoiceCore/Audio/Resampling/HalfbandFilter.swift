internal import CDSP
internal import VoiceBase

/// The half-band low pass that both `HalfbandDecimator` and `HalfbandInterpolator` apply, between 48 and 24 kHz.
///
/// 139 taps, Kaiser window with beta 10.6: within 0.0001 dB up to 10.8 kHz, below -105 dB from 13.2 kHz on, 69 samples of
/// group delay at 48 kHz (1.44 ms). A half-band filter has gain 1/2 at a quarter of the sample rate. Its middle tap is then
/// 1/2 and all other taps at odd places are zero. The taps at even places remain: a symmetric filter of length 70 over every
/// other sample.
enum HalfbandFilter {
    /// Half the number of taps at even places; the other half mirrors it.
    static let half = 35
    /// Past samples that the taps at even places reach, at the lower rate.
    static let history = 2 * half - 1
    /// Distance of the middle tap from the newer sample of a pair, at the lower rate.
    static let middle = half - 1
    /// Most samples at the lower rate filtered in one go.
    static let block = AudioFormat.wirePeriodSamples

    /// Returns the first `half` of the taps at even places, scaled so that all of them sum to `gain`.
    static func taps(gain: Double) -> [Float] {
        let all = KaiserDesign.lowPass(taps: 4 * half - 1, cutoff: 0.25, beta: 10.6)
        let even = (0..<half).map { all[2 * $0] }
        let sum = 2 * even.reduce(0, +)
        return even.map { Float($0 * gain / sum) }
    }
}

/// 24 kHz to 48 kHz: a streaming half-band filter that never multiplies by the zeros between the samples.
///
/// Gain 1; delay 1.44 ms; for the quality see `HalfbandFilter`. The output does not depend on how the input is split into
/// calls. Allocates in `init` only.
package struct HalfbandInterpolator: ~Copyable {
    private let taps = SampleBuffer(HalfbandFilter.taps(gain: 1))
    private var recent = SampleBuffer(count: HalfbandFilter.history + HalfbandFilter.block)
    private let between = SampleBuffer(count: HalfbandFilter.block)

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

    /// Forgets the past, as if preceded by silence.
    package mutating func reset() {
        recent.clear()
    }
}

/// 48 kHz to 24 kHz: a streaming half-band filter that computes only the samples it keeps.
///
/// Gain 1; delay 1.44 ms; for the quality see `HalfbandFilter`. The output does not depend on how the input is split into
/// calls. Allocates in `init` only.
package struct HalfbandDecimator: ~Copyable {
    private let taps = SampleBuffer(HalfbandFilter.taps(gain: 0.5))
    /// The newer sample of each pair goes through the taps, the older one through the middle tap, so none is held back.
    private var newer = SampleBuffer(count: HalfbandFilter.history + HalfbandFilter.block)
    private var older = SampleBuffer(count: HalfbandFilter.middle + HalfbandFilter.block)

    /// Turns `count` samples, an even number, into `count / 2`.
    package mutating func process(
        _ input: UnsafePointer<Float>,
        count: Int,
        into output: UnsafeMutablePointer<Float>
    ) {
        precondition(count.isMultiple(of: 2), "samples come in pairs")
        var done = 0
        while done < count / 2 {
            let pairs = min(HalfbandFilter.block, count / 2 - done)
            cdsp_deinterleave(
                input + 2 * done, older.base + HalfbandFilter.middle, newer.base + HalfbandFilter.history, pairs
            )
            cdsp_fir_symmetric(newer.base, taps.base, HalfbandFilter.half, output + done, pairs)
            cdsp_add_scaled(older.base, 0.5, output + done, pairs)
            newer.shift(by: pairs, keeping: HalfbandFilter.history)
            older.shift(by: pairs, keeping: HalfbandFilter.middle)
            done += pairs
        }
    }
}
