import Glibc
import Testing

@testable import TestSupport
@testable import VoiceAudio

struct SincInterpolatorTests {
    private func error(_ frequency: Double, start: Double, step: Double) -> Double {
        let interpolator = SincInterpolator()
        let input = tone(frequency, rate: 48_000, count: 520)
        var output = [Float](repeating: 0, count: 480)
        interpolator.process(input, start: start, step: step, into: &output, count: 480)
        let exact = output.indices.map { index in
            let place = Double(SincInterpolator.before) + start + Double(index) * step
            return Float(0.5 * sin(2 * .pi * frequency * place / 48_000))
        }
        return decibels(rms(zip(output, exact).map { $0 - $1 }) / rms(exact))
    }

    @Test(arguments: [300.0, 1000, 4000, 8000, 10_000])
    func readsBetweenTheSamples(frequency: Double) {
        for start in [0.1, 0.25, 0.5, 0.777, 0.999] {
            #expect(error(frequency, start: start, step: 1) < -60)
            #expect(error(frequency, start: start, step: 1.0002) < -60)
            #expect(error(frequency, start: start, step: 0.998) < -60)
        }
    }

    @Test func returnsTheSamplesAtTheirPositions() {
        let input = tone(5000, rate: 48_000, count: 520)
        var output = [Float](repeating: 0, count: 480)
        SincInterpolator().process(input, start: 3, step: 1, into: &output, count: 480)
        for index in output.indices { #expect((output[index] - input[index + 10]).magnitude < 1e-6) }
    }
}
