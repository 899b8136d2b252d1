internal import CDSP
internal import Glibc

/// Reads a signal between its samples, with 16 taps of a sinc under a Kaiser window.
///
/// The image of a tone at 10 kHz is 60 dB below it or better; at places that are samples, the samples come out unchanged.
/// A table of 128 fractions of a sample is made in `init`; nothing is allocated later.
struct SincInterpolator: ~Copyable {
    /// Samples needed before the first place read.
    static let before = Int(CDSP_INTERPOLATOR_TAPS) / 2 - 1
    /// Samples needed after the last place read, itself not counted.
    static let after = Int(CDSP_INTERPOLATOR_TAPS) / 2

    private let table = SampleBuffer(SincInterpolator.design())

    /// Writes `count` samples read at `start`, `start + step`, ...; place 0 is `input[before]`.
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

    /// A row of taps for each fraction of a sample, and one more for the next sample itself.
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
