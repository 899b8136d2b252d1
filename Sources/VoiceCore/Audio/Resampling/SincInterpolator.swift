internal import CDSP
internal import Glibc

/// Reads a signal between its samples, with 16 taps of a sinc under a Kaiser window.
///
/// The image of a tone at 10 kHz is at least 60 dB below it; at integer positions the samples come out unchanged. `init`
/// builds a table of 128 fractions of a sample; nothing is allocated later.
struct SincInterpolator: ~Copyable {
    /// Samples needed before the first position read.
    static let before = Int(CDSP_INTERPOLATOR_TAPS) / 2 - 1
    /// Samples needed after the last position read, itself not counted.
    static let after = Int(CDSP_INTERPOLATOR_TAPS) / 2

    private let table = SampleBuffer(SincInterpolator.design())

    /// Writes `count` samples read at `start`, `start + step`, ...; position 0 is `input[before]`.
    func process(
        _ input: UnsafePointer<Float>,
        start: Double,
        step: Double,
        into output: UnsafeMutablePointer<Float>,
        count: Int
    ) {
        cdsp_interpolate(input, table.base, start, step, output, count)
    }

    private static func design() -> [Float] { table(taps: Int(CDSP_INTERPOLATOR_TAPS), beta: 7) }

    /// Returns one row of taps per fraction of a sample, plus one for the next sample itself.
    static func table(taps: Int, beta: Double) -> [Float] {
        let phases = Int(CDSP_INTERPOLATOR_PHASES)
        return (0...phases).flatMap { phase in
            let row = (0..<taps).map { tap in
                let distance = Double(tap + 1 - taps / 2) - Double(phase) / Double(phases)
                let sinc = distance == 0 ? 1 : sin(.pi * distance) / (.pi * distance)
                return sinc * KaiserDesign.window(distance / Double(taps / 2), beta: beta)
            }
            let sum = row.reduce(0, +)
            return row.map { Float($0 / sum) }
        }
    }
}

/// Design of linear-phase low-pass filters: an ideal low pass truncated by a Kaiser window.
///
/// J. F. Kaiser, "Nonrecursive digital filter design using the I0-sinh window function", ISCAS 1974; the same formulas
/// are in Oppenheim and Schafer, Discrete-Time Signal Processing, section 7.5 (3rd edition).
package enum KaiserDesign {
    /// Returns the taps of a low pass of gain 1.
    ///
    /// `cutoff` is the -6 dB point as a fraction of the sample rate (0 to 0.5); `beta` trades the width of the transition
    /// for attenuation beyond it.
    package static func lowPass(taps count: Int, cutoff: Double, beta: Double) -> [Double] {
        let center = Double(count - 1) / 2
        return (0..<count).map { index in
            let offset = Double(index) - center
            let ratio = offset / center
            let window = window(ratio, beta: beta)
            let phase = 2 * Double.pi * cutoff * offset
            let ideal = offset == 0 ? 2 * cutoff : sin(phase) / (.pi * offset)
            return ideal * window
        }
    }

    /// Returns the window at `place`, from -1 to 1; 1 in the middle.
    static func window(_ place: Double, beta: Double) -> Double {
        besselI0(beta * max(0, 1 - place * place).squareRoot()) / besselI0(beta)
    }

    /// The modified Bessel function of order zero by its power series (Abramowitz and Stegun, 9.6.10).
    private static func besselI0(_ x: Double) -> Double {
        let quarter = x * x / 4
        var term = 1.0
        var sum = 1.0
        var k = 1.0
        while term > sum * 1e-17 {
            term *= quarter / (k * k)
            sum += term
            k += 1
        }
        return sum
    }
}
