internal import Glibc
internal import VoiceBase

/// The signal of `echo-test` at 24 kHz: silence for the noise, a gentle sweep, then noise with the level changes of
/// speech. Always the same.
package enum EchoTestSignal {
    /// Seconds of each part, in order.
    package static let silence = 1.5
    package static let sweep = 1.0
    package static let speech = 7.0
    package static let seconds = silence + sweep + speech

    /// Returns the whole signal; mean power of the loud parts about -20 dBFS, peaks below -6 dBFS.
    package static func samples() -> [Int16] {
        let rate = Float(AudioFormat.wireRate)
        var output = [Int16](repeating: 0, count: Int(Float(silence) * rate))
        let sweepCount = Int(Float(sweep) * rate)
        var phase: Float = 0
        for index in 0..<sweepCount {
            let part = Float(index) / Float(sweepCount)
            phase += 2 * .pi * 150 * powf(40, part) / rate
            if phase > 2 * .pi { phase -= 2 * .pi }
            let edge = min(1, min(part, 1 - part) * 20)
            output.append(Int16(32767 * 0.14 * edge * sinf(phase)))
        }
        return output + speechLike(count: Int(Float(speech) * rate), rate: rate)
    }

    /// White noise through two first-order low passes (the slope of speech above 500 Hz) and a high pass, with
    /// syllables at 4 Hz and a pause every 1.5 seconds.
    private static func speechLike(count: Int, rate: Float) -> [Int16] {
        var seed: UInt64 = 0x9E37_79B9_7F4A_7C15
        var low: Float = 0
        var lower: Float = 0
        var rumble: Float = 0
        let lowPass = 1 - expf(-2 * .pi * 900 / rate)
        let secondPass = 1 - expf(-2 * .pi * 3000 / rate)
        let highPass = 1 - expf(-2 * .pi * 150 / rate)
        return (0..<count).map { index in
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let white = Float(Int32(truncatingIfNeeded: seed >> 32)) / 2_147_483_648
            low += (white - low) * lowPass
            lower += (low - lower) * secondPass
            rumble += (lower - rumble) * highPass
            let time = Float(index) / rate
            let syllable = 0.55 - 0.45 * cosf(2 * .pi * 4 * time)
            let isPause = time.truncatingRemainder(dividingBy: 1.5) > 1.25
            let left = Float(count - index) / rate
            let value = (lower - rumble) * 0.9 * syllable * (isPause ? 0 : 1) * min(1, left * 10)
            return Int16(32767 * max(-0.5, min(0.5, value)))
        }
    }
}
