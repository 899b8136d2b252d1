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
            #expect(text.contains("speaker=user text=(not shown) late=yes"))
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
        (#"a text="say \"x\" now" b=1"#, "a text=(not shown) b=1"), ("a query=word b=1", "a query=(not shown) b=1"),
        (#"a text="never closed"#, "a text=(not shown)"), ("context=1 text", "context=1 text"), ("", ""),
        (#"a text="ends in \"#, "a text=(not shown)"),
    ])
    func spokenWordsAreTakenOutOfTheJournal(line: String, shown: String) {
        #expect(RedactedJournal.withoutSpeech(line) == shown)
    }

    @Test func knownSecretsAreTakenOutWhereverTheyStand() throws {
        let redactor = Redactor([try #require(Secret("abc")), try #require(Secret("abcdef"))])
        #expect(redactor.clean("xabcdefy abc, ab abcabc") == "x(secret)y (secret), ab (secret)(secret)")
        #expect(Redactor([]).clean("plain") == "plain")
        #expect(Redactor(nil as Secrets?).clean("key sk-12345") == "key (key)")
    }

    @Test func aUnitsEnvironmentIsNotShown() {
        let unit = "[Service]\nEnvironment=KEY=1\nSetCredential=x:secret\nEnvironmentFile=-/etc/default/x"
        #expect(
            SupportBundle.withoutValues(unit)
                == "[Service]\nEnvironment=(not shown)\nSetCredential=(not shown)\nEnvironmentFile=-/etc/default/x"
        )
    }
}
