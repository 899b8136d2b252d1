import Glibc
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceConversation

struct SpeechLevellerTests {
    /// Noise of a level in dBFS (RMS), for so many periods; with `syllables` it rises and falls four times a second.
    private func sound(_ level: Double, periods: Int, syllables: Bool, seed: UInt64 = 1) -> [Int16] {
        var random = SeededGenerator(seed: seed)
        let amplitude = 32_768 * pow(10, level / 20) * 3.0.squareRoot()
        return (0..<periods * 240).map { index in
            let time = Double(index) / 24_000
            let envelope = syllables ? max(0.01, sin(2 * .pi * 4 * time)) * 1.4 : 1
            return Int16(max(-32_768, min(32_767, Double.random(in: -1...1, using: &random) * amplitude * envelope)))
        }
    }

    private func run(
        _ leveller: inout SpeechLeveller,
        _ samples: [Int16],
        isPlaying: Bool = false
    ) -> [Int16] {
        var output: [Int16] = []
        for start in stride(from: 0, to: samples.count, by: 240) {
            var block = Array(samples[start..<start + 240])
            leveller.process(&block, count: 240, isPlaying: isPlaying)
            output += block
        }
        return output
    }

    private func quiet(_ periods: Int) -> [Int16] { sound(-66, periods: periods, syllables: false, seed: 9) }

    @Test(arguments: [(-34.0, 9.0...11.0), (-45.0, 11.4...12.01), (-18.0, -7.0 ... -5.0), (-24.0, -1.0...1.0)])
    func speechComesToOneLevel(level: Double, expected: ClosedRange<Double>) {
        var leveller = SpeechLeveller()
        for _ in 0..<15 {
            _ = run(&leveller, sound(level, periods: 200, syllables: true))
            _ = run(&leveller, quiet(100))
        }
        // Gated periods contain a voice: their mean is slightly above that of all periods.
        #expect(expected.contains(Double(leveller.gain) + 0) || expected.contains(Double(leveller.gain) + 2))
    }

    @Test func noiseIsNotAmplified() {
        var leveller = SpeechLeveller()
        _ = run(&leveller, quiet(300))
        for _ in 0..<5 {
            // A fan that runs on, and a machine that runs for a second now and then.
            _ = run(&leveller, sound(-45, periods: 1000, syllables: false))
            _ = run(&leveller, quiet(300))
            _ = run(&leveller, sound(-40, periods: 100, syllables: false))
            _ = run(&leveller, quiet(200))
        }
        #expect(leveller.gain == 0)
    }

    @Test func gainIsFrozenDuringPlayback() {
        var leveller = SpeechLeveller()
        _ = run(&leveller, quiet(300))
        _ = run(&leveller, sound(-40, periods: 3000, syllables: true), isPlaying: true)
        #expect(leveller.gain == 0)
        for _ in 0..<8 {
            _ = run(&leveller, sound(-34, periods: 200, syllables: true))
            _ = run(&leveller, quiet(100))
        }
        let gain = leveller.gain
        #expect(gain > 3)
        _ = run(&leveller, sound(-50, periods: 1000, syllables: true), isPlaying: true)
        #expect(leveller.gain == gain)
    }

    @Test func zeroGainLeavesTheSamplesUnchanged() {
        var leveller = SpeechLeveller()
        let samples = quiet(200)
        #expect(run(&leveller, samples) == samples)
    }

    @Test func aSuddenShoutDoesNotWrapOrClip() {
        var leveller = SpeechLeveller()
        for _ in 0..<15 {
            _ = run(&leveller, sound(-40, periods: 200, syllables: true))
            _ = run(&leveller, quiet(100))
        }
        #expect(leveller.gain > 8)
        let shout = (0..<240 * 20).map { Int16(24_000 * sin(2 * .pi * 400 * Double($0) / 24_000)) }
        let output = run(&leveller, shout)
        // From the third millisecond on.
        #expect(output[60...].allSatisfy { abs(Int($0)) <= 29_300 })
        #expect(zip(shout, output).allSatisfy { ($0 >= 0) == ($1 >= 0) || abs(Int($0)) < 10 })
    }
}
