internal import VoiceBase

/// The half-band low pass that both `HalfbandDecimator` and `HalfbandInterpolator` apply, between 48 and 24 kHz.
///
/// 139 taps, Kaiser window with beta 10.6: within 0.0001 dB up to 10.8 kHz, below -105 dB from 13.2 kHz on, 69 samples of
/// group delay at 48 kHz (1.44 ms). A half-band filter has gain 1/2 at a quarter of the sample rate; every other tap but
/// the middle one, which is 1/2, is then zero. What is left, the taps at even places, is a symmetric filter of length 70
/// over every other sample.
enum HalfbandFilter {
    /// Half the number of taps at even places; by symmetry the other half is the same.
    static let half = 35
    /// Samples of the past that the taps at even places reach back over, at the lower rate.
    static let history = 2 * half - 1
    /// How far the middle tap lies back at the lower rate, seen from the newer sample of a pair.
    static let middle = half - 1
    /// The largest number of samples at the lower rate that is filtered in one go.
    static let block = AudioFormat.wirePeriodSamples

    /// The first `half` of the taps at even places; all of them sum to `gain`.
    static func taps(gain: Double) -> [Float] {
        let all = KaiserDesign.lowPass(taps: 4 * half - 1, cutoff: 0.25, beta: 10.6)
        let even = (0..<half).map { all[2 * $0] }
        let sum = 2 * even.reduce(0, +)
        return even.map { Float($0 * gain / sum) }
    }
}
