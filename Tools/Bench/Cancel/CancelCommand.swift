import CDSP
internal import Glibc
import VoiceAudio
import VoiceBase

/// Runs one echo canceller over files, for `scripts/bench-people`.
///
///     VoiceBench cancel --engine ours|library|speex [--start-delay-ms N] [--jump-at-ms N,N... --jump-ms N,N...]
///                       [--voice FILE|none] [--duplex auto|half] [--gate FILE]
///                       [--room FILE] [--keep-room FILE] [--for wire|words] FAR MIC OUT
///
/// --voice names the part of FAR that is the voice for "ours", by default all of it; the rest is media.
/// --room gives "ours" the room that an earlier run stored with --keep-room, as a restarted daemon knows it.
/// --gate writes the gate decisions of "ours" to FILE, as CSV.
/// --for words writes what words are recognised in, whose noise is not suppressed; only with "ours".
/// FAR and MIC are mono WAV files of 16 bits at 48 kHz; OUT is written at the engine's own rate. One line of JSON
/// reports the CPU time and, if the engine has a gate, when it opened.
struct CancelCommand {
    private let engine: String
    private let delay: ReportedDelay
    private let voice: String?
    private let duplex: String
    private let gate: String?
    private let room: String?
    private let keptRoom: String?
    private let purpose: String
    private let paths: [String]

    /// Returns nil if the arguments are for another command.
    init?(_ arguments: [String]) {
        guard arguments.first == "cancel" else { return nil }
        var values: [String: String] = [:]
        var paths: [String] = []
        var rest = arguments.dropFirst()
        while let word = rest.popFirst() {
            if word.hasPrefix("--"), let value = rest.popFirst() {
                values[word] = value
            } else {
                paths.append(word)
            }
        }
        func number(_ name: String) -> Double? { values[name].flatMap { Double($0) } }
        func numbers(_ name: String) -> [Double] {
            (values[name] ?? "").split(separator: ",").compactMap { Double($0) }
        }
        let frames = Double(AudioFormat.deviceRate) / 1000
        engine = values["--engine"] ?? ""
        voice = values["--voice"]
        gate = values["--gate"]
        room = values["--room"]
        keptRoom = values["--keep-room"]
        duplex = values["--duplex"] ?? "auto"
        purpose = values["--for"] ?? "wire"
        self.paths = paths
        var delay = ReportedDelay()
        delay.start = Int((number("--start-delay-ms") ?? 0) * frames)
        delay.jumps = zip(numbers("--jump-at-ms"), numbers("--jump-ms")).map { (Int($0 / 10), Int($1 * frames)) }
        self.delay = delay
    }

    func run() throws {
        guard paths.count == 3 else { throw BenchProblem("usage: VoiceBench cancel --engine NAME FAR MIC OUT") }
        let far = try WaveFile.read(paths[0])
        let microphone = try WaveFile.read(paths[1])
        let canceller = try makeEngine()
        let frames = AudioFormat.periodFrames
        let periods = min(far.count, microphone.count) / frames
        let step = canceller.outputRate / 100
        var output = [Float](repeating: 0, count: periods * step)
        let began = Self.threadNanoseconds()
        far.withUnsafeBufferPointer { far in
            microphone.withUnsafeBufferPointer { microphone in
                output.withUnsafeMutableBufferPointer { output in
                    guard let far = far.baseAddress, let microphone = microphone.baseAddress,
                        let output = output.baseAddress
                    else { return }
                    for period in 0..<periods {
                        canceller.process(
                            far: far + period * frames, microphone: microphone + period * frames,
                            into: output + period * step
                        )
                    }
                }
            }
        }
        let microseconds = Double(Self.threadNanoseconds() - began) / 1000 / Double(max(periods, 1))
        try write(output, rate: canceller.outputRate)
        if let gate, let product = canceller as? ProductEngine {
            guard let file = fopen(gate, "we"), fputs(product.gateRecord, file) >= 0, fclose(file) == 0 else {
                throw BenchProblem("\(gate) cannot be written")
            }
        }
        if let keptRoom, let product = canceller as? ProductEngine { try Self.keep(product.room(), in: keptRoom) }
        let openings = canceller.openings.map { "\($0.map { $0 * 10 })" } ?? "null"
        print("{\"us_per_period\": \(microseconds), \"gate_ms\": \(openings)}")
    }

    private func makeEngine() throws -> any OfflineEngine {
        switch engine {
        case "ours":
            try ProductEngine(
                delay: delay,
                voice: voice.map { $0 == "none" ? [] : try WaveFile.read($0) },
                duplex: duplexSetting,
                room: room.flatMap { try Self.room(in: $0) },
                isForWords: isForWords
            )
        case _ where try isForWords: throw BenchProblem("--for words is for --engine ours")
        case "library": try LibraryEngine()
        case "speex": try SpeexEngine()
        default: throw BenchProblem("--engine is \"\(engine)\"; it must be ours, library or speex")
        }
    }

    private var isForWords: Bool {
        get throws {
            switch purpose {
            case "wire": false
            case "words": true
            default: throw BenchProblem("--for is \"\(purpose)\"; it must be wire or words")
            }
        }
    }

    private var duplexSetting: DuplexSetting {
        get throws {
            switch duplex {
            case "auto": .auto
            case "half": .half
            default: throw BenchProblem("--duplex is \"\(duplex)\"; it must be auto or half")
            }
        }
    }

    private static func room(in path: String) throws -> RememberedRoom? {
        try StateStore.read(path, limit: SavedRooms.limit) { try SavedRooms(parsing: $0) }?.rooms.first
    }

    private static func keep(_ room: RememberedRoom?, in path: String) throws {
        guard let room else { throw BenchProblem("the echo was not found: there is no room to keep") }
        var rooms = SavedRooms()
        rooms.keep(room)
        try StateFile.write(Array(rooms.text.utf8), to: path)
    }

    private static func threadNanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    private func write(_ output: [Float], rate: Int) throws {
        var samples = [Int16](repeating: 0, count: output.count)
        cdsp_s16_from_float(output, &samples, output.count)
        let header = WaveFile.header(dataBytes: output.count * 2, rate: rate)
        guard let file = fopen(paths[2], "we") else { throw BenchProblem("\(paths[2]) cannot be written") }
        let whole =
            fwrite(header, 1, header.count, file) == header.count
            && fwrite(samples, 2, samples.count, file) == samples.count
        guard fclose(file) == 0 && whole else { throw BenchProblem("\(paths[2]) cannot be written to its end") }
    }
}
