import FoundationEssentials
import Glibc
import Logging
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceCore

/// What leaves the house in a support archive, and what does not.
struct SupportBundleTests {
    private static let key = "sk-canary-key-0123456789"
    private static let token = "canary-token-0123456789"

    /// What `journalctl --output=json` prints for the entry of a log line.
    private static func journal(_ log: (Logger) -> Void) -> String {
        let written = Mutex<[JournalEntry]>([])
        log(
            Logger(label: "test") { _ in
                JournalLogHandler(style: .journal, threshold: LogThreshold(.debug), hasJournal: true) { line in
                    written.withLock { $0 += [line.entry].compactMap { $0 } }
                }
            }
        )
        return written.withLock { $0 }.map { entry in
            var fields = Dictionary(uniqueKeysWithValues: entry.fields.map { ($0.name, $0.value) })
            fields["__REALTIME_TIMESTAMP"] = "1769850000123456"
            return String(decoding: (try? JSONEncoder().encode(fields)) ?? Data(), as: UTF8.self)
        }.joined(separator: "\n")
    }

    private static let time = "2026-01-31 09:00:00.123"

    @Test func archiveContainsNoSecretsAndNoSpeech() async throws {
        let context = DoctorContext(
            overrides: [
                "realtime.url=wss://canary.example.org/v1?token=canary-query", "audio.input=plughw:canary",
                "activation.state_command=/opt/canary", "jarvis.timeout_s=31",
            ],
            environment: ["OPENAI_API_KEY": Self.key, "JARVIS_TOKEN": Self.token],
            files: .stub([:])
        )
        let journal = Self.journal { logger in
            logger.info(
                "said", metadata: ["line": .public(1), "speaker": .public("user"), "text": "canary \"spoken\" words"]
            )
            logger.warning("refused: \(private: "canary \(private: "key") words")", metadata: ["times": .public(3)])
        }
        let foreign =
            #"{"__REALTIME_TIMESTAMP":"1769850000123456","MESSAGE":"canary","_PID":"77","UNIT_RESULT":"canary"}"#
        let name = "canary-\(Self.token)"
        let report = DoctorReport([
            DoctorFinding("x", .fail, "header \(name) refused, \(12) of \(public: "two kinds")", advice: "see \(name)")
        ])
        let bundle = SupportBundle(context: context, report: report, version: "1.2.3")
        let files = await bundle.files(journal: journal + "\n" + foreign + "\nno JSON")
        let text = files.map { "\($0.name)\n\($0.text)" }.joined(separator: "\n")
        #expect(!text.contains("canary"), "\(text)")
        #expect(text.contains("\(Self.time) <6> said line=1 speaker=user text=\"(not shown)\""))
        #expect(text.contains("\(Self.time) <4> refused: (not shown) times=3"))
        #expect(text.contains("header (not shown) refused, 12 of two kinds"))
        #expect(text.contains("timeout_s = 31  # command line") && text.contains("plughw:(not shown)"))
        #expect(text.contains("jarvis-voiced 1.2.3"))
        // The user still sees everything.
        #expect(report.text.contains("header \(name) refused, 12 of two kinds"))
    }

    /// Why the service ended, from the fields of the service manager alone.
    @Test func serviceManagerFieldsAreShown() {
        let line =
            #"{"__REALTIME_TIMESTAMP":"1769850000123456","_PID":"1","MESSAGE":"x","UNIT_RESULT":"exit-code","JOB_TYPE":null}"#
        #expect(SharedJournal.text(line) == "\(Self.time) systemd: UNIT_RESULT=exit-code\n")
    }

    /// A value cannot end its own mark, nor begin another.
    @Test(arguments: ["a\u{10FFF1}b", "\u{10FFF0}a", "a\u{10FFF1}"])
    func keepsAForeignMarkPrivate(value: String) {
        let text = "one \(private: value) two"
        #expect(PrivateText.shared(text) == "one (not shown) two")
        #expect(PrivateText.shown(text) == "one \(value.filter { $0 < "\u{10FFF0}" }) two")
    }

    private static let long = String(repeating: "0123456789", count: 20_000)
    private static let some: [(name: String, text: String)] = [
        ("first", "one"), ("a/second", long), ("../odd name", "odd"),
    ]

    /// By default it is written to the current folder.
    @Test(arguments: ["/tmp/", ""])
    func archiveIsMadeByTarOfTheSystem(place: String) async throws {
        let path = "\(place)bundle-\(getpid())-\(UInt32.random(in: 0 ... .max)).tar.gz"
        defer { unlink(path) }
        #expect(try await SupportArchive.write(Self.some, to: path) == nil)
        let list = try #require(await Command.output(["tar", "-tzf", path]))
        let names = String(decoding: list, as: UTF8.self).split(separator: "\n").filter { !$0.hasSuffix("/") }
        let folder = SupportArchive.folder
        #expect(names.sorted() == ["\(folder)/a/second", "\(folder)/first", "\(folder)/odd_name"])
        #expect(await Command.output(["tar", "-xzOf", path, "\(folder)/a/second"]) == Array(Self.long.utf8))
        let owners = try #require(await Command.output(["tar", "-tvzf", path]))
        #expect(String(decoding: owners, as: UTF8.self).split(separator: "\n").allSatisfy { $0.contains("root/root") })
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(
            Folder.names(in: "/tmp").allSatisfy { !"/tmp/\($0)".hasPrefix(path + ".") },
            "nothing is left beside it"
        )
    }

    @Test func tablesOfWakeWordsAreShownWithoutTheirWords() {
        var table = Configuration.Word()
        table.instructions = "You talk to Anna."
        table.url = "http://nas.lan:9090/anna"
        var values = Configuration()
        values.words["okay nabu"] = table
        let text = SharedConfiguration.text(LoadedConfiguration(values), secrets: nil)
        #expect(text.contains("url = \"http://(not shown):9090/(not shown)\"") && text.contains("voice = \"\""))
        #expect(!text.lowercased().contains("anna") && !text.contains("nabu"))
    }

    @Test func missingTarLeavesTheFilesInAFolder() async throws {
        let path = "/tmp/bundle-\(getpid())-\(UInt32.random(in: 0 ... .max)).tar.gz"
        let written = try await SupportArchive.write(Self.some, to: path, tar: "/nonexistent/tar")
        let folder = try #require(written)
        defer { try? FileManager.default.removeItem(atPath: String(folder.dropLast(SupportArchive.folder.count + 1))) }
        #expect(folder.hasPrefix(path + "."))
        #expect(try FileReader.system.read(folder + "/first", 4096).bytes == Array("one".utf8))
        var status = stat()
        #expect(stat(folder, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        #expect(stat(path, &status) != 0)
    }

    @Test func unwritableArchiveNamesTheReason() async {
        await #expect(throws: StateFile.Fault(path: "/nonexistent/x.tar.gz", errno: ENOENT)) {
            _ = try await SupportArchive.write(Self.some, to: "/nonexistent/x.tar.gz")
        }
    }

    @Test func kernelAndDistributionAreShown() {
        let kernel = "Linux version 6.1.0-18-arm64 (anna@annas-desk) (gcc-12 (Debian 12.2.0-14)) #1 SMP Debian"
        #expect(SupportBundle.kernel(kernel) == "Linux version 6.1.0-18-arm64")
        #expect(SupportBundle.kernel("anna@annas-desk") == "")
        #expect(
            SupportBundle.distribution("NAME=\"anna\"\nID=debian\nVERSION_ID=\"12\"") == "ID=debian\nVERSION_ID=\"12\""
        )
    }

    @Test func knownSecretsAreRemovedEverywhere() throws {
        let redactor = Redactor([try #require(Secret("abc")), try #require(Secret("abcdef"))])
        #expect(redactor.clean("xabcdefy abc, ab abcabc") == "x(secret)y (secret), ab (secret)(secret)")
        // Twice the same, and within its own replacement.
        let letter = try #require(Secret("t"))
        #expect(Redactor([letter, letter]).clean("at") == "a(secret)")
        #expect(Redactor([]).clean("plain") == "plain")
        #expect(Redactor(nil as Secrets?).clean("key sk-12345") == "key (key)")
    }
}
