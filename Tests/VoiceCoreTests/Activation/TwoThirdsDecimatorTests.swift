import Glibc
import Testing

@testable import TestSupport
@testable import VoiceActivation

struct TwoThirdsDecimatorTests {
    private static func tone(_ hertz: Double) -> [Int16] {
        (0..<9600).map { Int16(10_000 * sin(2 * .pi * hertz * Double($0) / 24_000)) }
    }

    private static func decimate(_ input: [Int16], pieces: Int) -> [Int16] {
        var decimator = TwoThirdsDecimator()
        var output = [Int16](repeating: 0, count: input.count / 3 * 2)
        input.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                guard let from = input.baseAddress, let to = output.baseAddress else { return }
                for start in stride(from: 0, to: input.count, by: pieces) {
                    let count = min(pieces, input.count - start)
                    decimator.process(from + start, count: count, into: to + start / 3 * 2)
                }
            }
        }
        return output
    }

    /// Level of the middle of a signal, in dB relative to the input tone.
    private static func level(_ samples: [Int16]) -> Double {
        let middle = samples[1600..<4800].map(Double.init)
        return 10 * log10(middle.reduce(0) { $0 + $1 * $1 } / Double(middle.count) / (10_000 * 10_000 / 2) + 1e-12)
    }

    @Test(arguments: [100.0, 1000, 3000, 6000]) func speechBandPasses(hertz: Double) {
        #expect(abs(Self.level(Self.decimate(Self.tone(hertz), pieces: 960))) < 0.1)
    }

    @Test(arguments: [9200.0, 10_000, 11_500]) func aliasingToneIsRemoved(hertz: Double) {
        #expect(Self.level(Self.decimate(Self.tone(hertz), pieces: 960)) < -50)
    }

    @Test(arguments: [3, 240, 9600]) func chunkSizeDoesNotChangeTheResult(pieces: Int) {
        #expect(Self.decimate(Self.tone(700), pieces: pieces) == Self.decimate(Self.tone(700), pieces: 960))
    }
}
