import Testing

@testable import VoiceBase
@testable import VoiceCore

struct ConfigurationTextTests {
    private func changed(_ text: String, _ changes: [(String, ConfigurationValue)]) throws -> String {
        var changed = try ConfigurationText(Array(text.utf8))
        for (path, value) in changes { try changed.set(#require(ConfigurationSchema.key(path)), to: value) }
        return String(decoding: changed.bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("[audio]\ninput = \"a\"\n", "[audio]\ninput = \"b\"\n"),
        ("[audio]\n  input='a' # of the shelf\n", "[audio]\n  input= \"b\" # of the shelf\n"),
        ("[audio]\ninput = \"a # \\\" b\" # c\n", "[audio]\ninput = \"b\" # c\n"),
        ("audio.input = \"a\"\n", "audio.input = \"b\"\n"),
        ("[audio]\r\ninput = \"a\" # c\r\nagc = true\r\n", "[audio]\r\ninput = \"b\" # c\r\nagc = true\r\n"),
        ("[audio]\ninput = \"\"\"\na\"\"\"\nagc = true", "[audio]\ninput = \"b\"\nagc = true"),
        (
            "[audio]\n#agc = false\n\n# Doc.\n#input = \"default\"\n\n[log]\n#input = 1\n",
            "[audio]\n#agc = false\n\n# Doc.\n#input = \"default\"\ninput = \"b\"\n\n[log]\n#input = 1\n"
        ),
        ("[log]\n[audio]", "[log]\n[audio]\ninput = \"b\""),
        ("", "\n[audio]\ninput = \"b\"\n"),
        ("[log]\nlevel = \"info\"", "[log]\nlevel = \"info\"\n\n[audio]\ninput = \"b\"\n"),
    ])
    func changesOneKeyAndKeepsEveryOtherLine(old: String, new: String) throws {
        #expect(try changed(old, [("audio.input", .text("b"))]) == new)
    }

    @Test func replacesAListOfSeveralLines() throws {
        let old = "[service]\nuse = [ # mine\n  \"openai\",\n  \"local\",\n]\n\n[log]\n"
        #expect(
            try changed(old, [("service.use", .texts(["local"]))])
                == "[service]\nuse = [\"local\"] # mine\n\n[log]\n"
        )
    }

    @Test func changesTheSampleInItsPlaces() throws {
        let new = try changed(
            ConfigurationSample.text,
            [("audio.input", .text("a\"b")), ("jarvis.url", .text("http://h/ui")), ("activation.mode", .text("wake"))]
        )
        let added = ["input = \"a\\\"b\"", "url = \"http://h/ui\"", "mode = \"wake\""]
        let lines = new.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.filter { !added.contains($0) }.joined(separator: "\n") == ConfigurationSample.text)
        for (line, above) in zip(
            added,
            ["#input = \"default\"", "#url = \"http://127.0.0.1:8080/ui\"", "#mode = \"always\""]
        ) {
            let place = try #require(lines.firstIndex(of: line))
            #expect(lines[place - 1] == above)
        }
    }

    @Test(arguments: ["audio = { input = \"a\" }\n", "audio.agc = true\n"])
    func refusesAnUnchangeableForm(old: String) {
        #expect(throws: ConfigurationError.self) { try changed(old, [("audio.input", .text("b"))]) }
    }
}
