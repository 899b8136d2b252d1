import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceCore

struct SecretsTests {
    @Test func filePrecedesCredentialPrecedesEnvironment() throws {
        var configuration = Configuration()
        configuration.realtime.apiKeyFile = "/key"
        let files = ["/key": "one\n", "/run/creds/openai-api-key": "two"]
        let environment = ["CREDENTIALS_DIRECTORY": "/run/creds", "OPENAI_API_KEY": "three"]
        let all = try secrets(configuration, environment, files)
        #expect(all.key(.openAI).secret?.revealed == "one")
        #expect(all.key(.openAI).origin == "file /key")
        let without = try secrets(Configuration(), environment, files)
        #expect(without.key(.openAI).secret?.revealed == "two")
        let bare = try secrets(Configuration(), environment, [:])
        #expect(bare.key(.openAI).secret?.revealed == "three")
        #expect(bare.key(.openAI).status == "set (from environment OPENAI_API_KEY)")
    }

    @Test func blankCredentialIsIgnored() throws {
        let environment = ["CREDENTIALS_DIRECTORY": "/run/creds", "OPENAI_API_KEY": "three"]
        let found = try secrets(
            Configuration(), environment, ["/run/creds/openai-api-key": "\n", "/run/creds/jarvis-token": ""]
        )
        #expect(found.key(.openAI).secret?.revealed == "three")
        #expect(found.jarvisToken.secret == nil)
    }

    /// A container empties the unit's `LoadCredential=`, or systemd cannot mount the credentials there.
    @Test(arguments: [
        ["CREDENTIALS_DIRECTORY": "/run/creds"], ["CREDENTIALS_DIRECTORY": "/nowhere"],
        ["NOTIFY_SOCKET": "/run/notify"],
    ])
    func withheldCredentialIsReadFromItsFileOrNamed(environment: [String: String]) throws {
        func find(_ isClosed: Bool, _ more: [String: String] = [:]) throws -> Secrets {
            let reader = FileReader { (path, _) throws(FileReader.Fault) in
                switch path {
                case "/run/creds/openai-api-key", "/run/creds/jarvis-token": return .init(bytes: [0x0A])
                case "/etc/jarvis-voiced/openai-api-key":
                    guard !isClosed else { throw .system(13) }
                    return .init(bytes: Array("sk-file\n".utf8))
                case "/home/me/.config/jarvis-voiced/openai-api-key": return .init(bytes: Array("sk-mine\n".utf8))
                default: throw .absent
                }
            }
            let environment = environment.merging(more) { $1 }
            return try Secrets(configuration: Configuration(), environment: environment, files: reader)
        }
        let closed = try find(true)
        #expect(closed.key(.openAI).secret == nil)
        #expect(closed.withheld == ["openai-api-key": "/etc/jarvis-voiced/openai-api-key"])
        #expect(closed.warnings.count == 1 && closed.warnings[0].contains("LoadCredential="))
        #expect(closed.warnings[0].contains("chown jarvis-voiced /etc/jarvis-voiced/openai-api-key"))
        let open = try find(false)
        #expect(open.key(.openAI).secret?.revealed == "sk-file")
        #expect(open.key(.openAI).origin == "file /etc/jarvis-voiced/openai-api-key")
        #expect(open.withheld.isEmpty && open.warnings.isEmpty)
        // A service of the user has files of the user's.
        let own = try find(true, ["XDG_RUNTIME_DIR": "/run/user/1000", "HOME": "/home/me"])
        #expect(own.key(.openAI).secret?.revealed == "sk-mine")
        // A key of the environment needs neither.
        #expect(try find(true, ["OPENAI_API_KEY": "sk-e"]).withheld.isEmpty)
    }

    @Test func filesOfTheUnitAreNotReadOutsideIt() throws {
        let found = try secrets(Configuration(), [:], ["/etc/jarvis-voiced/openai-api-key": "sk-1"])
        #expect(found.key(.openAI).secret == nil)
    }

    @Test func theTokenHasTwoNames() throws {
        let both = try secrets(Configuration(), ["TERM_LLM_SERVE_TOKEN": "b", "JARVIS_TOKEN": "a"], [:])
        #expect(both.jarvisToken.secret?.revealed == "a")
        let one = try secrets(Configuration(), ["TERM_LLM_SERVE_TOKEN": "b"], [:])
        #expect(one.jarvisToken.secret?.revealed == "b")
        #expect(one.key(.openAI).secret == nil)
        #expect(one.key(.openAI).status == "not set")
    }

    @Test func namedKeyFileMustBeReadable() {
        var configuration = Configuration()
        configuration.jarvis.tokenFile = "/token"
        for (files, message) in [
            ([:], "jarvis.token_file: /token cannot be read: no such file"),
            (
                ["/token": " \n"],
                "jarvis.token_file: /token contains no usable secret: it must be one line of printable ASCII without blanks"
            ),
            (
                ["/token": "a\nb"],
                "jarvis.token_file: /token contains no usable secret: it must be one line of printable ASCII without blanks"
            ),
        ] as [([String: String], String)] {
            do {
                _ = try secrets(configuration, [:], files)
                Issue.record("accepted \(files)")
            } catch {
                #expect("\(error)" == message)
            }
        }
    }

    @Test func worldReadableFileGivesAWarning() throws {
        var configuration = Configuration()
        configuration.realtime.apiKeyFile = "/key"
        let found = try Secrets(
            configuration: configuration, environment: [:],
            files: .stub(["/key": Array("one".utf8)], readableByOthers: true)
        )
        #expect(found.warnings == ["/key is readable by every user of this machine: chmod o-r /key"])
    }

    @Test func secretIsNotPrinted() throws {
        let found = try secrets(Configuration(), ["OPENAI_API_KEY": "sk-hidden"], [:])
        var dumped = ""
        dump(found, to: &dumped)
        for text in ["\(found)", String(reflecting: found), dumped] {
            #expect(!text.contains("hidden"))
        }
    }

    private func secrets(
        _ configuration: Configuration,
        _ environment: [String: String],
        _ files: [String: String]
    ) throws(ConfigurationError) -> Secrets {
        try Secrets(
            configuration: configuration,
            environment: environment,
            files: .stub(files.mapValues { Array($0.utf8) })
        )
    }
}
