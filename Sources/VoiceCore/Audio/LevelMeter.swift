internal import CDSP
internal import Glibc

/// Peak and level of a block of samples in tenths of dBFS.
enum LevelMeter {
    /// Digital silence and anything below.
    static let floor = -960

    static func measure(_ samples: UnsafePointer<Float>, count: Int) -> (peak: Int, level: Int) {
        (tenths(cdsp_peak(samples, count)), tenths(cdsp_rms(samples, count)))
    }

    static func tenths(_ amplitude: Float) -> Int {
        guard amplitude > 1.6e-5 else { return floor }
        return max(floor, min(0, Int((200 * log10f(amplitude)).rounded())))
    }
}
