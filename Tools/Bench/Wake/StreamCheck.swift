internal import Glibc
import VoiceActivation
import VoiceAudio
import VoiceBase
import VoiceConversation
import VoiceCore

/// Measures words on the streams of `scripts/wake-streams`: how many calls are found, how late, what is mistaken for
/// one, and the cost. Uses the same recogniser as the daemon.
///
///     VoiceBench wake --streams FOLDER --tflite FOLDER --words "hey jarvis" [--group voices]
///     VoiceBench wake --streams FOLDER --words "hey jarvis" [--threshold -20]      PocketSphinx
///     ... --stops        stop words, by PocketSphinx
struct StreamCheck {
    /// One line of streams-*.json.
    struct Stream: Decodable {
        var file: String
        var name: String
        var seconds: Double
        /// The times at which the words end, in seconds.
        var ends: [Double]
        var group: String
        var kind: String
        var playing: Bool?
    }

    struct Tally {
        var calls = 0
        var found = 0
        var others = 0
        var nearMisses = 0
        var refused: [String] = []
        /// Times from the end of the word, in milliseconds.
        var delays: [Int] = []
        var seconds = 0.0
        var cpu = 0.0
    }

    /// The targets.
    private static let goal = """
        goal: 97 of 100 found in quiet, 90 in babble 10 dB down and while the box speaks, 0.1 false an hour, 10 ms of CPU a second of \
        sound, 250 ms
        """
    /// Latest and earliest time of a detection, relative to the end of its word, in seconds.
    private static let late = 1.5
    private static let early = -0.5

    let folder: String
    let words: WakeWords
    let models: WakeModelFolder?
    let group: String
    let findsStops: Bool

    /// Returns nil if the arguments are for another command.
    init?(_ arguments: [String]) {
        guard arguments.first == "wake" else { return nil }
        func value(_ name: String) -> String? {
            arguments.firstIndex(of: name).flatMap { arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil }
        }
        let activation = Configuration().activation
        let threshold = value("--threshold").flatMap { Double($0) } ?? Configuration.Activation.threshold
        findsStops = arguments.contains("--stops")
        let stops = findsStops ? activation.stopWords : ""
        guard let folder = value("--streams"),
            let words = try? WakeWords(wake: value("--words") ?? "hey jarvis", stop: stops, threshold: threshold)
        else { return nil }
        self.folder = folder
        self.words = findsStops ? words.stops : words
        models = value("--tflite").map { WakeModelFolder(path: $0) }
        group = value("--group") ?? "report"
    }

    func run() throws {
        let parts = ["calls", "others"]
        let streams = try parts.flatMap { try Self.read(folder + "/streams-\($0).json") }.filter { $0.group == group }
        var spent = Tally()
        for stream in streams where !stream.ends.isEmpty && (stream.kind == "stop") == findsStops {
            let tally = try measure(stream)
            print("| \(stream.name) | \(Self.text(tally)) |")
            spent.seconds += tally.seconds
            spent.cpu += tally.cpu
        }
        var hours: [String: (hours: Double, others: Int, near: Int)] = [:]
        for stream in streams where stream.ends.isEmpty {
            let tally = try measure(stream)
            var sum = hours[stream.kind] ?? (0, 0, 0)
            sum = (sum.hours + tally.seconds / 3600, sum.others + tally.others, sum.near + tally.nearMisses)
            hours[stream.kind] = sum
            spent.seconds += tally.seconds
            spent.cpu += tally.cpu
        }
        for (kind, sum) in hours.sorted(by: { $0.key < $1.key }) {
            print("| \(kind), \(Self.tenths(sum.hours)) hours | \(sum.others) false, \(sum.near) near misses |")
        }
        print("| CPU for a second of sound | \(Self.tenths(1000 * spent.cpu / max(spent.seconds, 1))) ms |")
        print(Self.goal)
    }

    private static func read(_ path: String) throws -> [Stream] {
        guard let bytes = try? FileReader.system.read(path, 4 << 20).bytes else { return [] }
        guard let streams = OutsideJSON.decode([Stream].self, from: bytes, atMost: 4 << 20, values: .max) else {
            throw BenchProblem("\(path) is none of wake-streams")
        }
        return streams
    }

    private func makeRecogniser() throws -> WakeWordRecogniser {
        let detector: any WakeWordDetector =
            if let models { try TFLiteSpotter(words, in: models, trial: .none) } else {
                try SphinxSpotter(words, model: Configuration().activation.sphinxModel)
            }
        return WakeWordRecogniser(detector, rule: WakeRule(words: words))
    }

    /// The canceller's judgement in each 10 ms of a stream in which the box speaks, from the record of its gate.
    private func talkers(_ stream: Stream) -> [EchoTalker] {
        let path = folder + "/" + stream.name + ".gate.csv"
        guard let bytes = try? FileReader.system.read(path, 64 << 20).bytes else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().map { line in
            line.split(separator: ",").last.flatMap { Int($0) }.flatMap { EchoTalker(rawValue: $0) } ?? .unknown
        }
    }

    private func measure(_ stream: Stream) throws -> Tally {
        let talkers = talkers(stream)
        let samples = try WakeRecording.read(folder + "/" + stream.file)
        let recogniser = try makeRecogniser()
        recogniser.detector.listen(for: .stop)
        var tally = Tally(calls: stream.ends.count, seconds: stream.seconds)
        var left = stream.ends
        let began = Self.cpu()
        let block = WakeRecording.rate / 25
        for start in stride(from: 0, through: samples.count - block, by: block) {
            let at = Double(start + block) / Double(WakeRecording.rate)
            let reports = try samples[start..<start + block].withUnsafeBufferPointer { piece in
                let now = Duration.milliseconds(3_600_000 + Int(at * 1000))
                return try recogniser.process(
                    piece, listening: .stop, isPlaying: stream.playing ?? false,
                    talker: talkers.isEmpty ? .heard : talkers[min(talkers.count - 1, Int(at * 100))], at: now
                )
            }
            for report in reports {
                switch report.verdict {
                case .call, .stop:
                    if let index = left.firstIndex(where: { (Self.early...Self.late).contains(at - $0) }) {
                        tally.found += 1
                        tally.delays.append(Int(((at - left.remove(at: index)) * 1000).rounded()))
                    } else {
                        tally.others += 1
                    }
                case .nearMiss: tally.nearMisses += 1
                case .refused(_, let reason): tally.refused.append(reason.text)
                case .speaksOn, .nothing: break
                }
            }
        }
        tally.cpu = Self.cpu() - began
        return tally
    }

    private static func text(_ tally: Tally) -> String {
        let delays = tally.delays.sorted()
        let median = delays.quantile(0.5).map { "\($0)" } ?? "-"
        let most = delays.quantile(0.95).map { "\($0)" } ?? "-"
        let refused =
            tally.refused.isEmpty
            ? "" : ", \(tally.refused.count) refused (\(tally.refused.prefix(3).joined(separator: "; ")))"
        return
            "\(tally.found) of \(tally.calls) (\(tenths(100 * Double(tally.found) / Double(max(1, tally.calls)))) %) | "
            + "\(tally.others) | \(median) / \(most) / \(delays.last.map { "\($0)" } ?? "-") ms | \(tally.nearMisses) near misses\(refused)"
    }

    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private static func cpu() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
