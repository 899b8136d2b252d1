import Logging
import Testing

@testable import VoiceBase
@testable import VoiceCore

/// Text from outside, wherever it is written for people: the journal, what `ctl` prints, and the lines of the control socket.
struct HiddenCharacterTests {
    @Test(
        arguments: [
            (0x07, "\\u{7}"), (0x1B, "\\u{1b}"), (0x7F, "\\u{7f}"), (0x9B, "\\u{9b}"), (0xAD, "\\u{ad}"),
            (0x200B, "\\u{200b}"),
            (0x202E, "\\u{202e}"), (0x2028, "\\u{2028}"), (0x2066, "\\u{2066}"), (0x3164, "\\u{3164}"),
            (0xFE0F, "\\u{fe0f}"),
            (0xFEFF, "\\u{feff}"), (0xE000, "\\u{e000}"), (0xE0041, "\\u{e0041}"), (0x0D, "\\r"), (0x09, "\\t"),
        ] as [(UInt32, String)]
    )
    func hiddenCharactersAreEscapedAlikeEverywhere(scalar: UInt32, shown: String) throws {
        let text = "a" + String(try #require(Unicode.Scalar(scalar))) + "b"
        let escaped = "a" + shown + "b"
        #expect(text.escapingHidden() == escaped)
        let line = JournalLogHandler.line(
            text, [(key: "title", value: text)], subject: nil, level: .info, style: .journal, hasJournal: true
        )
        #expect(line.entry?["MESSAGE"]?.hasPrefix(escaped) == true)
        #expect(line.entry?["JARVIS_TITLE"] == escaped)
        #expect(ControlText.lines(["text": .string(text)]) == escaped + "\n")
        #expect(ControlText.lines(["event": "media", "title": .string(text)]) == "media title=\(escaped)\n")
        #expect(ControlText.lines(["list": ["x", .string(text)]]) == "list: x; \(escaped)\n")
        // The same JSON, in visible characters.
        let bytes = ControlMessage.line(["title": .string(text)])
        let whole = String(decoding: bytes.dropLast(), as: UTF8.self)
        #expect(!whole.unicodeScalars.contains { $0.isHidden })
        #expect(ControlMessage.parse(bytes) == ["title": .string(text)])
    }

    @Test(arguments: ["Grüße", "日本語", "a\u{301}", "tür – “ja”", "🎵", "עברית", "a\u{A0}b"])
    func visibleCharactersAreKept(text: String) {
        #expect(text.escapingHidden() == text)
        #expect(ControlMessage.line(.string(text)) == Array("\"\(text)\"\n".utf8))
    }

    @Test func theTextOfAReplyKeepsItsLines() {
        #expect(ControlText.lines(["text": "one\ntwo"]) == "one\ntwo\n")
    }
}
