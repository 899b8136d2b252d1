internal import Glibc

/// A small loudspeaker driven hard, as in laptops and speakerphones: a compressor, a cone that clips on one side before the other,
/// and a case that rings. Its distortion rises and falls with what it plays, and has another spectrum.
struct RelapseLoudspeaker {
    /// Returns the sound of `far`, at the same mean power.
    static func play(_ far: [Float]) -> [Float] {
        var envelope: Float = 0
        var (slow, first, second): (Float, Float, Float) = (0, 0, 0)
        // Rings at 1.3 kHz for about 10 ms.
        let radius: Float = 0.9985
        let turn = 2 * radius * cosf(2 * .pi * 1300 / 48_000)
        let played = far.map { sample in
            envelope = max(sample.magnitude, envelope * 0.9997)
            let compressed = sample * powf(max(envelope, 0.02) / 0.02, -0.3)
            slow += 0.02 * (compressed - slow)
            let sound = compressed - slow
            let bent = sound > 0 ? tanhf(2 * sound) / 2 : tanhf(6 * sound) / 6
            let ringing = (1 - radius) * bent.magnitude + turn * first - radius * radius * second
            (second, first) = (first, ringing)
            return bent + ringing
        }
        let gain = (power(far) / max(power(played), 1e-12)).squareRoot()
        return played.map { $0 * gain }
    }

    private static func power(_ samples: [Float]) -> Float { samples.reduce(0) { $0 + $1 * $1 } }
}
