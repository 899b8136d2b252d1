import Glibc

/// Audio that a test speaks, at 24 kHz.
enum Microphone {
    static func silence(milliseconds: Int) -> [Int16] {
        [Int16](repeating: 0, count: 24 * milliseconds)
    }

    /// A loud tone, which counts as speech.
    static func speech(milliseconds: Int, amplitude: Double = 8000) -> [Int16] {
        (0..<24 * milliseconds).map { Int16(amplitude * sin(2 * .pi * 220 * Double($0) / 24000)) }
    }

    /// Seeded white noise with this peak.
    static func noise(milliseconds: Int, peak: Int) -> [Int16] {
        var state: UInt64 = 42
        return (0..<24 * milliseconds).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int16(Int(state >> 33) % (2 * peak + 1) - peak)
        }
    }
}
