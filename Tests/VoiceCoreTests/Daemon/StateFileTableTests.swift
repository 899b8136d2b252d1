import FoundationEssentials
import Glibc
import Logging
import Testing

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAgent
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceMedia

/// Whatever is in the place of a state file, it is read or reported in one line, nothing hangs, nothing is lost, and
/// the next start finds what this one wrote.
struct StateFileTableTests {
    enum Damage: String, CaseIterable, Sendable {
        case missing, empty, garbage, zeros, large, fifo, folder, fullFolder, device, dangling, unreadable, othersFile,
            ofTheFuture
    }

    /// How the program reads and writes each file.
    enum Kind: String, CaseIterable, Sendable {
        case activation = "activation.toml"
        case budget = "budget.toml"
        case volumes = "volumes.toml"
        case conversation = "conversation"
        case history = "media-history.jsonl"
        case echoTest = "echo-test.toml"
        case rooms = "rooms.toml"
        case timers = "timers.toml"

        var good: String {
            switch self {
            case .activation: SavedActivation(isMuted: true).text
            case .budget: SavedBudget(hour: BudgetAccount(number: 1), day: BudgetAccount(number: 1)).text
            case .volumes: SavedVolumes(volumes: Volumes(), configured: Volumes()).text
            case .conversation: SavedJarvisSession(id: "voice-1", usedAt: 1).text
            case .history: #"{"address":"a","at":1,"done":false,"kind":"radio","second":1,"title":"t"}"# + "\n"
            case .timers:
                SavedTimers(
                    boot: "b",
                    entries: [
                        .init(number: 1, due: .timer(wall: 1, uptime: 1, length: 1), name: "a \"b\""),
                        .init(number: 2, due: .paused(left: 5, length: 9), name: "check the oven", kind: .reminder),
                    ]
                ).text
            case .rooms: SavedRooms(of: RememberedRoom(decaying: 0.5)).text
            case .echoTest:
                "grade = \"good\"\nsummary = \"s\"\ninput = \"i\"\noutput = \"o\"\ntime = 1\n"
            }
        }

        /// The text with keys that a newer version may have added.
        var ofTheFuture: String {
            switch self {
            case .history: good.replacing("{", with: #"{"stars":5,"#, maxReplacements: 1)
            default: "format = 7\n" + good + "\n[newer]\nkey = [1, 2]\n"
            }
        }

        /// Loads the file; returns true if it was accepted, nil if absent, false if useless.
        func load(_ folder: String, _ log: LineLog, _ files: FileReader) async -> Bool? {
            let path = "\(folder)/\(rawValue)"
            switch self {
            case .activation:
                let saved = ActivationStore.load(directory: folder, logger: log.logger, files: files)
                return log.lines.isEmpty ? (saved.isMuted ? true : nil) : (saved.isMuted ? false : true)
            case .budget:
                switch BudgetStore.load(directory: folder, logger: log.logger, files: files) {
                case .nothing: return nil
                case .known: return true
                case .damaged: return false
                }
            case .volumes:
                var settings = VolumeSettings()
                settings.stateDirectory = folder
                await VolumeController(settings: settings, controls: VolumeControls(), logger: log.logger, files: files)
                    .start()
                return log.lines.isEmpty ? StateFileTableTests.isThere(path) ? true : nil : false
            case .conversation:
                let saved = JarvisSessionStore.folder(folder, logger: log.logger, files: files).load()
                return saved != nil ? true : log.lines.isEmpty ? nil : false
            case .history:
                let read = try? files.read(path, MediaLibrary.longestFile).bytes
                return read.map { MediaLibrary.reading($0).unreadable == 0 }
                    ?? (StateFileTableTests.isThere(path) ? false : nil)
            case .rooms:
                await RoomMemory(directory: folder, on: AudioPorts(), logger: log.logger, files: files).start()
                return log.lines.isEmpty ? StateFileTableTests.isThere(path) ? true : nil : false
            case .timers:
                let saved = SavedTimers.load(directory: folder, logger: log.logger, files: files)
                return log.lines.isEmpty ? (saved.entries.isEmpty ? nil : true) : false
            case .echoTest:
                do {
                    return try SavedEchoTest.load(folder: folder, files: files) == nil ? nil : true
                } catch {
                    log.logger.warning("\(error)")
                    return false
                }
            }
        }
    }

    @Test(arguments: Kind.allCases, Damage.allCases)
    func damagedFileIsReadOrReported(kind: Kind, damage: Damage) async throws {
        let folder = "/tmp/state-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        mkdir(folder, 0o700)
        defer { Self.remove(folder) }
        let path = "\(folder)/\(kind.rawValue)"
        try Self.make(damage, path, kind)
        let log = LineLog()
        let files =
            damage == .unreadable ? FileReader { (_, _) throws(FileReader.Fault) in throw .system(EACCES) } : .system
        let outcome = await kind.load(folder, log, files)
        switch damage {
        case .missing, .dangling: #expect(outcome == nil && log.lines.isEmpty)
        case .othersFile, .ofTheFuture: #expect(outcome == true && log.lines.isEmpty, "\(log.lines)")
        case .empty where kind == .history || kind == .volumes: #expect(outcome == true)
        default:
            #expect(outcome == false)
            // The player reports on its history itself.
            if kind != .history {
                #expect(log.lines.count == 1 && log.lines[0].contains(path), "\(log.lines)")
                #expect(!log.lines[0].dropLast().contains("\n") && log.lines[0].utf8.count < 600)
            }
        }
        // A later write replaces whatever was there.
        try StateFile.write(Array(kind.good.utf8), to: path)
        let second = LineLog()
        #expect(await kind.load(folder, second, .system) == true && second.lines.isEmpty, "\(second.lines)")
    }

    /// What a crash or a person has left beside the file, under the names that writing needs.
    enum Beside: String, CaseIterable, Sendable {
        case file, folder, fullFolder
    }

    @Test(arguments: [Damage.garbage, .folder, .fullFolder, .large], Beside.allCases)
    func damageBesideTheFileHealsToo(damage: Damage, beside: Beside) async throws {
        for kind in Kind.allCases {
            let folder = "/tmp/state-\(getpid())-\(UInt32.random(in: 0 ... .max))"
            mkdir(folder, 0o700)
            defer { Self.remove(folder) }
            let path = "\(folder)/\(kind.rawValue)"
            try Self.make(damage, path, kind)
            for other in [path + ".new", path + ".damaged"] {
                switch beside {
                case .file: try StateFile.write([1], to: other)
                case .folder: mkdir(other, 0o700)
                case .fullFolder:
                    mkdir(other, 0o700)
                    try StateFile.write([1], to: other + "/inside")
                }
            }
            _ = await kind.load(folder, LineLog(), .system)
            try StateFile.write(Array(kind.good.utf8), to: path)
            let log = LineLog()
            #expect(await kind.load(folder, log, .system) == true && log.lines.isEmpty, "\(kind): \(log.lines)")
            var status = stat()
            #expect(lstat(path + ".damaged", &status) == 0)
            if kind != .history, kind != .echoTest {
                #expect((status.st_mode & S_IFMT == S_IFDIR) == (damage == .folder || damage == .fullFolder), "\(kind)")
            }
        }
    }

    /// A version that changes the meaning of keys declares it, and is not misread.
    @Test func fileOfANewerSchemaIsNotRead() async throws {
        for kind in Kind.allCases where kind != .history {
            let folder = "/tmp/state-\(getpid())-\(UInt32.random(in: 0 ... .max))"
            defer { Self.remove(folder) }
            let path = "\(folder)/\(kind.rawValue)"
            let newer = kind.good.replacing("schema = 1", with: "schema = 2")
            #expect(newer != kind.good || kind == .echoTest, "what is written says which schema it is")
            try StateFile.write(Array((kind == .echoTest ? "schema = 2\n" + newer : newer).utf8), to: path)
            let log = LineLog()
            #expect(await kind.load(folder, log, .system) == false)
            #expect(log.lines.count == 1 && log.lines[0].contains("newer version"), "\(log.lines)")
        }
    }

    /// One copy, for thirty days.
    @Test(arguments: [(29, true), (31, false), (-400, true)]) func damageIsForgotten(days: Int, isKept: Bool) throws {
        let folder = "/tmp/state-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { Self.remove(folder) }
        let path = folder + "/x"
        func found(after days: Int) -> Bool? {
            let later = Int(time(nil)) + days * 86_400
            let store = StateStore(path, logger: LineLog().logger, now: { later })
            let found = store.load { bytes in
                if bytes != [1] { throw Unreadable("it is not 1") }
            } lost: { _ in
                "lost"
            }
            return if case .damaged(let isAgain) = found { isAgain } else { nil }
        }
        try StateFile.write([2], to: path)
        #expect(found(after: 0) == false)
        try StateFile.write([1], to: path)
        #expect(found(after: days) == nil)
        #expect(Self.isThere(path + ".damaged") == isKept)
        try StateFile.write([3], to: path)
        #expect(found(after: days) == isKept, "whether it is the second time")
    }

    /// A disk that was full for a while: reported once, and written as soon as it works.
    @Test func failedWriteIsRetried() throws {
        let folder = "/tmp/state-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { Self.remove(folder) }
        // A file in the place of the folder.
        try StateFile.write([1], to: folder)
        let log = LineLog()
        let store = StateStore(folder + "/x", logger: log.logger)
        #expect(!store.save([7], failing: "x is not remembered"))
        #expect(!store.save([8], failing: "x is not remembered"))
        #expect(log.lines.count == 1 && log.lines[0].contains("x is not remembered"), "\(log.lines)")
        unlink(folder)
        #expect(store.save([8], failing: ""))
        #expect(try FileReader.system.read(folder + "/x", 10).bytes == [8])
        #expect(log.lines.count == 2)
    }

    /// The bytes of a useless file are kept for inspection.
    @Test func uselessFileIsKeptAside() async throws {
        for kind in [Kind.activation, .budget, .volumes, .conversation, .rooms, .timers] {
            let folder = "/tmp/state-\(getpid())-\(UInt32.random(in: 0 ... .max))"
            mkdir(folder, 0o700)
            defer { Self.remove(folder) }
            let path = "\(folder)/\(kind.rawValue)"
            try Self.make(.garbage, path, kind)
            let damage = try FileReader.system.read(path, 1000).bytes
            _ = await kind.load(folder, LineLog(), .system)
            #expect(Self.isThere(path), "what says that there was something stays until something better is written")
            try StateFile.write(Array(kind.good.utf8), to: path)
            #expect(try FileReader.system.read(path + ".damaged", 1000).bytes == damage)
        }
    }

    private static func make(_ damage: Damage, _ path: String, _ kind: Kind) throws {
        func write(_ bytes: [UInt8]) throws { try StateFile.write(bytes, to: path) }
        switch damage {
        case .missing: break
        case .empty: try write([])
        case .garbage: try write((0..<997).map { UInt8(truncatingIfNeeded: $0 &* 193 &+ 71) })
        case .zeros: try write([UInt8](repeating: 0, count: 4096))
        case .large:
            try write([UInt8]("x = 1\n".utf8))
            truncate(path, 100 << 20)
        case .fifo: mkfifo(path, 0o600)
        case .folder: mkdir(path, 0o700)
        case .fullFolder:
            mkdir(path, 0o700)
            try StateFile.write([1], to: path + "/inside")
        case .device: symlink("/dev/zero", path)
        case .dangling: symlink("/nonexistent/state", path)
        case .unreadable: try write(Array(kind.good.utf8))
        case .othersFile:
            try write(Array(kind.good.utf8))
            // Only as far as permitted: in tests run by root it then belongs to another user.
            _ = chown(path, 12_345, 12_345)
        case .ofTheFuture: try write(Array(kind.ofTheFuture.utf8))
        }
    }

    fileprivate static func isThere(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0
    }

    private static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}
