import Testing

@testable import VoiceBase
@testable import VoiceConfiguration

struct SecretsTests {
    @Test func theFileComesBeforeTheCredentialBeforeTheEnvironment() throws {
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

    @Test func aBlankCredentialIsNone() throws {
        let environment = ["CREDENTIALS_DIRECTORY": "/run/creds", "OPENAI_API_KEY": "three"]
        let found = try secrets(
            Configuration(),
            environment,
            ["/run/creds/openai-api-key": "\n", "/run/creds/jarvis-token": ""]
        )
        #expect(found.key(.openAI).secret?.revealed == "three")
        #expect(found.jarvisToken.secret == nil)
    }

    @Test func theTokenHasTwoNames() throws {
        let both = try secrets(Configuration(), ["TERM_LLM_SERVE_TOKEN": "b", "JARVIS_TOKEN": "a"], [:])
        #expect(both.jarvisToken.secret?.revealed == "a")
        let one = try secrets(Configuration(), ["TERM_LLM_SERVE_TOKEN": "b"], [:])
        #expect(one.jarvisToken.secret?.revealed == "b")
        #expect(one.key(.openAI).secret == nil)
        #expect(one.key(.openAI).status == "not set")
    }

    @Test func aFileThatIsNamedMustBeUsable() {
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

    @Test func aFileForEverybodyIsWarnedOf() throws {
        var configuration = Configuration()
        configuration.realtime.apiKeyFile = "/key"
        let found = try Secrets(
            configuration: configuration,
            environment: [:],
            files: .stub(["/key": Array("one".utf8)], readableByOthers: true)
        )
        #expect(found.warnings == ["/key is readable by every user of this machine: chmod o-r /key"])
    }

    @Test func aSecretDoesNotPrintItself() throws {
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
