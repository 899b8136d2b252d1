import Glibc
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceConversation

struct LimiterTests {
    private static let ceiling: Float = 0.891_25

    private func limited(_ input: [Float], block: Int = 480) -> [Float] {
        var limiter = Limiter(ceiling: Self.ceiling)
        var output = input.map { StereoFrame($0) } + [StereoFrame](repeating: .silence, count: Limiter.delay)
        output.withUnsafeMutableBufferPointer { buffer in
            var done = 0
            while done < buffer.count {
                let count = min(block, buffer.count - done)
                if let base = buffer.baseAddress { limiter.process(base + done, count: count) }
                done += count
            }
        }
        return output.map(\.mean)
    }

    @Test func louderChannelSetsTheGainOfBoth() {
        var limiter = Limiter(ceiling: Self.ceiling)
        var frames = [StereoFrame](repeating: StereoFrame(left: 0.3, right: -1.8), count: 4800)
        limiter.process(&frames, count: frames.count)
        #expect(frames.allSatisfy { abs($0.right) <= Self.ceiling })
        let settled = frames[2400...]
        #expect(settled.allSatisfy { abs($0.right + Self.ceiling) < 1e-4 })
        #expect(settled.allSatisfy { abs($0.left / $0.right + 1.0 / 6) < 1e-4 }, "nothing moves to a side")
    }

    @Test func belowTheCeilingNothingChanges() {
        let input = tone(997, rate: 48_000, count: 9600, amplitude: 0.89)
        #expect(Array(limited(input)[Limiter.delay...]) == input)
    }

    @Test(arguments: [1, 7, 480, 1000])
    func outputStaysBelowTheCeiling(block: Int) {
        var random = SeededGenerator(seed: UInt64(block))
        var input = (0..<24_000).map { _ in Float.random(in: -3...3, using: &random) }
        // Sparse peaks of every height, a step, full scale, infinity.
        input += (0..<24_000).map { index in
            index % 711 == 0 ? Float.random(in: -20...20, using: &random) : Float.random(in: -0.5...0.5, using: &random)
        }
        input += [Float](repeating: 1, count: 2000) + [Float](repeating: -40, count: 2000) + [.infinity, -.infinity]
        let output = limited(input, block: block)
        #expect(output.allSatisfy { abs($0) <= Self.ceiling })
    }

    @Test func nanBecomesSilence() {
        var input = tone(500, rate: 48_000, count: 4800, amplitude: 0.5)
        input[100] = .nan
        let output = limited(input)
        #expect(output.allSatisfy { $0.isFinite })
        #expect(output[Limiter.delay + 100] == 0)
        #expect(Array(output[(Limiter.delay + 101)...]) == Array(input[101...]))
    }

    @Test func limiterIsTransparentAfterTheRelease() {
        let loud = tone(300, rate: 48_000, count: 4800, amplitude: 1.6)
        let soft = tone(300, rate: 48_000, count: 96_000, amplitude: 0.4)
        let output = limited(loud + soft)
        #expect(Array(output.suffix(24_000)) == Array(soft.suffix(24_000)))
    }

    @Test(arguments: [100.0, 440.0, 1000.0, 5000.0])
    func aLoudToneIsTurnedDownNotDistorted(frequency: Double) {
        let output = limited(tone(frequency, rate: 48_000, count: 96_000, amplitude: 1.8))
        let steady = output[48_000..<96_000]
        let meter = ToneMeter(steady, frequency: frequency, rate: 48_000)
        #expect(meter.amplitude > 0.88 && meter.amplitude <= 0.8913)
        #expect(meter.residue(in: steady) < -70)
    }

    @Test func theGainMovesWithoutAStep() {
        // A constant shows the gain itself: it falls within 2.6 ms and rises within tenths of a second.
        let input =
            [Float](repeating: 0.5, count: 4800) + [Float](repeating: 1.8, count: 100)
            + [Float](repeating: 0.5, count: 48_000)
        let output = limited(input)
        let gains = zip(output[Limiter.delay...], input).map { $0 / $1 }
        let steps = zip(gains, gains.dropFirst()).map { abs($0 - $1) }
        #expect((gains.min() ?? 1) < 0.5)
        // Two moving averages of 64: a fall by 0.505 is never steeper than 1/64 of that per sample.
        #expect((steps.max() ?? 1) < 0.01)
    }
}
