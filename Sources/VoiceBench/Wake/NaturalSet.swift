import VoiceBase
import VoiceSimulator

/// A call at 24 kHz, full scale 1, and the sample at which its word ends.
struct WakeCall {
    var samples: [Float]
    var wordEnd: Int
}

/// Calls and other talk by natural voices, as made by `voices/wake/make-set`: WAV files and a set.json.
struct NaturalSet {
    private struct Index: Decodable {
        struct File: Decodable {
            var file: String
            var kind: String
            var background: String
            var word_end: Double?
        }

        var files: [File]
    }

    let calls: [WakeCall]
    /// Words that are similar to the wake word.
    let near: [[Float]]
    let talk: [Float]

    init(folder: String) throws {
        let text = try FileReader.system.read(folder + "/set.json", 16 << 20).bytes
        guard let index = OutsideJSON.decode(Index.self, from: text, atMost: 16 << 20) else {
            throw BenchProblem("\(folder)/set.json is none of make-set")
        }
        func samples(_ file: Index.File) throws -> [Float] {
            let bytes = try FileReader.system.read(folder + "/" + file.file, 1 << 30).bytes
            guard let wave = MonoWave.parse(bytes) else { throw BenchProblem("\(file.file) is no WAV file") }
            let samples = SpokenVoice.resample(wave.samples, from: wave.rate, to: 24_000).map { Float($0) / 32_768 }
            let gain = 0.05 / max(Espeak.loudness(samples), 1e-6)
            return samples.map { $0 * gain }
        }
        let quiet = index.files.filter { $0.background == "quiet" }
        calls = try quiet.filter { $0.kind == "call" }.map {
            WakeCall(samples: try samples($0), wordEnd: Int(($0.word_end ?? 0) * 24_000))
        }
        near = try quiet.filter { $0.kind == "near" }.map(samples)
        guard let longest = quiet.first(where: { $0.kind == "talk" }) else {
            throw BenchProblem("\(folder) has no talk: make-set --talk-minutes")
        }
        talk = try samples(longest)
    }

    /// The talk from six positions at once.
    func babble(seconds: Int) -> [Float] {
        (0..<seconds * 24_000).map { index in
            (0..<6).reduce(Float(0)) { $0 + talk[(index + $1 * talk.count / 6) % talk.count] / 2.4 }
        }
    }
}
