import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceCore

struct ConfigurationReferenceTests {
    @Test func theReferenceIsMadeFromTheTable() throws {
        let isCurrent = try ProjectFiles.isGenerated("docs/configuration.md", ConfigurationReference.text)
        #expect(isCurrent, "run the tests once with UPDATE_SAMPLE=1 to write it anew")
    }

    /// A copy of an example has the effect that its comments describe, without an error.
    @Test func theMinimalExampleIsAConfiguration() throws {
        let bytes = try Data(contentsOf: ProjectFiles.url("docs/examples/minimal.toml"))
        let loader = ConfigurationLoader(environment: [:], files: .stub(["/c": Array(bytes)]))
        let loaded = try loader.load(path: "/c")
        #expect(loaded.values.audio.input == "Jabra")
        #expect(loaded.values.jarvis.url == "http://homelab.lan:8080/ui")
    }
}
