import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceMedia
@testable import VoiceNetwork

struct OutsideJSONTests {
    private static func nested(_ levels: Int) -> String {
        String(repeating: #"{"a":"#, count: levels) + "1" + String(repeating: "}", count: levels)
    }

    private func decode(_ text: String, atMost limit: Int = 1 << 20) -> JSONValue? {
        OutsideJSON.decode(JSONValue.self, from: text.utf8, atMost: limit)
    }

    @Test func tooDeepNestingIsRefused() {
        #expect(decode(Self.nested(OutsideJSON.deepest)) != nil)
        #expect(decode(Self.nested(OutsideJSON.deepest + 1)) == nil)
        #expect(decode(String(repeating: "[", count: 1 << 20)) == nil)
        #expect(decode(String(repeating: "]", count: 100) + String(repeating: "[", count: 100)) == nil)
    }

    @Test func bracketsInTextAreText() {
        let brackets = String(repeating: "{[", count: 100)
        #expect(decode(#"{"a":"\#(brackets)\"\#(brackets)"}"#)?["a"]?.stringValue == brackets + "\"" + brackets)
        #expect(decode(#"{"a":"\\"}"#)?["a"]?.stringValue == "\\")
    }

    @Test func tooLongTextIsRefused() {
        #expect(decode("[1,2]", atMost: 5) == [1, 2])
        #expect(decode("[1,2]", atMost: 4) == nil)
    }

    @Test func bracketsCannotHideInAnotherEncoding() {
        let wide = "[[1]]".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        #expect(OutsideJSON.decode(JSONValue.self, from: wide, atMost: 100) == nil)
    }

    /// Half of a surrogate pair, or a byte that is not UTF-8: one character is lost, not the answer.
    @Test(arguments: [
        (#""It is \ud83d sunny.""#, "It is \u{FFFD} sunny."), (#""It is \uDE00 sunny.""#, "It is \u{FFFD} sunny."),
        (#""\ud83d\ud83d\ude00""#, "\u{FFFD}\u{1F600}"), (#""\ud83d\u0041\\ud83d\uD83D""#, "\u{FFFD}A\\ud83d\u{FFFD}"),
    ])
    func brokenCharactersAreReplaced(json: String, text: String) {
        #expect(decode("[\(json)]") == [.string(text)])
    }

    @Test func invalidBytesAreReplaced() {
        for bytes: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xE2, 0x82]] {
            let value = OutsideJSON.decode(
                JSONValue.self,
                from: Array("{\"a\":\"It is ".utf8) + bytes + Array(" sunny.\"}".utf8),
                atMost: 100
            )
            let text = value?["a"]?.stringValue
            #expect(text?.hasPrefix("It is \u{FFFD}") == true && text?.hasSuffix(" sunny.") == true, "\(bytes)")
        }
        #expect(decode("{\"a\":\"x\"") == nil, "what is no JSON stays none")
    }

    /// The same message on every input: refused, whatever the stack of the thread.
    @Test func everyInputRefusesTooDeepNesting() throws {
        let deep = Self.nested(509)
        #expect(throws: ServerEventDecoder.Failure.malformed) {
            try ServerEventDecoder().decode(#"{"type":"session.updated","session":\#(deep)}"#)
        }
        #expect(throws: ControlRequest.Refusal.self) {
            try ControlRequest(line: Array(#"{"command":"status","arguments":\#(deep)}"#.utf8))
        }
        var wyoming = WyomingDecoder()
        #expect(throws: WyomingFault.self) {
            try wyoming.consume(Array(#"{"type":"detection","data":\#(deep)}"#.utf8 + [10]))
        }
        var run = ResponsesRun()
        #expect(run.handle(ServerSentEvent(id: "1", name: "response.created", data: #"{"x":\#(deep)}"#)) == .none)
        #expect(run.runID == nil)
        #expect(ArchiveItem(Array(#"{"files":[],"x":\#(deep)}"#.utf8), identifier: "x") == nil)
        struct Arguments: Decodable { var query: String }
        #expect(ToolArguments.decode(Arguments.self, from: #"{"query":"x","y":\#(deep)}"#) == nil)
    }

    /// Values of two bytes each, in one message of the length that is allowed: refused before a decoder sees them.
    @Test(arguments: ["[],", "0,", "{},", "\"\",", "[0],"])
    func tooManyValuesAreNotDecoded(value: String) throws {
        func list(_ count: Int) -> String {
            "[" + String(String(repeating: value, count: count).dropLast()) + "]"
        }
        #expect(decode(list(100)) != nil)
        #expect(decode(list(300_000), atMost: 4 << 20) == nil)
        #expect(throws: ServerEventDecoder.Failure.malformed) {
            try ServerEventDecoder().decode(#"{"type":"x","x":\#(list(20_000))}"#)
        }
    }

    @Test func aCallerMayExpectMoreValues() {
        let text = "[" + String(repeating: "1,", count: OutsideJSON.mostValues) + "1]"
        #expect(decode(text) == nil)
        #expect(OutsideJSON.decode([Int].self, from: text.utf8, atMost: 1 << 20, values: .max)?.count == 16_385)
    }

    @Test func aMessageWithoutSoundHasALimit() {
        func limit(_ instructions: String) -> Int {
            ServerEventDecoder.longest(echoing: RealtimeSettings(instructions: instructions, tools: []))
        }
        #expect(limit("Be brief.") == 64 << 10)
        // The settings, which the server repeats, may be longer.
        #expect(limit(String(repeating: "я", count: 20_000)) > 120_000)
        #expect(limit(String(repeating: "я", count: 2_000_000)) == ServerEventDecoder.longest)
    }
}
