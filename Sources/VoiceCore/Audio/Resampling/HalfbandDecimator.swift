internal import CDSP

/// 48 kHz to 24 kHz: a streaming half-band filter that computes only the samples it keeps.
///
/// Gain 1; delay 1.44 ms; for the quality see `HalfbandFilter`. The output does not depend on how the input is cut into
/// calls. Allocates in `init` only.
package struct HalfbandDecimator: ~Copyable {
    private let taps = SampleBuffer(HalfbandFilter.taps(gain: 0.5))
    /// The newer sample of each pair goes through the taps, the older one through the middle tap: no sample is held back.
    private var newer = SampleBuffer(count: HalfbandFilter.history + HalfbandFilter.block)
    private var older = SampleBuffer(count: HalfbandFilter.middle + HalfbandFilter.block)

    package init() {}

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
                input + 2 * done,
                older.base + HalfbandFilter.middle,
                newer.base + HalfbandFilter.history,
                pairs
            )
            cdsp_fir_symmetric(newer.base, taps.base, HalfbandFilter.half, output + done, pairs)
            cdsp_add_scaled(older.base, 0.5, output + done, pairs)
            newer.shift(by: pairs, keeping: HalfbandFilter.history)
            older.shift(by: pairs, keeping: HalfbandFilter.middle)
            done += pairs
        }
    }

    /// Forgets the past, as if silence had gone before.
    package mutating func reset() {
        newer.clear()
        older.clear()
    }
}
