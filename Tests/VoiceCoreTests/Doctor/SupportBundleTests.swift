import FoundationEssentials
import Glibc
import Testing

@testable import VoiceCore

/// What leaves the house in a support archive, and what does not.
struct SupportBundleTests {
    private static let key = "sk-canary-key-0123456789"
    private static let token = "canary-token-0123456789"

    @Test func noSecretAndNoSpokenWordIsInTheArchive() async throws {
        let file = """
            # canary-comment
            [realtime]
            url = "wss://example.org/v1?token=canary-query"
            api_key = "sk-canary-in-file"
            [jarvis]
            timeout_s = 30
            """
        let files = FileReader.stub(["/c.toml": Array(file.utf8)])
        // Once as the daemon would refuse it, and once as it would take it.
        let broken = Patient(
            path: "/c.toml",
            environment: ["OPENAI_API_KEY": Self.key, "JARVIS_TOKEN": Self.token],
            files: files
        )
        #expect(!broken.problems.isEmpty)
        let patient = Patient(
            overrides: ["realtime.url=wss://example.org/v1?token=canary-query"],
            environment: ["OPENAI_API_KEY": Self.key, "JARVIS_TOKEN": Self.token],
            files: .stub([:])
        )
        let journal = """
            said line=1 speaker=user text="canary \\"spoken\\" words" late=yes
            call call=1 tool=ask_jarvis arguments="{canary}"
            refused: Incorrect API key provided: \(Self.key)
            the token was \(Self.token).
            """
        let report = DoctorReport([DoctorFinding("x", .fail, "header Bearer \(Self.token) refused")])
        for patient in [broken, patient] {
            let bundle = SupportBundle(patient: patient, report: report, version: "1.2.3")
            let (archive, names) = await bundle.make(journal: journal)
            #expect(names.contains("journal.txt"))
            // Stored, not compressed: every byte of the content stands in the archive as it is.
            let text = String(decoding: archive, as: UTF8.self)
            #expect(!text.contains("canary"))
            #expect(text.contains("said line=1 speaker=user text=(not shown) late=yes"))
            #expect(text.contains("jarvis-voiced 1.2.3"))
        }
    }

    @Test func everyToolOpensTheArchive() async throws {
        let path = "/tmp/bundle-\(getpid())-\(UInt32.random(in: 0 ... .max)).tar.gz"
        defer { unlink(path) }
        var archive = TarArchive(time: 1_700_000_000)
        let long = String(repeating: "0123456789", count: 20_000)
        archive.add("a/first", Array("one".utf8))
        archive.add("a/second", Array(long.utf8))
        archive.add("a/empty", [])
        try PrivateFile.write(StoredGzip.wrap(archive.closed), to: path)
        #expect(await Command.output(["tar", "-tzf", path]) == Array("a/first\na/second\na/empty\n".utf8))
        #expect(await Command.output(["tar", "-xzOf", path, "a/second"]) == Array(long.utf8))
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func theChecksumIsTheOneOfGzip() {
        #expect(StoredGzip.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
    }

    @Test(arguments: [
        ("[audio]\ninput = \"hw:1\"", "[audio]\ninput = \"hw:1\""),
        ("[audio]\ninptu = \"sk-1\"", "[audio]\n(unknown key) = (not shown)"),
        ("[secret-name]\nx = 1", "[(unknown)]\n(unknown key) = (not shown)"),
        ("audio.input = \"x\" # my comment", "input = \"x\""),
        ("[realtime]\nspeed = \"sk-1\"", "[realtime]\nspeed = (not shown: not what this key takes)"),
        ("[realtime]\nurl = \"wss://h/p?key=1\"", "[realtime]\nurl = \"wss://h/p?(not shown)\""),
        ("sk-just-a-key", "(line not shown)"), ("# a comment", "# (comment)"), ("", ""),
    ])
    func onlyLinesThatAreUnderstoodAreShown(file: String, shown: String) {
        #expect(RedactedConfiguration.text(file) == shown)
    }

    @Test(arguments: [
        (
            #"said line=1 text="say \"x\" speaker=user" late=no"#,
            "said line=1 text=(not shown) speaker=(not shown) late=no"
        ),
        ("turn heard_ms=120 by_ms=4711471147114711", "turn heard_ms=120 by_ms=(not shown)"),
        ("the session was closed: pass phrase", "the session was closed: (not shown)"),
        ("refused x the session", "refused (not shown)"), ("hunter2=1 ms=3", "(not shown) ms=3"),
        (
            "2026-01-31T10:00:00+0100 kitchen jarvis-voiced[7]: ready ms=3",
            "2026-01-31T10:00:00+0100 host jarvis-voiced[7]: ready ms=3"
        ),
        ("2026-01-31T10:00:00+0100 kitchen sudo[7]: ready", "(not shown)"), ("", ""),
    ])
    func whatIsNotKnownToBeHarmlessIsTakenOutOfTheJournal(line: String, shown: String) {
        #expect(RedactedJournal.line(line) == shown)
    }

    @Test func knownSecretsAreTakenOutWhereverTheyStand() throws {
        let redactor = Redactor([try #require(Secret("abc")), try #require(Secret("abcdef"))])
        #expect(redactor.clean("xabcdefy abc, ab abcabc") == "x(secret)y (secret), ab (secret)(secret)")
        #expect(Redactor([]).clean("plain") == "plain")
        #expect(Redactor(nil as Secrets?).clean("key sk-12345") == "key (key)")
    }

    @Test func ofAUnitTheKnownIsShown() {
        let unit = """
            # /etc/systemd/system/jarvis-voiced.service.d/word.conf
            # word
            [Service]
            Environment=KEY=word \\
                word=1 \\
            # word
                word
            ExecStart=/usr/bin/jarvis-voiced run --set word=word
            SetCredentialEncrypted=x: \\
                word
            LimitRTPRIO=40
            word=1
            """
        #expect(
            RedactedUnit.text(unit) == """
                # /etc/systemd/system/jarvis-voiced.service.d/(not shown)
                # (comment)
                [Service]
                Environment=(not shown)
                ExecStart=/usr/bin/jarvis-voiced run (not shown)
                SetCredentialEncrypted=(not shown)
                LimitRTPRIO=40
                (unknown setting)=(not shown)
                """
        )
    }

    /// The shipped unit is shown as it is, but for its comments, its description and where it has its credentials from.
    @Test func theShippedUnitIsShown() throws {
        let bytes = try FileReader.system.read("systemd/jarvis-voiced.service", 1 << 16).bytes
        let lines = RedactedUnit.text(String(decoding: bytes, as: UTF8.self)).split(separator: "\n")
        let hidden = lines.filter { $0.contains("not shown") || $0.contains("unknown") }.map { $0.prefix { $0 != "=" } }
        #expect(hidden.allSatisfy { ["Description", "SetCredential"].contains($0) }, "\(hidden)")
    }

    /// Words that nobody knows, in every place that a person, a program or a page could have put them.
    @Test func plantedWordsAreNeverShown() async throws {
        var random = SeededGenerator(seed: 17)
        // Of its own: a word is made while the other one is in use.
        var lettering = SeededGenerator(seed: 18)
        let patient = Patient(overrides: [], environment: [:], files: .stub([:]))
        let report = DoctorReport([])
        for round in 0..<200 {
            var planted: [String] = []
            func word() -> String {
                let letters = (0..<Int.random(in: 4...12, using: &lettering)).map { _ in
                    "bcdfghjkmpqrstvwxz0123456789".randomElement(using: &lettering) ?? "x"
                }
                planted.append("q" + String(letters) + "q")
                return planted.last ?? ""
            }
            let unit = unit(&random, word)
            let journal = journal(&random, word)
            let shown = [RedactedUnit.text(unit), RedactedJournal.text(journal, redactor: Redactor())]
            for word in planted {
                #expect(!shown.contains { $0.contains(word) }, "round \(round): \(word) in\n\(unit)\n\(journal)")
            }
            guard round.isMultiple(of: 50) else { continue }
            let bundle = SupportBundle(patient: patient, report: report, version: "1")
            let text = String(decoding: await bundle.make(journal: journal).archive, as: UTF8.self)
            #expect(!planted.dropFirst(planted.count / 2).contains { text.contains($0) }, "round \(round)")
        }
    }

    private func unit(_ random: inout SeededGenerator, _ word: () -> String) -> String {
        var lines: [String] = []
        for _ in 0..<12 {
            let name =
                ["Environment", "ExecStart", "SetCredential", "User", "Nice", "LimitRTPRIO", word(), "LoadCredential"]
                .randomElement(using: &random) ?? ""
            let value =
                [word(), "\"\(word()) \(word())\"", "A=\(word())", "40 \(word())", "'\(word())'", "x:\(word())"]
                .randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<6, using: &random) {
            case 0: lines.append("\(name)=\(value) \\\n  \(word()) \\\n# \(word())\n; \(word())\n\t\(word())")
            case 1: lines.append("# \(word())")
            case 2: lines.append("[\(word())]")
            case 3: lines.append("  \(name) = \(value)")
            case 4: lines.append("# /etc/systemd/system/jarvis-voiced.service.d/\(word()).conf")
            default: lines.append("\(name)=\(value)")
            }
        }
        return lines.joined(separator: "\n")
    }

    private func journal(_ random: inout SeededGenerator, _ word: () -> String) -> String {
        let prefix = "2026-01-31T10:00:00+0100 \(word()) jarvis-voiced[7]: "
        return (0..<12).map { _ in
            switch Int.random(in: 0..<8, using: &random) {
            case 0: prefix + "said line=1 speaker=user text=\"a \\\"\(word())\\\" \(word()) late=\(word())\" ms=1"
            case 1: prefix + "said text=\(word()) query=\(word()) ms=\(word())"
            case 2: prefix + "the session was refused: \(word()) the session \(word())"
            case 3: "        \(word()) continued \(word())"
            case 4: prefix + "media title=\"\(word()) = \(word())\" kind=\(word())"
            case 5: "2026-01-31T10:00:00+0100 h \(word())[7]: ready \(word())"
            case 6: prefix + "\(word())=1 state=\(word()) pid=\(word()) (\(word()))"
            default: prefix + "call arguments=\"{\\\"query\\\": \\\"\(word())\\\"}\" tool=\(word())"
            }
        }.joined(separator: "\n")
    }
}
