import Testing

@testable import VoiceCore

struct OutsideJSONTests {
    private static func nested(_ levels: Int) -> String {
        String(repeating: #"{"a":"#, count: levels) + "1" + String(repeating: "}", count: levels)
    }

    private func decode(_ text: String, atMost limit: Int = 1 << 20) -> JSONValue? {
        OutsideJSON.decode(JSONValue.self, from: text.utf8, atMost: limit)
    }

    @Test func whatIsTooDeepIsNotDecoded() {
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

    @Test func whatIsTooLongIsNotDecoded() {
        #expect(decode("[1,2]", atMost: 5) == [1, 2])
        #expect(decode("[1,2]", atMost: 4) == nil)
    }

    @Test func bracketsCannotHideInAnotherEncoding() {
        let wide = "[[1]]".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        #expect(OutsideJSON.decode(JSONValue.self, from: wide, atMost: 100) == nil)
    }

    /// The same message on every way in: refused, in no time, whatever the stack of the thread.
    @Test func noWayInTakesWhatIsTooDeep() throws {
        let deep = Self.nested(509)
        let start = ContinuousClock.now
        #expect(throws: ServerEventDecoder.Failure.malformed) {
            try ServerEventDecoder().decode(#"{"type":"session.updated","session":\#(deep)}"#)
        }
        #expect(throws: ControlRequest.Refusal.self) {
            try ControlRequest(line: Array(#"{"command":"status","arguments":\#(deep)}"#.utf8))
        }
        var wyoming = WyomingDecoder()
        #expect(throws: WakeWordError.self) {
            try wyoming.take(Array(#"{"type":"detection","data":\#(deep)}"#.utf8 + [10]))
        }
        var run = ResponsesRun()
        #expect(run.handle(ServerSentEvent(id: "1", name: "response.created", data: #"{"x":\#(deep)}"#)) == .none)
        #expect(run.runID == nil)
        #expect(ArchiveItem(Array(#"{"files":[],"x":\#(deep)}"#.utf8), identifier: "x") == nil)
        struct Arguments: Decodable { var query: String }
        #expect(ToolArguments.decode(Arguments.self, from: #"{"query":"x","y":\#(deep)}"#) == nil)
        #expect(ContinuousClock.now - start < .seconds(1))
    }
}
