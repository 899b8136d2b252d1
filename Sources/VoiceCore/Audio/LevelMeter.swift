internal import CDSP
internal import Glibc

/// Peak and level of a block of samples in tenths of dBFS.
enum LevelMeter {
    /// Digital silence and anything below.
    static let floor = -960

    static func measure(_ samples: UnsafePointer<Float>, count: Int) -> (peak: Int, level: Int) {
        (tenths(cdsp_peak(samples, count)), tenths(cdsp_rms(samples, count)))
    }

    /// dBFS of an amplitude, -120 and more, as `EchoReading` has it.
    static func decibels(_ amplitude: Float) -> Float {
        20 * log10f(max(amplitude, 1e-6))
    }

    static func tenths(_ amplitude: Float) -> Int {
        guard amplitude > 1.6e-5 else { return floor }
        return Int(max(Float(floor), min(0, 200 * log10f(amplitude))).rounded())
    }
}
