import FoundationEssentials
import Glibc
import Logging
import Testing

@testable import VoiceBase
@testable import VoiceBudget
@testable import VoiceConfiguration
@testable import VoiceConversation
@testable import VoiceCore

/// What leaves the house in a support archive, and what does not.
struct SupportBundleTests {
    private static let key = "sk-canary-key-0123456789"
    private static let token = "canary-token-0123456789"
    /// The journal's prefix of a daemon's log line, and the form in which it is shown.
    private static let prefix = "2026-01-31T10:00:00+0100 kitchen jarvis-voiced[7]: "
    private static let shownPrefix = "2026-01-31T10:00:00+0100 host jarvis-voiced[7]: "

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
        // Once as the daemon would refuse it, and once as it would accept it.
        let broken = DoctorContext(
            path: "/c.toml",
            environment: ["OPENAI_API_KEY": Self.key, "JARVIS_TOKEN": Self.token],
            files: files
        )
        #expect(!broken.problems.isEmpty)
        let context = DoctorContext(
            overrides: ["realtime.url=wss://example.org/v1?token=canary-query"],
            environment: ["OPENAI_API_KEY": Self.key, "JARVIS_TOKEN": Self.token],
            files: .stub([:])
        )
        let journal = [
            #"said line=1 speaker=user text="canary \"spoken\" words" late=yes"#,
            #"call call=1 tool=ask_jarvis arguments="{canary}""#,
            "refused: Incorrect API key provided: \(Self.key)", "the token was \(Self.token).",
        ].map { Self.prefix + $0 }.joined(separator: "\n")
        let report = DoctorReport([DoctorFinding("x", .fail, "header Bearer \(Self.token) refused")])
        for context in [broken, context] {
            let bundle = SupportBundle(context: context, report: report, version: "1.2.3")
            let files = await bundle.files(journal: journal)
            #expect(files.map(\.name).contains("journal.txt"))
            let text = files.map { "\($0.name)\n\($0.text)" }.joined(separator: "\n")
            #expect(!text.contains("canary"))
            #expect(text.contains("said line=1 speaker=user text=(not shown) late=yes"))
            #expect(text.contains("jarvis-voiced 1.2.3"))
        }
    }

    private static let long = String(repeating: "0123456789", count: 20_000)
    private static let some: [(name: String, text: String)] = [
        ("first", "one"), ("a/second", long), ("../odd name", "odd"),
    ]

    /// By default it is written to the current folder.
    @Test(arguments: ["/tmp/", ""])
    func theArchiveIsThatOfTheSystem(place: String) async throws {
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

    @Test func whereTarIsMissingTheFilesAreInAFolder() async throws {
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

    @Test func anArchiveThatCannotBeWrittenSaysWhy() async {
        await #expect(throws: StateFile.Fault(path: "/nonexistent/x.tar.gz", errno: ENOENT)) {
            _ = try await SupportArchive.write(Self.some, to: "/nonexistent/x.tar.gz")
        }
    }

    @Test(arguments: [
        ("[audio]\ninput = \"hw:1\"", "[audio]\ninput = \"hw:1\""),
        ("[audio]\ninptu = \"sk-1\"", "[audio]\n(unknown key) = (not shown)"),
        ("[secret-name]\nx = 1", "[(unknown)]\n(unknown key) = (not shown)"),
        ("audio.input = \"hw:1\" # my comment", "input = \"hw:1\""),
        ("audio.input = \"sk-1\"", "input = \"(not shown)\""),
        ("[activation]\nstate_command = \"/opt/x sk-1\"", "[activation]\nstate_command = \"(not shown)\""),
        ("[realtime]\nurl = \"wss://h:8/p/key\"", "[realtime]\nurl = \"wss://(host):8/(not shown)\""),
        ("[jarvis]\nurl = \"http://h:8080/ui\"", "[jarvis]\nurl = \"http://(host):8080/ui\""),
        ("[jarvis]\nurl = \"http://127.0.0.1:8080/ui\"", "[jarvis]\nurl = \"http://127.0.0.1:8080/ui\""),
        ("[jarvis]\nurl = \"http://93.184.216.34/ui\"", "[jarvis]\nurl = \"http://(address)/ui\""),
        ("[jarvis]\nurl = \"http://[2001:db8::7]/ui\"", "[jarvis]\nurl = \"http://(address)/ui\""),
        ("[audio]\ninput = \"plughw:CARD=PCH,DEV=0\"", "[audio]\ninput = \"plughw:CARD=PCH,DEV=0\""),
        ("[audio]\ninput = \"plughw:CARD=AnnasRoom\"", "[audio]\ninput = \"plughw:CARD=(not shown)\""),
        ("[audio]\ninput = \"hw:AnnasRoom,0\"", "[audio]\ninput = \"hw:(not shown),0\""),
        ("[realtime]\nspeed = \"sk-1\"", "[realtime]\nspeed = (not shown: not what this key takes)"),
        ("[realtime]\nurl = \"wss://h/p?key=1\"", "[realtime]\nurl = \"wss://(host)/(not shown)\""),
        (
            "[realtime]\nurl = \"wss://h/v1/realtime?key=1\"",
            "[realtime]\nurl = \"wss://(host)/v1/realtime?(not shown)\""
        ),
        ("sk-just-a-key", "(line not shown)"), ("# a comment", "# (comment)"), ("", ""),
    ])
    func onlyLinesThatAreUnderstoodAreShown(file: String, shown: String) {
        #expect(RedactedConfiguration.text(file) == shown)
    }

    @Test(arguments: [
        (
            #"said line=1 text="say \"x\" speaker=user" late=no"#,
            "said line=1 text=(not shown) late=no"
        ),
        (#"said line=1 text="code=493211 pid=4932" late=no"#, "said line=1 text=(not shown) late=no"),
        (#"said text="the pin" code=4932"x"z pid=12 y"#, "said text=(not shown) code=(not shown)"),
        ("closed code=1000 ms=493211", "closed code=1000 ms=493211"),
        ("the session was closed: code=493211", "the session was closed: code=(not shown)"),
        ("refused: your pin code=4932", "refused: (not shown) code=(not shown)"),
        ("turn heard_ms=120 by_ms=4711471147114711", "turn heard_ms=120 by_ms=(not shown)"),
        ("the session was closed: pass phrase", "the session was closed: (not shown)"),
        ("refused x the session", "refused (not shown)"), ("hunter2=1 ms=3", "(not shown) ms=(not shown)"),
        ("ready version=0.1.0", "ready version=0.1.0"), ("ready version=4711.4711", "ready version=(not shown)"),
        (
            "loudspeaker lost; retrying until it is back side=loudspeaker reason=\"No such device\"",
            "loudspeaker lost; retrying until it is back side=loudspeaker reason=(not shown)"
        ),
        ("control command=mute uid=1000", "control command=mute uid=1000"),
        ("control command=hunter2", "control command=(not shown)"),
        ("most of the budget is spent period=day", "most of the budget is spent period=day"),
        (
            "/etc/jarvis-voiced/jarvis-voiced.toml:3:1: unknown key audio.hunter2",
            "/etc/jarvis-voiced/jarvis-voiced.toml:3:1: unknown key (not shown)"
        ),
        ("/home/anna/x.toml:12:5: unknown key", "(not shown):12:5: unknown key"),
        ("/home/anna/x.toml:47114:5: unknown key", "(not shown)"),
    ])
    func whatIsNotKnownToBeHarmlessIsTakenOutOfTheJournal(line: String, shown: String) {
        #expect(RedactedJournal.line(Self.prefix + line) == Self.shownPrefix + shown)
    }

    /// Continuation lines of a message have no timestamp, and a line of another program is not the daemon's.
    @Test(arguments: [
        "        pid=4711 code=4711 ready", "pid=4711", "ready ms=3", "2026-01-31T10:00:00+0100 kitchen sudo[7]: ready",
        "-- Boot 0123456789abcdef --",
    ])
    func aLineThatIsNotTheDaemonsIsNotShown(line: String) {
        #expect(RedactedJournal.line(line) == "(not shown)")
        #expect(RedactedJournal.line("") == "" && RedactedJournal.line("  ") == "")
    }

    /// Of a crash, everything that explains it is shown.
    @Test(arguments: [
        ("Main process exited, code=dumped, status=11/SEGV", nil),
        ("Main process exited, code=exited, status=78/CONFIG", nil),
        ("Failed with result 'core-dump'.", nil), ("Failed with result 'hunter2'.", "Failed with result (not shown)"),
        ("Watchdog timeout (limit 30s)!", nil),
        ("Killing process 4711 (jarvis-voiced) with signal SIGABRT.", nil),
        ("Killing process 4711 (hunter2) with signal SIGABRT.", "Killing process 4711 (not shown)"),
        ("Scheduled restart job, restart counter is at 3.", nil), ("Start request repeated too quickly.", nil),
        ("A process of this unit has been killed by the OOM killer.", nil),
        ("State 'stop-sigterm' timed out. Killing.", nil), ("Consumed 1min 30.221s CPU time, 40.1M memory peak.", nil),
        ("Deactivated successfully.", nil), ("code=hunter2 status=4711/x", "(not shown)"),
    ])
    func ofACrashTheServiceManagersLinesAreShown(line: String, shown: String?) {
        let time = "2026-01-31T10:00:00+0100"
        let unit = "jarvis-voiced.service"
        #expect(
            RedactedJournal.line("\(time) kitchen systemd[1]: \(unit): \(line)")
                == "\(time) host systemd[1]: \(unit): \(shown ?? line)"
        )
        // The description may contain anything.
        #expect(
            RedactedJournal.line("\(time) kitchen systemd[1]: Started \(unit) - \(line)")
                == "\(time) host systemd[1]: Started \(unit) (not shown)"
        )
    }

    /// Every literal log message of the program is shown: in full, or up to the first interpolated value.
    @Test func theProgramsOwnSentencesAreShown() throws {
        let messages = try Self.messages()
        #expect(messages.count > 140, "they are still found")
        for (file, text) in messages {
            #expect(RedactedJournal.line(Self.prefix + text) == Self.shownPrefix + text, "\(file)")
        }
    }

    /// Every field of a log line is classified: as a number, as a word of the program, or as free text.
    @Test func everyFieldIsKnown() throws {
        var names: Set<String> = []
        // The budget's file has its own fields.
        for (file, text) in try Self.sources() where !file.hasSuffix("/SavedBudget.swift") {
            for list in text.matches(of: /(?:metadata: |Metadata = |event\(\.\w+, )\[([^\]]*)\]/) {
                for key in list.output.1.matches(of: /"([a-z_]+)": "/) { names.insert(String(key.output.1)) }
            }
            for key in text.matches(of: /metadata\["([a-z_]+)"\]/) { names.insert(String(key.output.1)) }
            for key in text.matches(of: /\("([a-z_]+_(?:ms|db|dbfs|ppm|us|usd))",/) {
                names.insert(String(key.output.1))
            }
        }
        #expect(names.count > 40)
        let known = JournalVocabulary.numbers.union(JournalVocabulary.others).union(JournalVocabulary.states.keys)
        #expect(names.subtracting(known).subtracting(["version"]) == [])
    }

    private static func sources() throws -> [(file: String, text: String)] {
        try ["Sources/VoiceCore", "Sources/JarvisVoiced"].flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
                .map {
                    (
                        file: $0,
                        text: String(
                            decoding: try FileReader.system.read("\(folder)/\($0)", 1 << 20).bytes,
                            as: UTF8.self
                        )
                    )
                }
        }
    }

    private static func messages() throws -> [(file: String, text: String)] {
        var found: [(file: String, text: String)] = []
        for (file, text) in try sources() {
            var literals: [Substring] = []
            let logged =
                /logger\.(?:trace|debug|info|notice|warning|error|critical)\(\s*(?:[^"()]*\? )?"((?:[^"\\\n]|\\.)*)"(?: : "((?:[^"\\\n]|\\.)*)")?/
            for match in text.matches(of: logged) { literals += [match.output.1, match.output.2 ?? ""] }
            let named = /(?:Logger\.Message = |failing: |note: |let lost = |\{ _ in\s*)"((?:[^"\\\n]|\\.)*)"/
            literals += text.matches(of: named).map(\.output.1)
            // Log lines that are composed elsewhere than they are written.
            if file.hasSuffix("/JarvisFailure.swift"), let begin = text.firstRange(of: "logLine"),
                let end = text.firstRange(of: "providerText")
            {
                let part = text[begin.upperBound..<end.lowerBound]
                literals += part.matches(of: /: "((?:[^"\\\n]|\\.)*)"/).map(\.output.1)
            }
            if file.hasSuffix("/DuplexLog.swift") {
                literals += text.matches(of: /"(echo: (?:[^"\\\n]|\\.)*)"/).map(\.output.1)
            }
            for literal in literals {
                var sentence = String(literal).replacing("\\\"", with: "\"")
                if let value = sentence.firstRange(of: "\\(") {
                    // Up to the last whole word before the value.
                    let before = sentence[..<value.lowerBound]
                    sentence = before.split(separator: " ", omittingEmptySubsequences: false).dropLast().joined(
                        separator: " "
                    )
                }
                if !sentence.isEmpty { found.append((file, sentence)) }
            }
        }
        return found
    }

    @Test func ofTheSystemTheKernelAndTheDistributionAreShown() {
        let kernel = "Linux version 6.1.0-18-arm64 (anna@annas-desk) (gcc-12 (Debian 12.2.0-14)) #1 SMP Debian"
        #expect(SupportBundle.kernel(kernel) == "Linux version 6.1.0-18-arm64")
        #expect(SupportBundle.kernel("anna@annas-desk") == "")
        #expect(
            SupportBundle.distribution("NAME=\"anna\"\nID=debian\nVERSION_ID=\"12\"") == "ID=debian\nVERSION_ID=\"12\""
        )
    }

    @Test func ofCardsTheDriversNamesAreShown() {
        let cards = " 0 [PCH            ]: HDA-Intel - HDA Intel PCH\n 1 [AnnasRoom      ]: USB-Audio - USB PnP"
        #expect(
            DeviceName.cards(cards)
                == " 0 [PCH            ]: HDA-Intel - HDA Intel PCH\n 1 [(not shown)]: USB-Audio - USB PnP"
        )
        #expect(DeviceName.id("Device_1\n") == "Device_1\n" && DeviceName.id("AnnasRoom\n") == "(not shown)\n")
    }

    @Test func knownSecretsAreTakenOutWhereverTheyStand() throws {
        let redactor = Redactor([try #require(Secret("abc")), try #require(Secret("abcdef"))])
        #expect(redactor.clean("xabcdefy abc, ab abcabc") == "x(secret)y (secret), ab (secret)(secret)")
        // Twice the same, and within its own replacement.
        let letter = try #require(Secret("t"))
        #expect(Redactor([letter, letter]).clean("at") == "a(secret)")
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
            Environment=493211
            Description=The pin is 493211
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
                Environment=(not shown)
                Description=(not shown)
                (unknown setting)=(not shown)
                """
        )
    }

    /// The shipped unit is shown unchanged, except for its comments, its description and the source of its credentials.
    @Test func theShippedUnitIsShown() throws {
        let bytes = try FileReader.system.read("systemd/jarvis-voiced.service", 1 << 16).bytes
        let lines = RedactedUnit.text(String(decoding: bytes, as: UTF8.self)).split(separator: "\n")
        let hidden = lines.filter { $0.contains("not shown") || $0.contains("unknown") }.map { $0.prefix { $0 != "=" } }
        #expect(hidden.allSatisfy { ["Description", "SetCredential"].contains($0) }, "\(hidden)")
    }

    @Test(arguments: [
        ("/home/anna/x.toml:3:1: unknown key realtime.sk-1", "(not shown):3:1: unknown key (not shown)"),
        (
            "echo.duplex must be one of \"auto\", \"full\" or \"half\", got \"hunter\"",
            "echo.duplex must be one of \"auto\", \"full\" or \"half\", got (not shown)"
        ),
        ("the card is plughw:CARD=AnnasRoom,DEV=0.", "the card is plughw:CARD=(not shown),DEV=0."),
        (
            "realtime.speed must be a number from 0.25 to 1.5, got \"sk 1 the\"",
            "realtime.speed must be a number from 0.25 to 1.5, got (not shown)"
        ),
        ("http://radio.example/secret/live answers", "(not shown) answers"),
        ("the code is 493211", "the code is (not shown)"),
        ("the card runs at 48000 Hz, hw:1,0", "the card runs at 48000 Hz, hw:1,0"),
        ("/var/lib/jarvis-voiced can be written", "/var/lib/jarvis-voiced can be written"),
        ("hw:sk-1 plug:hunter=2", "(not shown)"),
    ])
    func ofAFindingTheDoctorsOwnWordsAreShown(text: String, shown: String) {
        #expect(RedactedFinding.text(text) == shown)
    }

    /// Spoken words, in the program's log line, stay within their quotes.
    @Test(arguments: [
        #"a\" ms=4242 b"#, "a\"\u{301} ms=4242 b", "\u{301}a ms=4242 b", "\" ms=4242 \u{301}", #"\\" ms=4242"#,
        "a\\\"\u{301} ms=4242 \"\u{301}",
    ])
    func noQuoteInAValueEndsIt(value: String) {
        let line = JournalLogHandler.line(
            "said",
            [(key: "text", value: value), (key: "turn", value: "3")],
            subject: nil,
            level: .info,
            style: .journal,
            hasJournal: false
        )
        let text = line.text.dropFirst("<6>".utf8.count).dropLast()
        let shown = RedactedJournal.line("2026-01-31T10:00:00+0100 host jarvis-voiced[7]: \(text)")
        #expect(!shown.contains("4242") && shown.contains("turn=3"), "\(shown)")
    }

    /// Random words, in every place where a person, a program or a page could have put them.
    @Test func plantedWordsAreNeverShown() async throws {
        var random = SeededGenerator(seed: 17)
        // A separate generator: words are made while the other one is in use.
        var lettering = SeededGenerator(seed: 18)
        let context = DoctorContext(overrides: [], environment: [:], files: .stub([:]))
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
            let bundle = SupportBundle(context: context, report: report, version: "1")
            let text = await bundle.files(journal: journal).map(\.text).joined(separator: "\n")
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
