internal import Glibc
import VoiceSimulator

/// A synthetic talker: a glottis with a wandering pitch, through three formants that change with each syllable, hissed
/// consonants, words of uneven length, pauses for breath. Not speech, but it rises and falls like speech, at different
/// times in each band. The same seed gives the same talk.
struct SyntheticPerson {
    private struct Resonator {
        var first: Float = 0
        var second: Float = 0

        mutating func step(_ input: Float, hertz: Float, width: Float) -> Float {
            let radius = expf(-.pi * width / 48_000)
            let turn = 2 * radius * cosf(2 * .pi * hertz / 48_000)
            let output = (1 - radius) * input + turn * first - radius * radius * second
            (second, first) = (first, output)
            return output
        }
    }

    private static let vowels: [(Float, Float, Float)] = [
        (730, 1090, 2440), (270, 2290, 3010), (530, 1840, 2480), (570, 840, 2410), (300, 870, 2240), (490, 1350, 1690),
    ]

    private var random: SplitMix
    private let pitch: Float
    private let size: Float

    /// - Parameters:
    ///   - pitch: mean of the voice in Hz.
    ///   - size: scale of the formants, 1 for a man, 1.2 for a woman.
    init(pitch: Float, size: Float, seed: UInt64) {
        self.pitch = pitch
        self.size = size
        random = SplitMix(seed: seed)
    }

    /// Samples at 48 kHz, from `start` to `end` in seconds, with silence before and after up to `count` samples. The
    /// mean power of the loud parts is `level` dBFS.
    mutating func talk(from start: Double, to end: Double, count: Int, level: Float) -> [Float] {
        var samples = [Float](repeating: 0, count: count)
        var at = Int(start * 48_000)
        let stop = min(count, Int(end * 48_000))
        while at < stop {
            for _ in 0..<random.next(in: 2...7) {
                for _ in 0..<random.next(in: 1...4) { at = syllable(&samples, at: at, stop: stop) }
                at += random.next(in: 2000...7000)
            }
            at += random.next(in: 6000...40_000)
        }
        let loud = samples.lazy.map { $0 * $0 }.filter { $0 > 1e-8 }
        let power = loud.reduce(0, +) / Float(max(1, loud.count))
        let gain = powf(10, level / 20) / max(1e-6, power.squareRoot())
        return samples.map { max(-0.9, min(0.9, $0 * gain)) }
    }

    /// Adds a hiss or none, then a vowel; returns the index after them.
    private mutating func syllable(_ samples: inout [Float], at start: Int, stop: Int) -> Int {
        let (first, second, third) = Self.vowels[random.next(in: 0...Self.vowels.count - 1)]
        let hiss = random.unit() < 0.5 ? random.next(in: 2000...6000) : 0
        let length = random.next(in: 4500...12_000)
        let from = pitch * (0.85 + 0.4 * random.unit())
        let to = from * (0.8 + 0.3 * random.unit())
        let loudness = 0.35 + 0.65 * random.unit()
        let bright = 3500 + 3000 * random.unit()
        var (a, b, c, h) = (Resonator(), Resonator(), Resonator(), Resonator())
        var phase: Float = 0
        for index in 0..<hiss + length where start + index < stop {
            if index < hiss {
                let edge = min(1, Float(min(index, hiss - index)) / 600)
                samples[start + index] +=
                    0.12 * loudness * edge * h.step(2 * random.unit() - 1, hertz: bright, width: 1500)
                continue
            }
            let share = Float(index - hiss) / Float(length)
            phase += (from + (to - from) * share) * (1 + 0.02 * (random.unit() - 0.5)) / 48_000
            let pulse: Float = phase >= 1 ? 1 : 0
            phase -= pulse
            let breath = 0.004 * (2 * random.unit() - 1)
            let source = pulse + breath
            let voice =
                a.step(source, hertz: first * size, width: 80) * 40 + b.step(source, hertz: second * size, width: 110)
                * 25
                + c.step(source, hertz: third * size, width: 160) * 12
            samples[start + index] += loudness * voice * min(1, share * 8, (1 - share) * 4)
        }
        return start + hiss + length
    }
}

extension SplitMix {
    /// A number in 0 ..< 1.
    mutating func unit() -> Float { Float(next() >> 40) / 16_777_216 }

    mutating func next(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }
}
