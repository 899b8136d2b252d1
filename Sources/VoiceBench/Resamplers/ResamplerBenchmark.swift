import VoiceAudio
import VoiceBase
import VoiceConfiguration

/// Rate conversion and the capture path, per period of 10 ms, compared with a plain filter of the same length.
enum ResamplerBenchmark {
    static let benchmark = Benchmark(name: "resamplers", title: "Per period of 10 ms", run: run)

    private static func run(_ isQuick: Bool) async throws -> [Figure] {
        let rounds = isQuick ? 30 : 200
        let source = Block(count: 2 * AudioFormat.periodFrames)
        let target = Block(count: AudioFormat.periodFrames)
        let (input, output) = (source.base, target.base)
        var down = HalfbandDecimator()
        let halved = TightLoop.microseconds(rounds: rounds, repeats: 50) {
            down.process(input, count: 480, into: output)
        }
        var up = HalfbandInterpolator()
        let doubled = TightLoop.microseconds(rounds: rounds, repeats: 50) {
            up.process(input, count: 240, into: output)
        }
        var fromCanceller = ThreeFourthsDecimator()
        let threeFourths = TightLoop.microseconds(rounds: rounds, repeats: 50) {
            fromCanceller.process(input, count: 320, into: output)
        }
        // 139 taps at 48 kHz, keeping every second output; 96 taps for each of 240 outputs.
        let plainHalf = TightLoop.microseconds(rounds: rounds, repeats: 5) {
            PlainFilter.run(input, taps: 139, step: 2, output, count: 240)
        }
        let plainThreeFourths = TightLoop.microseconds(rounds: rounds, repeats: 5) {
            PlainFilter.run(input, taps: 96, step: 1, output, count: 240)
        }
        return [
            Figure("48 -> 24 kHz, half-band", halved, unit: "us", typicalBelow: 2, note: ratio(plainHalf, halved)),
            Figure("24 -> 48 kHz, half-band", doubled, unit: "us", typicalBelow: 2, note: ratio(plainHalf, doubled)),
            Figure(
                "32 -> 24 kHz, polyphase",
                threeFourths,
                unit: "us",
                typicalBelow: 2,
                note: ratio(plainThreeFourths, threeFourths)
            ),
            Figure("capture path (canceller + 32 -> 24 kHz)", try capturePath(rounds, input), unit: "us"),
        ] + cards(rounds)
    }

    /// A card's own rate to 48 kHz and back, one channel; compared with a plain filter of the same length and, if it is
    /// installed, libsoxr.
    private static func cards(_ rounds: Int) -> [Figure] {
        let target = Block(count: 8192)
        let source = Block(count: RationalResampler.block)
        return SampleRates.known.filter { $0 != AudioFormat.deviceRate }.flatMap { rate in
            [(rate, AudioFormat.deviceRate), (AudioFormat.deviceRate, rate)].map { from, to in
                let count = from / 100
                var resampler = RationalResampler(from: from, to: to)
                let delay = resampler.lag * 1000 / Double(from)
                let time = TightLoop.microseconds(rounds: rounds, repeats: 20) {
                    _ = resampler.process(source.base, count: count, into: target.base)
                }
                let taps = 72 * from / min(from, to)
                let input = Block(count: taps + count)
                let plain = TightLoop.microseconds(rounds: rounds / 4, repeats: 2) {
                    // As many sums as there are outputs, over as many samples as there are inputs.
                    PlainFilter.run(input.base, taps: taps, step: 0, target.base, count: to / 100)
                }
                var note = "delay \(delay.text) ms; \(ratio(plain, time))"
                if let soxr = try? SoxrConverter(from: from, to: to, quality: .high) {
                    let other = TightLoop.microseconds(rounds: rounds, repeats: 20) {
                        _ = soxr.process(source.base, count: count, into: target.base, capacity: 8192)
                    }
                    note += ", soxr HQ \(other.median.text) us = \((other.median / time.median).text) x"
                }
                return Figure("\(from) -> \(to) Hz, card", time, unit: "us", typicalBelow: plain.median, note: note)
            }
        }
    }

    private static func capturePath(_ rounds: Int, _ input: UnsafeMutablePointer<Float>) throws -> Samples {
        var options = EchoCancellerOptions()
        options.voiceDetection = false
        var path = try CapturePath(options: options)
        let samples = UnsafeMutablePointer<Int16>.allocate(capacity: AudioFormat.wirePeriodSamples)
        defer { samples.deallocate() }
        return TightLoop.microseconds(rounds: rounds, repeats: 5) {
            path.process(
                microphone: input,
                reference: input + AudioFormat.periodFrames,
                streamDelayMilliseconds: 0,
                into: samples
            )
        }
    }

    private static func ratio(_ plain: Samples, _ ours: Samples) -> String {
        "plain scalar filter \(plain.median.text) us = \((plain.median / ours.median).text) x"
    }

    /// A separately allocated block of noise.
    private final class Block {
        let base: UnsafeMutablePointer<Float>

        init(count: Int) {
            base = .allocate(capacity: count)
            var state: UInt32 = 1
            for index in 0..<count {
                state = state &* 1_664_525 &+ 1_013_904_223
                (base + index).initialize(to: Float(state >> 8) / Float(1 << 24) * 0.4 - 0.2)
            }
        }

        deinit { base.deallocate() }
    }
}

/// The textbook filter: one sum per output, in order.
private enum PlainFilter {
    @inline(never)
    static func run(
        _ input: UnsafePointer<Float>,
        taps: Int,
        step: Int,
        _ output: UnsafeMutablePointer<Float>,
        count: Int
    ) {
        for index in 0..<count {
            var sum: Float = 0
            for tap in 0..<taps { sum += input[index * step + tap] * input[tap] }
            output[index] = sum
        }
    }
}
