import FoundationEssentials
import Testing

@testable import VoiceConfiguration
@testable import VoiceCore

struct ConfigurationReferenceTests {
    private static let docs = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs")

    @Test func theReferenceIsMadeFromTheTable() throws {
        let path = Self.docs.appending(path: "configuration.md")
        if ProcessInfo.processInfo.environment["UPDATE_SAMPLE"] != nil {
            try Data(ConfigurationReference.text.utf8).write(to: path)
        }
        let file = try String(decoding: Data(contentsOf: path), as: UTF8.self)
        #expect(file == ConfigurationReference.text, "run the tests once with UPDATE_SAMPLE=1 to write it anew")
    }

    /// A copy of an example has the effect that its comments describe, without an error.
    @Test func theMinimalExampleIsAConfiguration() throws {
        let bytes = try Data(contentsOf: Self.docs.appending(path: "examples/minimal.toml"))
        let loader = ConfigurationLoader(environment: [:], files: .stub(["/c": Array(bytes)]))
        let loaded = try loader.load(path: "/c")
        #expect(loaded.values.audio.input == "Jabra")
        #expect(loaded.values.jarvis.url == "http://homelab.lan:8080/ui")
    }
}
