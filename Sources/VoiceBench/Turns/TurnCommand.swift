import FoundationEssentials
import VoiceAudio
import VoiceBase
import VoiceConversation
import VoiceCore

/// Measures when turns count as finished: every rule on the same audio, faster than real time.
///
///     VoiceBench turns SET --texts FILE --results FILE [--recogniser HOST:PORT] [--recognises MS] [--only others]
///
/// SET is made by `scripts/turn-curve`. The audio passes through the canceller, whose detector the rules use. What the
/// rules want recognised goes to the recogniser, once for the same words whatever the pause; its text is available
/// after MS (350), however long it took. The results are JSON, one line for each rule and sound. Nothing is played:
/// there is no echo, and an answer is an event without audio.
struct TurnCommand {
    static let pauses = [0, 200, 300, 400, 500, 600, 800, 1000, 1200]
    private static let noises = [-65, -45]

    private let set: String?
    private let texts: String?
    private let results: String?
    private let recogniser: String?
    private let recognises: Int
    private let hasSentences: Bool

    /// Returns nil if the arguments are for another command.
    init?(_ arguments: [String]) {
        guard arguments.first == "turns" else { return nil }
        var values: [String: String] = [:]
        var rest = arguments.dropFirst()
        while let word = rest.popFirst() {
            if word.hasPrefix("--"), let value = rest.popFirst() { values[word] = value } else { values["set"] = word }
        }
        set = values["set"]
        texts = values["--texts"]
        results = values["--results"]
        recogniser = values["--recogniser"]
        recognises = values["--recognises"].flatMap { Int($0) } ?? 350
        hasSentences = values["--only"] != "others"
    }

    func run() async throws {
        guard let set, let texts, let results else {
            throw BenchProblem("usage: VoiceBench turns SET --texts FILE --results FILE [--recogniser HOST:PORT]")
        }
        let folder = String(set.reversed().drop { $0 != "/" }.dropFirst().reversed())
        let sounds = try TurnSet.read(set)
        let known = try TurnTexts(recogniser: recogniser, path: texts)
        var lines = ""
        // Written after each group, so that an aborted run keeps its results.
        func write() throws {
            try known.write()
            try Data(lines.utf8).write(to: URL(filePath: results))
        }
        func note(_ outcomes: [TurnOutcome]) throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            for outcome in outcomes { lines += String(decoding: try encoder.encode(outcome), as: UTF8.self) + "\n" }
        }
        for other in sounds.others {
            var hearing = try Hearing(TurnRule.ours, recognises: recognises / 10)
            try note(try await hearing.hear(try TurnSound(other, in: folder), known))
            try write()
        }
        guard hasSentences else { return }
        for noise in Self.noises {
            for voice in sounds.sentences.map(\.voice).uniqued() {
                var hearing = try Hearing(TurnRule.all, recognises: recognises / 10)
                for pause in Self.pauses {
                    for sentence in sounds.sentences where sentence.voice == voice {
                        let sound = try TurnSound(sentence, pause: pause, noise: noise, in: folder)
                        try note(try await hearing.hear(sound, known))
                    }
                    try write()
                }
            }
        }
    }
}

/// A room in which all rules hear the same audio.
private struct Hearing {
    private let engine: ProductEngine
    private let ear = LocalEar(tellsVoices: true)
    private var runs: [TurnRun]

    init(_ rules: [TurnRule], recognises: Int) throws {
        engine = try ProductEngine(delay: ReportedDelay())
        runs = rules.map { TurnRun($0, recognises: recognises) }
    }

    /// - Returns: the outcome for each rule.
    mutating func hear(_ sound: TurnSound, _ texts: TurnTexts) async throws -> [TurnOutcome] {
        var steps: [HeardStep] = []
        // All audio that could be sent to the recogniser; the ear itself keeps half a minute.
        var heard: [Int16] = []
        let ear = ear
        engine.heard = { chunk in
            steps.append(ear.take(chunk))
            let step = ear.samples / LocalEar.step
            heard += ear.sound(of: step - 1..<step, gain: 1)
        }
        let frames = AudioFormat.periodFrames
        let silence = [Float](repeating: 0, count: frames)
        var output = [Float](repeating: 0, count: engine.outputRate / 100)
        sound.samples.withUnsafeBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            for start in stride(from: 0, through: samples.count - frames, by: frames) {
                engine.process(far: silence, microphone: base + start, into: &output)
            }
        }
        engine.heard = nil
        var outcomes: [TurnOutcome] = []
        for index in runs.indices {
            outcomes.append(
                try await runs[index].hear(sound, steps) { range in
                    try await texts.text(of: sound.words(in: range.lowerBound * 10..<range.upperBound * 10)) {
                        let first = max(0, range.lowerBound) * LocalEar.step
                        return LocalEar.levelled(Array(heard[first..<range.upperBound * LocalEar.step]))
                    }
                }
            )
        }
        return outcomes
    }
}

extension Array where Element: Hashable {
    fileprivate func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
