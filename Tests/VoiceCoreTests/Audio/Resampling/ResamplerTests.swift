import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceConversation

/// The three converters behind one interface, so that each test reads as a table.
private enum Converter: CaseIterable {
    case halfbandDecimator
    case halfbandInterpolator
    case threeFourths

    var inputRate: Int {
        switch self {
        case .halfbandDecimator: 48_000
        case .halfbandInterpolator: 24_000
        case .threeFourths: 32_000
        }
    }
    var outputRate: Int { self == .halfbandInterpolator ? 48_000 : 24_000 }
    /// The input length must be a multiple of this.
    var step: Int {
        switch self {
        case .halfbandDecimator: 2
        case .halfbandInterpolator: 1
        case .threeFourths: 4
        }
    }

    /// Converts the input in calls of the given lengths, repeated as often as needed.
    func run(_ input: [Float], calls: [Int]) -> [Float] {
        var decimator = HalfbandDecimator()
        var interpolator = HalfbandInterpolator()
        var threeFourths = ThreeFourthsDecimator()
        var output = [Float](repeating: .nan, count: input.count * outputRate / inputRate)
        var done = 0
        var turn = 0
        input.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                guard let from = input.baseAddress, let to = output.baseAddress else { return }
                while done < input.count {
                    let count = min(calls[turn % calls.count], input.count - done)
                    let place = to + done * outputRate / inputRate
                    switch self {
                    case .halfbandDecimator: decimator.process(from + done, count: count, into: place)
                    case .halfbandInterpolator: interpolator.process(from + done, count: count, into: place)
                    case .threeFourths: threeFourths.process(from + done, count: count, into: place)
                    }
                    done += count
                    turn += 1
                }
            }
        }
        return output
    }

    func run(_ input: [Float]) -> [Float] { run(input, calls: [inputRate / 100]) }

    /// The last tenth of a second of a converted tone.
    func steadyTone(_ frequency: Double, amplitude: Double = 0.5) -> ArraySlice<Float> {
        let input = tone(frequency, rate: inputRate, count: inputRate / 10 + inputRate / 50, amplitude: amplitude)
        return run(input).suffix(outputRate / 10)
    }
}

struct ResamplerTests {
    @Test(arguments: Converter.allCases) private func isFlatToTheEdgeOfTheVoice(_ converter: Converter) {
        var worst = 0.0
        for frequency in stride(from: 100.0, through: 10_800, by: 100) {
            let meter = ToneMeter(converter.steadyTone(frequency), frequency: frequency, rate: converter.outputRate)
            worst = max(worst, decibels(meter.amplitude / 0.5).magnitude)
        }
        #expect(worst <= 0.001)
    }

    @Test(arguments: [Converter.halfbandDecimator, .threeFourths])
    private func aliasesAreRemoved(_ converter: Converter) {
        var worst = -200.0
        for frequency in stride(from: 13_200.0, to: Double(converter.inputRate / 2), by: 100) {
            // The whole output is what remains of the tone.
            worst = max(worst, decibels(rms(converter.steadyTone(frequency)) / (0.5 / 2.0.squareRoot())))
        }
        #expect(worst <= -100)
    }

    @Test func interpolationLeavesNoImage() {
        let converter = Converter.halfbandInterpolator
        var worst = -200.0
        for frequency in stride(from: 100.0, through: 10_800, by: 100) {
            let image = ToneMeter(converter.steadyTone(frequency), frequency: 24_000 - frequency, rate: 48_000)
            worst = max(worst, decibels(image.amplitude / 0.5))
        }
        #expect(worst <= -100)
    }

    @Test(arguments: Converter.allCases, [1000.0, 10_000])
    private func addsNoDistortionToATone(_ converter: Converter, frequency: Double) {
        let output = converter.steadyTone(frequency, amplitude: 0.9)
        let residue = ToneMeter(output, frequency: frequency, rate: converter.outputRate).residue(in: output)
        #expect(residue <= -105)
    }

    @Test(arguments: Converter.allCases) private func isNoLaterThanOneAndAHalfMilliseconds(_ converter: Converter) {
        var impulse = [Float](repeating: 0, count: converter.inputRate / 10)
        let at = 480
        impulse[at] = 1
        let output = converter.run(impulse)
        let energy = output.reduce(0) { $0 + Double($1) * Double($1) }
        let center = output.enumerated().reduce(0) { $0 + Double($1.offset) * Double($1.element * $1.element) } / energy
        let delay = center / Double(converter.outputRate) - Double(at) / Double(converter.inputRate)
        #expect(delay > 0.0013)
        #expect(delay <= 0.0015)
    }

    @Test(arguments: Converter.allCases) private func passesASteadyLevelUnchanged(_ converter: Converter) {
        let output = converter.run([Float](repeating: 0.5, count: converter.inputRate / 10))
        for sample in output.suffix(converter.outputRate / 20) {
            #expect((sample - 0.5).magnitude < 1e-6)
        }
    }

    @Test(arguments: Converter.allCases, [[480], [4], [4, 8, 1000, 12, 484], [9600]])
    private func outputDoesNotDependOnTheBlockSize(_ converter: Converter, calls: [Int]) {
        var random = SeededGenerator(seed: 1)
        let input = (0..<converter.inputRate / 10).map { _ in Float.random(in: -1...1, using: &random) }
        let whole = converter.run(input, calls: [input.count])
        let cut = converter.run(input, calls: calls.map { $0 / 4 * converter.step })
        #expect(whole.map(\.bitPattern) == cut.map(\.bitPattern))
    }

    @Test(arguments: Converter.allCases) private func aToneHasNoClickWhereCallsMeet(_ converter: Converter) {
        let input = tone(440, rate: converter.inputRate, count: converter.inputRate / 5)
        let output = converter.run(input).dropFirst(converter.outputRate / 100)
        let largest = zip(output, output.dropFirst()).map { ($1 - $0).magnitude }.max() ?? 0
        let slope = 2 * Float.pi * 440 / Float(converter.outputRate) * 0.5
        #expect(largest < slope * 1.001)
    }

    @Test func resetForgetsThePast() {
        var upsampler = VoiceUpsampler()
        let loud = [Int16](repeating: 20_000, count: 240)
        let silence = [Int16](repeating: 0, count: 240)
        var output = [Float](repeating: 1, count: 480)
        upsampler.process(loud, count: 240, into: &output)
        upsampler.reset()
        upsampler.process(silence, count: 240, into: &output)
        #expect(output.allSatisfy { $0 == 0 })
    }

    @Test func theVoiceComesOutTwiceAsLongAndJustAsLoud() {
        var upsampler = VoiceUpsampler()
        let input = tone(1000, rate: 24_000, count: 2400).map { Int16(($0 * 32_768).rounded()) }
        var output = [Float](repeating: 0, count: 4800)
        upsampler.process(input, count: 2400, into: &output)
        let meter = ToneMeter(output.suffix(2400), frequency: 1000, rate: 48_000)
        #expect((meter.amplitude - 0.5).magnitude < 0.0001)
    }
}
