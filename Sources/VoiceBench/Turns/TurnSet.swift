import FoundationEssentials
import Glibc
import VoiceAudio
import VoiceBase
import VoiceSimulator

/// Sentences of two clauses, with whatever pause between them, and sound that is no speech: what `scripts/turn-curve` makes.
struct TurnSet: Decodable {
    struct Sentence: Decodable {
        var voice: String
        var index: Int
        /// WAV files beside the set, from the first sound of the clause to the last.
        var first: String
        var second: String
    }

    struct Other: Decodable {
        var name: String
        var file: String
    }

    var sentences: [Sentence]
    var others: [Other]

    static func read(_ path: String) throws -> TurnSet {
        guard let bytes = try? Data(contentsOf: URL(filePath: path)),
            let set = OutsideJSON.decode(TurnSet.self, from: bytes, atMost: 1 << 20)
        else { throw BenchProblem("\(path) is no set of sentences") }
        return set
    }
}

/// One thing to be heard, and what is known of it. Times are milliseconds from its beginning.
struct TurnSound {
    /// Whoever speaks, and how long he pauses: what is learned of one says nothing of the next.
    var talker: String
    var voice: String
    /// In dBFS.
    var noise: Int
    var pause: Int
    /// Its number; nil for what is no speech.
    var sentence: Int?
    /// The end of the first clause, the beginning of the second, the end of all words.
    var pauseFrom = 0
    var pauseTo = 0
    var end = 0
    /// 48 kHz.
    var samples: [Float] = []

    /// Silence before the words, and behind them: longer than the longest wait.
    private static let lead = 1000
    private static let tail = 2800
    private static let perMillisecond = AudioFormat.deviceRate / 1000

    /// - Parameter noise: level of white noise all the way, in dBFS.
    init(_ sentence: TurnSet.Sentence, pause: Int, noise: Int, in folder: String) throws {
        talker = "\(sentence.voice) \(noise) \(pause)"
        voice = sentence.voice
        self.noise = noise
        self.pause = pause
        self.sentence = sentence.index
        let first = try WaveFile.read(folder + "/" + sentence.first)
        let second = try WaveFile.read(folder + "/" + sentence.second)
        func silence(_ milliseconds: Int) -> [Float] { Array(repeating: 0, count: milliseconds * Self.perMillisecond) }
        pauseFrom = Self.lead + first.count / Self.perMillisecond
        pauseTo = pauseFrom + pause
        end = pauseTo + second.count / Self.perMillisecond
        samples = silence(Self.lead) + first + silence(pause) + second + silence(Self.tail)
        var random = SplitMix(seed: UInt64(sentence.index + 1))
        // Of an even distribution the level is a third of its square.
        let peak = powf(10, Float(noise) / 20) * Float(3).squareRoot()
        for index in samples.indices { samples[index] += Float.random(in: -peak...peak, using: &random) }
    }

    init(_ other: TurnSet.Other, in folder: String) throws {
        talker = other.name
        voice = other.name
        noise = 0
        pause = 0
        samples = try WaveFile.read(folder + "/" + other.file)
        end = samples.count / Self.perMillisecond
    }

    /// Which of the words these milliseconds hold: the same text serves for the same words, whatever the pause before or
    /// behind them.
    func words(in range: Range<Int>) -> String {
        guard let sentence else { return "\(voice) \(range)" }
        // The detector may be late by a few steps.
        let late = 60
        let part =
            if pause > 0, range.upperBound < pauseTo + late {
                "first \(range.count / 150)"
            } else if pause > 0, range.lowerBound > pauseFrom - late {
                "second \(range.count / 150)"
            } else {
                // So long before the end of all words.
                "whole \(max(0, end - range.upperBound) / 150)"
            }
        return "\(voice) \(noise) \(sentence) \(part)"
    }
}
