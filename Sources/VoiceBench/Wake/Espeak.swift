internal import Glibc
import VoiceBase
import VoiceSimulator

/// A synthesiser with several voices.
enum Espeak {
    /// Samples at 24 kHz, full scale 1, scaled to a loudness (root mean square of the audible samples).
    static func samples(_ voice: String, _ text: String, loudness wanted: Float) throws -> [Float] {
        let path = "/tmp/espeak-\(getpid()).wav"
        defer { unlink(path) }
        _ = try BenchProcess.output("/usr/bin/espeak-ng", ["-v", voice, "-s", "150", "-w", path, text])
        guard let bytes = try? FileReader.system.read(path, 256 << 20).bytes, let wave = MonoWave.parse(bytes) else {
            throw BenchProblem("espeak-ng wrote no sound")
        }
        let samples = SpokenVoice.resample(wave.samples, from: wave.rate, to: 24_000).map { Float($0) / 32_768 }
        let gain = wanted / max(loudness(samples), 1e-6)
        return samples.map { $0 * gain }
    }

    /// Root mean square of the audible samples.
    static func loudness(_ samples: [Float]) -> Float {
        var sum: Float = 0
        var count: Float = 1
        for sample in samples where abs(sample) > 0.003 {
            sum += sample * sample
            count += 1
        }
        return (sum / count).squareRoot()
    }

    /// Upsamples 24 kHz to 48 kHz by linear interpolation: the canceller sees the same on both sides.
    static func upsample(_ samples: [Float]) -> [Float] {
        var output: [Float] = []
        output.reserveCapacity(2 * samples.count)
        for (index, sample) in samples.enumerated() {
            output.append(sample)
            output.append(index + 1 < samples.count ? (sample + samples[index + 1]) / 2 : sample)
        }
        return output
    }
}

/// Talk as from a television: dictionary words in any order, in several voices.
struct Talk {
    private let voices: [String]
    private let words: [String]

    init(voices: [String]) throws {
        self.voices = voices
        let file = "/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict"
        let text = String(decoding: try FileReader.system.read(file, 16 << 20).bytes, as: UTF8.self)
        words = text.split(separator: "\n").compactMap { line in
            let word = line.prefix { $0 != " " }
            return word.allSatisfy { $0.isLetter } && word.count > 2 ? String(word) : nil
        }
    }

    private func text(_ count: Int, seed: UInt64, without word: String = "") -> String {
        // A linear congruential generator (Knuth's MMIX): the same words in every run.
        var state = seed
        func pick() -> String {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return words.isEmpty ? "so" : words[Int(state >> 33) % words.count]
        }
        return (0..<count).map { index in
            var next = pick()
            if word.contains(next) || next.contains(word), !word.isEmpty { next = "so" }
            return next + (index % 9 == 8 ? "." : "")
        }
        .joined(separator: " ")
    }

    /// New talk of about `seconds`, at the loudness of a caller.
    func fresh(voice: Int, seconds: Int, without word: String) throws -> [Float] {
        let samples = try Espeak.samples(
            voices[voice % voices.count],
            text(seconds * 5 / 2, seed: UInt64(1000 + voice), without: word),
            loudness: 0.05
        )
        return Array(samples.prefix(seconds * 24_000))
    }

    /// Talk by one voice.
    func single(seconds: Int) throws -> [Float] {
        try fresh(voice: 1, seconds: seconds, without: "computer")
    }

    /// Six voices at once.
    func babble(seconds: Int) throws -> [Float] {
        var sum = [Float](repeating: 0, count: seconds * 24_000)
        for voice in 0..<6 {
            let samples = try fresh(voice: voice, seconds: 60, without: "computer")
            for index in sum.indices { sum[index] += samples[(index + voice * 7919) % samples.count] / 2.4 }
        }
        return sum
    }
}

/// Chords with a beat: tones with harmonics that decay twice a second.
enum Music {
    static func samples(seconds: Int) -> [Float] {
        let chords: [[Float]] = [[262, 330, 392], [220, 262, 330], [175, 220, 262], [196, 247, 294]]
        return (0..<seconds * 24_000).map { index in
            let chord = chords[index / 48_000 % chords.count]
            let beat = Float(index % 12_000) / 12_000
            let envelope = exp(-3 * beat)
            return chord.reduce(Float(0)) { sum, hertz in
                let phase = 2 * Float.pi * (hertz * Float(index % 240_000) / 24_000).truncatingRemainder(dividingBy: 1)
                return sum + envelope * (sin(phase) + 0.5 * sin(2 * phase) + 0.3 * sin(3 * phase)) * 0.05
            }
        }
    }
}
