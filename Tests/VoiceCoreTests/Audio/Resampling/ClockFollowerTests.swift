import Testing

@testable import TestSupport
@testable import VoiceAudio

struct ClockFollowerTests {
    /// A tone through a loudspeaker's converter whose step changes on the way; with `flush`, frames are taken back now
    /// and then.
    private static func run(_ frequency: Double, rate: Int, steps: [Double], flush: Bool = false) -> [StereoFrame] {
        var converter = PlaybackConverter(rate: rate)
        let input = tone(frequency, rate: 48_000, count: 480 * steps.count).map { StereoFrame(left: $0, right: -$0) }
        var output: [StereoFrame] = []
        var at = 0
        input.withUnsafeBufferPointer { input in
            guard let base = input.baseAddress else { return }
            for (turn, step) in steps.enumerated() where at + 480 <= input.count {
                converter.step = step
                let (frames, count) = converter.process(base + at, count: 480)
                output += UnsafeBufferPointer(start: frames, count: count)
                at += 480
                guard flush, turn % 20 == 19 else { continue }
                let back = rate / 50 + turn % 7
                at -= converter.rewind(back)
                output.removeLast(back)
            }
        }
        return output
    }

    /// Residual after subtraction of the best-fitting tone of this frequency, in dB, in pieces short enough for the
    /// frequency to be constant.
    private static func residue(_ output: [StereoFrame], _ frequency: Double, rate: Int) -> Double {
        let piece = rate / 50
        return stride(from: rate / 10, to: output.count - piece, by: piece).reduce(-200) { worst, start in
            let samples = output[start..<start + piece].map(\.left)
            // The best-fitting frequency: the curvature of a tone is proportional to the tone.
            var product = 0.0
            var square = 0.0
            for index in 1..<piece - 1 {
                product += Double(samples[index - 1] + samples[index + 1]) * Double(samples[index])
                square += Double(samples[index]) * Double(samples[index])
            }
            let ratio = product / square
            var rest = 0.0
            for index in 1..<piece - 1 {
                let error = Double(samples[index - 1] + samples[index + 1]) - ratio * Double(samples[index])
                rest += error * error
            }
            return max(worst, decibels((rest / square).squareRoot()))
        }
    }

    @Test(arguments: [48_000, 44_100, 16_000], [1.0002, 0.9998, 1.0005])
    func outputLastsAsLongAsTheOtherClock(rate: Int, step: Double) {
        let output = Self.run(1000, rate: rate, steps: [Double](repeating: step, count: 500))
        let expected = Double(5 * rate) / step
        #expect((Double(output.count) - expected).magnitude < 20)
        #expect(output.allSatisfy { $0.left == -$0.right })
    }

    /// From no correction to 300 ppm and back, with frames taken back on the way: no click.
    @Test(arguments: [48_000, 44_100, 16_000, 11_025], [false, true])
    func rateChangesDoNotClick(rate: Int, flush: Bool) {
        let up = (0..<200).map { 1 + Double($0) * 1.5e-6 }
        let down = (0..<300).map { 1 + Double(300 - $0) * 1e-6 }
        let steps = [Double](repeating: 1, count: 100) + up + down
        let output = Self.run(500, rate: rate, steps: steps, flush: flush)
        #expect(output.count > 3 * rate)
        #expect(Self.residue(output, 500, rate: rate) < -75)
    }

    @Test func sameClockPassesFramesUnchanged() {
        let output = Self.run(997, rate: 48_000, steps: [Double](repeating: 1, count: 20))
        #expect(output.map(\.left) == tone(997, rate: 48_000, count: 9600))
        #expect(PlaybackConverter(rate: 48_000).lag == 0)
    }
}
