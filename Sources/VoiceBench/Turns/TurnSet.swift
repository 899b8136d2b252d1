import FoundationEssentials
import Glibc
import VoiceAudio
import VoiceBase
import VoiceSimulator

/// Sentences of two clauses, to be joined with any pause, and sounds that are not speech; made by `scripts/turn-curve`.
struct TurnSet: Decodable {
    struct Sentence: Decodable {
        var voice: String
        var index: Int
        /// WAV files in the set's folder, from the first audible sample of the clause to the last.
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

/// A sound to hear, and its ground truth. Times are in milliseconds from its beginning.
struct TurnSound {
    /// The talker, including the noise and the length of the pause: what is learned of one does not apply to the next.
    var talker: String
    var voice: String
    /// Noise level, in dBFS.
    var noise: Int
    var pause: Int
    /// The number of the sentence; nil if the sound is not speech.
    var sentence: Int?
    /// The end of the first clause, the beginning of the second, the end of all words.
    var pauseFrom = 0
    var pauseTo = 0
    var end = 0
    /// Samples at 48 kHz.
    var samples: [Float] = []

    /// Silence before the words and after them; the latter is longer than the longest wait.
    private static let lead = 1000
    private static let tail = 2800
    private static let perMillisecond = AudioFormat.deviceRate / 1000

    /// - Parameter noise: level of white noise throughout, in dBFS.
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
        // The mean square of a uniform distribution is a third of its squared peak.
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

    /// A key for the words in this range of milliseconds. The same words have the same text, whatever the pause before
    /// or after them.
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
                // Identified by the distance from the end of all words.
                "whole \(max(0, end - range.upperBound) / 150)"
            }
        return "\(voice) \(noise) \(sentence) \(part)"
    }
}
