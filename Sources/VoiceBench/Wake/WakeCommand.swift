import CDSP
internal import Glibc
import VoiceActivation
import VoiceBase
import VoiceConfiguration
import VoiceCore
import VoiceSimulator

/// Measures the recognition of words on this machine, with synthesised or natural voices.
///
///     VoiceBench wake [--words "computer"] [--threshold -35] [--talk-minutes 20]
///     VoiceBench wake --wyoming 127.0.0.1:10400 --words hey_jarvis [--pace 4] [--talk-minutes 20]
///     VoiceBench wake --tflite FOLDER --words "hey jarvis"    the folder is that of `jarvis-voiced wake install`
///     VoiceBench wake ... --talk-only        false alarms, without the calls
///     VoiceBench wake ... --set FOLDER       calls and talk of `voices/wake/make-set`, not of espeak-ng
///     VoiceBench wake ... --streams FOLDER   the sound of `scripts/wake-streams`, see `StreamCheck`
///     VoiceBench wake ... --scores FILE.wav  each score of openWakeWord's models, for `scripts/wake-golden`
///
/// With `--wyoming` a server detects the words: it receives the audio at `--pace` times real time, and a detection
/// counts at the time of its report, so that the times from the end of the word include the server's own, multiplied by
/// `--pace`.
///
/// Each condition is one stream: every voice says the word and continues with a sentence, over a background. Then
/// follow hours of talk without the word, from the dictionary's own words. `espeak-ng` speaks; it is further from a
/// human voice than the models expect, so that the figures are comparable with each other but promise nothing. The
/// models of microWakeWord detect nothing in it.
struct WakeCommand {
    private static let voices = [
        "en-us", "en-gb", "en-gb-scotland", "en-us+f3", "en-us+m3", "en-gb+f4", "en-us+m7", "en-gb+m5",
    ]
    private static let sentences = [
        "What time is it?", "Play some music in the kitchen.", "How warm will it be tomorrow?", "Turn the lights off.",
    ]
    private static let model = "/usr/share/pocketsphinx/model/en-us"

    private let words: WakeWords
    private let word: String
    private let minutes: Int
    /// The words as spoken: a server's model is named with underscores.
    private var spoken: String { word.split(separator: "_").joined(separator: " ") }
    /// The server that detects the words, or the folder of the models that do; nil for PocketSphinx.
    private let wyoming: String?
    private let models: WakeModelFolder?
    private let set: String?
    private let pace: Double
    private let isTalkOnly: Bool
    private let streams: StreamCheck?
    private let recording: String?

    /// Returns nil if the arguments are for another command.
    init?(_ arguments: [String]) {
        guard arguments.first == "wake" else { return nil }
        func value(_ name: String) -> String? {
            arguments.firstIndex(of: name).flatMap { arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil }
        }
        let threshold = value("--threshold").flatMap { Double($0) } ?? Configuration().activation.threshold
        let list = value("--words") ?? "computer"
        let stops = arguments.contains("--stops") ? Configuration().activation.stopWords : ""
        guard let words = try? WakeWords(wake: list, stop: stops, threshold: threshold) else { return nil }
        self.words = words
        word = words.words[0].text
        minutes = value("--talk-minutes").flatMap { Int($0) } ?? 20
        wyoming = value("--wyoming")
        models = value("--tflite").map { WakeModelFolder(path: $0) }
        set = value("--set")
        let reading = Self.reading(value("--similar"), value("--recogniser"), words)
        guard value("--similar") == nil || reading != nil else { return nil }
        streams = value("--streams").map {
            StreamCheck(
                folder: $0,
                words: stops.isEmpty ? words : words.stops,
                models: value("--tflite").map { WakeModelFolder(path: $0) },
                second: value("--second"),
                reading: reading,
                mostCalls: value("--most-calls").flatMap { Int($0) } ?? 1000,
                looks: !arguments.contains("--no-look"),
                group: value("--group") ?? "report",
                findsStops: !stops.isEmpty,
                mostHours: value("--most-hours").flatMap { Double($0) } ?? 1000,
                tellsDetails: arguments.contains("--details")
            )
        }
        recording = value("--scores")
        isTalkOnly = arguments.contains("--talk-only")
        pace = max(0.1, value("--pace").flatMap { Double($0) } ?? 4)
    }

    private static func reading(_ similar: String?, _ recogniser: String?, _ words: WakeWords) -> CallReading? {
        var configuration = Configuration()
        if let recogniser { configuration.local.recogniser = recogniser }
        guard let similar, let list = try? SimilarWords(similar, beside: words.calls.words.map(\.text)),
            let settings = try? LocalSettings(configuration)
        else { return nil }
        return CallReading(list, by: WyomingCallReader(settings))
    }

    func run() throws {
        if let streams { return try streams.run() }
        if let recording { return try printScores(of: recording) }
        let engine =
            wyoming.map { "Wyoming at \($0), \(pace) times as fast" } ?? models.map { "models of \($0.path)" }
            ?? "PocketSphinx, threshold \(words.words[0].threshold)"
        print("word \"\(word)\", \(engine)")
        let natural = try set.map { try NaturalSet(folder: $0) }
        let talk = try natural == nil ? Talk(voices: Self.voices) : nil
        let minute: (Int) throws -> [Float]? = { minute in
            if let talk { return try talk.fresh(voice: minute, seconds: 60, without: spoken) }
            guard let all = natural?.talk, all.count >= (minute + 1) * Self.minute else { return nil }
            return Array(all[minute * Self.minute..<(minute + 1) * Self.minute])
        }
        if isTalkOnly { return try countFalseAlarms(minute) }
        let calls = try natural?.calls ?? makeCalls()
        print("\(calls.count) calls")
        let babble = try natural?.babble(seconds: 400) ?? talk?.babble(seconds: 400) ?? []
        for (name, background) in [("babble", babble), ("music", Music.samples(seconds: 400))] {
            for ratio in [nil, 20, 10, 5] as [Double?] {
                if ratio == nil, name == "music" { continue }
                let result = try detect(calls, over: background, ratio: ratio)
                print("\(ratio.map { "\(name) \(Int($0)) dB below" } ?? "quiet room"): \(result)")
            }
        }
        for level in [0.0, 10] {
            let voice = try natural?.talk ?? talk?.single(seconds: 400) ?? []
            let result = try detectWhileSpeaking(calls, voice, ratio: level)
            print("while the box speaks, its echo \(Int(level)) dB below the talker: \(result)")
        }
        if let near = natural?.near {
            let result = try score(near.flatMap { [Float](repeating: 0, count: 24_000) + $0 }, ends: [])
            print("\(near.count) words that are nearly it: \(result.falseAlarms) taken for it")
        }
        try countFalseAlarms(minute)
    }

    private static let minute = 60 * 24_000

    // MARK: Calls

    private func makeCalls() throws -> [WakeCall] {
        try Self.voices.flatMap { voice in
            try Self.sentences.map { sentence in
                let called = try Espeak.samples(voice, spoken + ".", loudness: 0.05)
                let rest = try Espeak.samples(voice, sentence, loudness: 0.05)
                let end = called.lastIndex { abs($0) > 0.005 } ?? called.count
                return WakeCall(samples: called + rest, wordEnd: end)
            }
        }
    }

    private struct Outcome: CustomStringConvertible {
        var calls = 0
        var found = 0
        var latencies: [Int] = []
        var falseAlarms = 0
        var scores: [Double] = []

        var description: String {
            let sorted = latencies.sorted()
            let median = sorted.quantile(0.5).map { "\($0)" } ?? "-"
            let worst = sorted.last.map { "\($0)" } ?? "-"
            return "\(found) of \(calls) found, \(falseAlarms) false, "
                + "from the end of the word: median \(median) ms, longest \(worst) ms"
        }
    }

    /// - Parameter ratio: level of the background below the talker, in dB; nil for no background.
    private func detect(_ calls: [WakeCall], over background: [Float], ratio: Double?) throws -> Outcome {
        let (stream, ends) = Self.stream(calls)
        let gain = ratio.map { Float(pow(10, -$0 / 20)) * 0.05 / Espeak.loudness(background) } ?? 0
        return try score(Self.mix(stream, background, gain), ends: ends)
    }

    private func detectWhileSpeaking(_ calls: [WakeCall], _ voice: [Float], ratio: Double) throws -> Outcome {
        let (stream, ends) = Self.stream(calls)
        let far = Espeak.upsample(stream.indices.map { voice[$0 % voice.count] })
        let near = Espeak.upsample(stream)
        let engine = try ProductEngine(delay: ReportedDelay(), isForWords: true)
        let gain = Float(pow(10, -ratio / 20)) * 0.05 / Espeak.loudness(voice)
        var output = [Float](repeating: 0, count: near.count / 480 * 240)
        var microphone = [Float](repeating: 0, count: 480)
        // A delay of 20 ms and three reflections.
        let path = [(960, Float(1)), (1290, -0.4), (2110, 0.25), (3700, 0.1)]
        for period in 0..<min(near.count, far.count) / 480 {
            for index in 0..<480 {
                let place = period * 480 + index
                let echo = path.reduce(Float(0)) { place >= $1.0 ? $0 + far[place - $1.0] * $1.1 : $0 }
                microphone[index] = near[place] + echo * gain + Float.random(in: -0.0005...0.0005)
            }
            far.withUnsafeBufferPointer { far in
                output.withUnsafeMutableBufferPointer { output in
                    guard let far = far.baseAddress, let output = output.baseAddress else { return }
                    engine.process(far: far + period * 480, microphone: microphone, into: output + period * 240)
                }
            }
        }
        return try score(output, ends: ends, isPlaying: true)
    }

    /// Joins the calls, with one second of silence before each.
    private static func stream(_ calls: [WakeCall]) -> (samples: [Float], ends: [Int]) {
        var stream = [Float](repeating: 0, count: 48_000)
        var ends: [Int] = []
        for call in calls {
            stream += [Float](repeating: 0, count: 24_000)
            ends.append(stream.count + call.wordEnd)
            stream += call.samples
        }
        return (stream + [Float](repeating: 0, count: 48_000), ends)
    }

    private static func mix(_ stream: [Float], _ background: [Float], _ gain: Float) -> [Float] {
        stream.indices.map {
            stream[$0] + background[$0 % background.count] * gain + Float.random(in: -0.0005...0.0005)
        }
    }

    /// - Parameter ends: where the words end, in samples at 24 kHz; a detection counts from 0.2 s before to 1.5 s
    ///   after.
    private func score(_ stream: [Float], ends: [Int], isPlaying: Bool = false) throws -> Outcome {
        let margin = isPlaying ? Configuration().activation.playingMargin : 0
        var rule = WakeRule(words: words, playingMargin: margin, refractory: .seconds(2))
        var outcome = Outcome(calls: ends.count)
        var left = ends
        try spot(stream) { candidate, place in
            let at = Duration.milliseconds(60_000 + place / 24)
            guard case .call = rule.judge(candidate, listening: .wake, isPlaying: isPlaying, at: at) else { return }
            if let index = left.firstIndex(where: { (-4800...36_000).contains(place - $0) }) {
                outcome.found += 1
                outcome.latencies.append((place - left.remove(at: index)) / 24)
            } else {
                outcome.falseAlarms += 1
            }
        }
        return outcome
    }

    /// Feeds 24 kHz samples, 40 ms at a time; reports the position of each detection.
    private func spot(_ stream: [Float], found: (WakeCandidate, Int) -> Void) throws {
        let spotter: any WakeWordDetector =
            if let wyoming {
                try WyomingDetector(address: wyoming, words: words)
            } else if let models {
                try TFLiteSpotter(words, in: models, trial: .none)
            } else {
                try SphinxSpotter(words, model: Self.model)
            }
        let began = Monotonic.now()
        var decimator = TwoThirdsDecimator()
        var output = [Int16](repeating: 0, count: 640)
        for start in stride(from: 0, through: stream.count - 960, by: 960) {
            if wyoming != nil {
                let due = began + .milliseconds(Int(Double(start / 24) / pace))
                let early = (due - Monotonic.now()).fractionalMilliseconds
                if early > 0 { usleep(UInt32(early * 1000)) }
            }
            let block = stream[start..<start + 960].map { Int16(max(-32_768, min(32_767, $0 * 32_768))) }
            output.withUnsafeMutableBufferPointer { output in
                guard let base = output.baseAddress else { return }
                decimator.process(block, count: 960, into: base)
            }
            for candidate in try output.withUnsafeBufferPointer({ try spotter.process($0) }) {
                found(candidate, start + 960)
            }
        }
    }

    /// One for each run of the models: behind 480 samples, then every 1280.
    private func printScores(of file: String) throws {
        guard let models else { throw BenchProblem("--scores wants --tflite FOLDER") }
        let samples = try WakeRecording.read(file)
        let spotter = try TFLiteSpotter(words, in: models, trial: .none)
        var start = 0
        while start + 1280 <= samples.count {
            let end = start + (start == 0 ? 480 : 1280)
            _ = try samples[start..<end].withUnsafeBufferPointer { try spotter.process($0) }
            print(spotter.scores.map { "\($0.score)" }.joined(separator: " "))
            start = end
        }
    }

    // MARK: False alarms

    private func countFalseAlarms(_ minuteOfTalk: (Int) throws -> [Float]?) throws {
        guard minutes > 0 else { return }
        var rule = WakeRule(words: words, playingMargin: 0, refractory: .seconds(2))
        var alarms = 0
        var misses = 0
        var speech = 0
        var spotting = 0.0
        for minute in 0..<minutes {
            guard let samples = try minuteOfTalk(minute) else { break }
            speech += samples.count
            let before = Self.cpu()
            try spot(samples.map { $0 + Float.random(in: -0.0005...0.0005) }) { candidate, place in
                let at = Duration.seconds(60 * (minute + 1)) + .milliseconds(place / 24)
                switch rule.judge(candidate, listening: .wake, isPlaying: false, at: at) {
                case .call: alarms += 1
                case .nearMiss: misses += 1
                default: break
                }
            }
            spotting += Self.cpu() - before
        }
        let hours = Double(speech) / 24_000 / 3600
        print(
            "talk without the word, \(Int(hours * 60)) minutes: \(alarms) false alarms "
                + "(\(Int((Double(alarms) / hours).rounded())) an hour of talk), \(misses) near misses; "
                + "\(Int((spotting / (hours * 3600) * 1000).rounded())) ms of CPU for a second of sound, with its preparation"
        )
    }

    private static func cpu() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
