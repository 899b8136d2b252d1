import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation

/// A conversion from a card's rate to 48 kHz, or back.
struct RateStep: Sendable, CustomTestStringConvertible {
    var from: Int
    var to: Int

    var lower: Int { min(from, to) }
    var testDescription: String { "\(from) to \(to)" }

    static let all = SampleRates.known.filter { $0 != 48_000 }.flatMap {
        [RateStep(from: $0, to: 48_000), RateStep(from: 48_000, to: $0)]
    }

    /// Converts in calls of the given lengths, repeated as often as needed.
    func run(_ input: [Float], calls: [Int]? = nil) -> [Float] {
        var resampler = RationalResampler(from: from, to: to)
        let calls = calls ?? [(from + 99) / 100]
        var output: [Float] = []
        var block = [Float](repeating: 0, count: RationalResampler.block * 6 + 8)
        var done = 0
        var turn = 0
        while done < input.count {
            let count = min(calls[turn % calls.count], input.count - done)
            let made = input.withUnsafeBufferPointer { input in
                input.baseAddress.map { resampler.process($0 + done, count: count, into: &block) } ?? 0
            }
            output += block[..<made]
            done += count
            turn += 1
        }
        return output
    }

    /// Passes two tenths of a second of each converted tone, long after its start, to `look`.
    func steadyTones(_ frequencies: [Double], _ look: (Double, ArraySlice<Float>) -> Void) {
        var resampler = RationalResampler(from: from, to: to)
        var output = [Float](repeating: 0, count: to / 2)
        for frequency in frequencies {
            resampler.reset()
            let input = tone(frequency, rate: from, count: from / 10 * 3)
            var done = 0
            var made = 0
            input.withUnsafeBufferPointer { input in
                output.withUnsafeMutableBufferPointer { output in
                    guard let source = input.baseAddress, let target = output.baseAddress else { return }
                    while done < input.count {
                        let count = min(1024, input.count - done)
                        made += resampler.process(source + done, count: count, into: target + made)
                        done += count
                    }
                }
            }
            look(frequency, output[..<made].suffix(to / 5))
        }
    }
}

struct RationalResamplerTests {
    /// Tones from `start` to `end` that have whole periods in two tenths of a second.
    private static func tones(from start: Double, to end: Double) -> [Double] {
        (0...12).map { step in
            let frequency = start + (end - start) * Double(step) / 12
            return (frequency / 10).rounded(.down) * 10
        }
    }

    @Test(arguments: RateStep.all) func isFlatTo45PercentOfTheLowerRate(_ step: RateStep) {
        var worst = 0.0
        let lower = Double(step.lower)
        step.steadyTones(Self.tones(from: 0.01 * lower + 10, to: 0.45 * lower)) { frequency, output in
            let meter = ToneMeter(output, frequency: frequency, rate: step.to)
            worst = max(worst, decibels(meter.amplitude / 0.5).magnitude)
        }
        #expect(worst <= 0.001)
    }

    /// Images of the input if the rate goes up; aliases if it goes down.
    @Test(arguments: RateStep.all) func imagesAndAliasesAreRemoved(_ step: RateStep) {
        var worst = -200.0
        let lower = Double(step.lower)
        if step.to > step.from {
            step.steadyTones(Self.tones(from: 0.01 * lower + 10, to: 0.45 * lower)) { frequency, output in
                let meter = ToneMeter(output, frequency: frequency, rate: step.to)
                worst = max(worst, meter.residue(in: output))
            }
        } else {
            // From 48 to 44.1 kHz no tone reaches that.
            let end = 0.499 * Double(step.from)
            guard 0.55 * lower + 10 < end else { return }
            step.steadyTones(Self.tones(from: 0.55 * lower + 10, to: end)) { _, output in
                worst = max(worst, decibels(rms(output) / (0.5 / 2.0.squareRoot())))
            }
        }
        #expect(worst <= -100)
    }

    @Test(arguments: RateStep.all) func delayIsAsReported(_ step: RateStep) {
        var impulse = [Float](repeating: 0, count: step.from / 10)
        let at = impulse.count / 2
        impulse[at] = 1
        let output = step.run(impulse)
        let sum = output.reduce(0) { $0 + Double($1) }
        var moment = 0.0
        for (index, sample) in output.enumerated() { moment += Double(index) * Double(sample) }
        let center = moment / sum
        let delay = center / Double(step.to) - Double(at) / Double(step.from)
        let reported = RationalResampler(from: step.from, to: step.to).lag / Double(step.from)
        #expect((delay - reported).magnitude < 0.02 / Double(step.lower))
        #expect(delay <= 37.5 / Double(min(44_100, step.lower)))
    }

    @Test(arguments: RateStep.all) func outputDoesNotDependOnTheBlockSize(_ step: RateStep) {
        var random = SeededGenerator(seed: 1)
        let input = (0..<step.from / 5).map { _ in Float.random(in: -1...1, using: &random) }
        let whole = step.run(input, calls: [2048])
        let cut = step.run(input, calls: [1, 110, 111, 480, 7, 1920, 333])
        #expect(whole.map(\.bitPattern) == cut.map(\.bitPattern))
    }

    /// 10 ms in, 10 ms out; if these are not whole numbers of samples, none is lost in the long run.
    @Test(arguments: SampleRates.known) func tenMillisecondsStayTenMilliseconds(rate: Int) {
        var resampler = RationalResampler(from: rate, to: 48_000)
        var output = [Float](repeating: 0, count: 4096)
        let input = [Float](repeating: 0, count: 2048)
        var taken = 0
        for _ in 0..<400 {
            let needed = resampler.needed(for: 480)
            #expect((rate / 100 - 4...rate / 100 + 1).contains(needed))
            let made = resampler.process(input, count: needed, into: &output, limit: 480)
            #expect(made == 480)
            taken += needed
        }
        #expect((taken - 4 * rate).magnitude <= 4)
    }

    @Test(arguments: SampleRates.known.filter { $0 != 48_000 }) func conversionThereAndBackKeepsTheTone(rate: Int) {
        let frequency = (0.021 * Double(min(rate, 48_000))).rounded(.down) * 10
        let there = RateStep(from: 48_000, to: rate)
        let back = RateStep(from: rate, to: 48_000)
        let output = back.run(there.run(tone(frequency, rate: 48_000, count: 24_000))).suffix(4800)
        let meter = ToneMeter(output, frequency: frequency, rate: 48_000)
        #expect(decibels(meter.amplitude / 0.5).magnitude < 0.002)
        #expect(meter.residue(in: output) < -97)
    }

    /// Frames that were not heard are taken back and passed in again: no trace remains.
    @Test(arguments: RateStep.all.filter { $0.from == 48_000 }) func rewindLeavesTheOutputUnchanged(_ step: RateStep) {
        let input = tone(440, rate: 48_000, count: 48_000)
        let expected = step.run(input, calls: [480])
        var resampler = RationalResampler(from: 48_000, to: step.to, canGoBack: true)
        var block = [Float](repeating: 0, count: 2048)
        var output: [Float] = []
        var at = 0
        var turn = 0
        input.withUnsafeBufferPointer { input in
            guard let base = input.baseAddress else { return }
            while at + 480 <= input.count {
                let made = resampler.process(base + at, count: 480, into: &block)
                output += block[..<made]
                at += 480
                turn += 1
                guard turn % 10 == 0, turn < 60 else { continue }
                let back = step.to / 100 * 3 + turn
                let removed = resampler.rewind(back)
                let expected = Double(back) * 48_000 / Double(step.to)
                #expect((Double(removed) - expected).magnitude <= 8)
                output.removeLast(back)
                at -= removed
            }
        }
        #expect(output.count > step.to / 2)
        #expect(zip(output, expected).allSatisfy { $0 == $1 })
    }
}
