import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceCore

struct ConfigurationSampleTests {
    @Test func theSampleFileIsTheGeneratedText() throws {
        let isCurrent = try ProjectFiles.isGenerated("config/jarvis-voiced.toml", ConfigurationSample.text)
        #expect(isCurrent, "run the tests once with UPDATE_SAMPLE=1 to write it anew")
    }

    @Test func theSampleChangesNothing() throws {
        #expect(try load(ConfigurationSample.text).values == Configuration())
    }

    @Test func sampleWithEveryKeyEnabledChangesNothing() throws {
        let lines = ConfigurationSample.text.split(separator: "\n").map { line in
            line.hasPrefix("#") && !line.hasPrefix("# ") ? String(line.dropFirst()) : String(line)
        }
        let loaded = try load(lines.joined(separator: "\n"))
        #expect(loaded.values == Configuration())
        #expect(loaded.origins.count == ConfigurationSchema.keys.count)
    }

    @Test func everyPathAndEveryVariableIsUnique() {
        #expect(Set(ConfigurationSchema.keys.map(\.path)).count == ConfigurationSchema.keys.count)
        #expect(Set(ConfigurationSchema.keys.map(\.environmentName)).count == ConfigurationSchema.keys.count)
        for key in ConfigurationSchema.keys {
            #expect(ConfigurationSchema.sections.contains { $0.name == key.section })
        }
    }

    @Test func listingIsAValidConfiguration() throws {
        let loaded = try load("audio.input = \"hw:1\"")
        let secrets = try Secrets(
            configuration: loaded.values, environment: ["OPENAI_API_KEY": "sk-verysecret"], files: .stub([:])
        )
        let text = ConfigurationListing.text(loaded, secrets: secrets)
        #expect(try load(text).values == loaded.values)
        #expect(text.contains("# api key: set (from environment OPENAI_API_KEY)"))
        #expect(text.contains("# jarvis token: not set"))
        #expect(text.contains("# file, line 1"))
        #expect(!text.contains("verysecret"))
    }

    private func load(_ text: String) throws -> LoadedConfiguration {
        try ConfigurationLoader(environment: [:], files: .stub(["/c": Array(text.utf8)])).load(path: "/c")
    }
}
