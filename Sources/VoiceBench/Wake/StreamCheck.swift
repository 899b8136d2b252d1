internal import Glibc
import VoiceActivation
import VoiceBase
import VoiceConfiguration
import VoiceConversation
import VoiceCore

/// Measures words on the streams of `scripts/wake-streams`: how many calls are found, how late, what is mistaken for
/// one, and the cost. Uses the same ear as the daemon, including the second look.
///
///     VoiceBench wake --streams FOLDER --tflite FOLDER --words "hey jarvis" [--second FOLDER] [--no-look] [--group dev]
///     VoiceBench wake --streams FOLDER --words "hey jarvis" [--threshold -20]      PocketSphinx
///     ... --similar "janice, travis" --recogniser 127.0.0.1:10300 [--most-calls 50]       calls are read; the time of reading is
///                        given by itself, and is in no other
///     ... --stops        stop words, by PocketSphinx
///     ... --details      a line for each find, and the highest score of each call
///     ... --most-hours N of audio without calls
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
        /// Times of reading a call, in milliseconds.
        var readings: [Int] = []
        var unread = 0
    }

    /// Measures how long calls are read.
    private final class TimedReader: CallReader {
        private let reader: any CallReader
        var times: [Int] = []

        init(_ reader: any CallReader) { self.reader = reader }

        var result: Result<String, WakeWordError>? { reader.result }

        func read(_ sound: [Int16]) {
            let began = Monotonic.now()
            reader.read(sound)
            times.append((Monotonic.now() - began).wholeMilliseconds)
        }

        func abandon() { reader.abandon() }
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
    let second: String?
    let reading: CallReading?
    /// How many calls of each stream are judged.
    let mostCalls: Int
    let looks: Bool
    let group: String
    let findsStops: Bool
    let mostHours: Double
    let tellsDetails: Bool

    func run() throws {
        let parts = ["calls", "others", "speaking", "near"]
        let streams = try parts.flatMap { try Self.read(folder + "/streams-\($0).json") }.filter { $0.group == group }
        var spent = Tally()
        for stream in streams where !stream.ends.isEmpty && (stream.kind == "stop") == findsStops {
            let tally = try measure(stream)
            print("| \(stream.name) | \(Self.text(tally)) |")
            spent.seconds += tally.seconds
            spent.cpu += tally.cpu
        }
        for stream in streams where stream.kind == "near" && !findsStops {
            let tally = try measure(stream)
            print(
                "| \(stream.name) | \(tally.others) taken for it, \(tally.refused.count) refused\(Self.readings(tally)) |"
            )
        }
        var hours: [String: (hours: Double, others: Int, near: Int)] = [:]
        for stream in streams where stream.ends.isEmpty && stream.kind != "near" {
            guard hours.values.reduce(0, { $0 + $1.hours }) < mostHours else { break }
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

    /// What became of each call, and what else was found.
    private struct Details {
        private let name: String?
        private let ends: [Double]
        private var best: [Double]
        private var lines: [String] = []
        private var sound = RecentSound()

        init(ends: [Double], name: String?) {
            self.ends = ends
            self.name = name
            best = ends.map { _ in 0 }
        }

        mutating func take(_ piece: UnsafeBufferPointer<Int16>) {
            if name != nil { sound.take(piece) }
        }

        mutating func take(_ scores: [WakeScore], _ reports: [WakeReport], at: Double) {
            guard name != nil else { return }
            let index = ends.firstIndex { (StreamCheck.early...StreamCheck.late).contains(at - $0) }
            if let index { best[index] = max(best[index], scores.map(\.score).max() ?? 0) }
            for report in reports {
                let evidence = sound.evidence.map {
                    "\(StreamCheck.tenths($0.level)) dBFS, \(StreamCheck.tenths($0.overNoise)) over noise, \($0.voiceMilliseconds) ms"
                }
                let call = index.map { "call \($0), \(Int(((at - ends[$0]) * 1000).rounded())) ms" } ?? "no call"
                lines.append("\(StreamCheck.tenths(at)) s: \(report.verdict), \(call), \(evidence ?? "-")")
            }
        }

        func print() {
            guard let name else { return }
            for line in lines { Swift.print("\(name): \(line)") }
            for (index, best) in best.enumerated() { Swift.print("\(name): best of call \(index): \(best.asScore)") }
        }
    }

    private static func read(_ path: String) throws -> [Stream] {
        guard let bytes = try? FileReader.system.read(path, 4 << 20).bytes else { return [] }
        guard let streams = OutsideJSON.decode([Stream].self, from: bytes, atMost: 4 << 20) else {
            throw BenchProblem("\(path) is none of wake-streams")
        }
        return streams
    }

    private func makeEar(_ reading: CallReading?) throws -> WakeWordRecogniser {
        let detector: any WakeWordDetector =
            if let models { try TFLiteSpotter(words, in: models, trial: .none) } else {
                try SphinxSpotter(words, model: Configuration().activation.sphinxModel)
            }
        let asked = try second.map {
            try SecondModels(words, in: $0, library: models?.library ?? "", trial: .none)
        }
        let activation = Configuration().activation
        let rule = WakeRule(
            words: words,
            playingMargin: activation.playingMargin,
            refractory: .milliseconds(activation.refractoryMS)
        )
        return WakeWordRecogniser(
            detector,
            rule: rule,
            look: looks ? SecondLook() : nil,
            models: asked,
            reading: reading
        )
    }

    private func measure(_ stream: Stream) throws -> Tally {
        let samples = try WakeRecording.read(folder + "/" + stream.file)
        let timed = reading.map { TimedReader($0.inNoHurry.reader) }
        let ear = try makeEar(timed.flatMap { timed in reading.map { CallReading($0.similar, by: timed) } })
        ear.detector.listen(for: .stop)
        var tally = Tally(calls: min(mostCalls, stream.ends.count), seconds: stream.seconds)
        var left = stream.ends
        var details = Details(ends: stream.ends, name: tellsDetails ? stream.name : nil)
        let began = Self.cpu()
        let block = WakeRecording.rate / 25
        for start in stride(from: 0, through: samples.count - block, by: block) {
            let at = Double(start + block) / Double(WakeRecording.rate)
            if tally.calls > 0, at > (stream.ends.prefix(tally.calls).last ?? 0) + Self.late {
                tally.seconds = at
                break
            }
            let reports = try samples[start..<start + block].withUnsafeBufferPointer { piece in
                let now = Duration.milliseconds(3_600_000 + Int(at * 1000))
                details.take(piece)
                return try ear.take(piece, listening: .stop, isPlaying: stream.playing ?? false, at: now)
            }
            if ear.unread != nil, reports.contains(where: { $0.late > 0 }) { tally.unread += 1 }
            details.take(ear.detector.scores, reports, at: at)
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
        tally.readings = (timed?.times ?? []).sorted()
        details.print()
        return tally
    }

    private static func text(_ tally: Tally) -> String {
        let delays = tally.delays.sorted()
        let median = delays.quantile(0.5).map { "\($0)" } ?? "-"
        let most = delays.quantile(0.95).map { "\($0)" } ?? "-"
        let read = readings(tally)
        let refused =
            tally.refused.isEmpty
            ? "" : ", \(tally.refused.count) refused (\(tally.refused.prefix(3).joined(separator: "; ")))"
        return
            "\(tally.found) of \(tally.calls) (\(tenths(100 * Double(tally.found) / Double(max(1, tally.calls)))) %) | "
            + "\(tally.others) | \(median) / \(most) / \(delays.last.map { "\($0)" } ?? "-") ms | \(tally.nearMisses) near misses\(refused)\(read)"
    }

    private static func readings(_ tally: Tally) -> String {
        guard let median = tally.readings.quantile(0.5), let most = tally.readings.quantile(0.95) else { return "" }
        return ", read in \(median) / \(most) / \(tally.readings.last ?? 0) ms, \(tally.unread) unread"
    }

    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private static func cpu() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
