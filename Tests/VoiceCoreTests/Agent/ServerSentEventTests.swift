import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceConversation

struct ServerSentEventTests {
    private static let stream = """
        id: 1\nevent: response.created\ndata: {"a":1}\n\n: ping\n\ndata:first\ndata: second\ndata:  third\n\n\
        id\ndata\n\ndata\ndata\n\nretry: 250\nretry: x1\nunknown: field\nevent: lone\n\ndata: [DONE]\n\ndata: cut
        """
    private static let events = [
        ServerSentEvent(id: "1", name: "response.created", data: "{\"a\":1}"),
        ServerSentEvent(id: "1", data: "first\nsecond\n third"),
        ServerSentEvent(data: "\n"),
        ServerSentEvent(data: "[DONE]"),
    ]

    @Test(arguments: ["\n", "\r\n", "\r"]) func anyLineEndIsOne(end: String) throws {
        let bytes = Self.stream.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: end).utf8
        var whole = ServerSentEventParser()
        #expect(try whole.feed(bytes) == Self.events)
        var single = ServerSentEventParser()
        #expect(try bytes.flatMap { try single.feed([$0]) } == Self.events)
        var marked = ServerSentEventParser()
        #expect(try ([0xEF, 0xBB, 0xBF] + Array(bytes)).flatMap { try marked.feed([$0]) } == Self.events)
    }

    @Test func anIDWithANullByteIsNotTaken() throws {
        var parser = ServerSentEventParser()
        #expect(try parser.feed("id: 7\nid: 8\u{0}\ndata: x\n\n".utf8) == [ServerSentEvent(id: "7", data: "x")])
    }

    @Test func endlessEventIsRefused() throws {
        let limits = ServerSentEventParser.Limits(lineBytes: 100, eventBytes: 300)
        var endless = ServerSentEventParser(limits: limits)
        #expect(throws: ServerSentEventParser.TooLong.self) {
            for _ in 0..<101 { _ = try endless.feed("x".utf8) }
        }
        #expect(throws: ServerSentEventParser.TooLong.self) { try endless.feed("\n\ndata: x\n\n".utf8) }
        var manyLines = ServerSentEventParser(limits: limits)
        #expect(throws: ServerSentEventParser.TooLong.self) {
            for _ in 0..<10 { _ = try manyLines.feed("data: \(String(repeating: "y", count: 60))\n".utf8) }
        }
    }

    /// Whatever the bytes and however they are cut, the parser yields the same events and fails in no other way.
    @Test func anyBytesInAnyPiecesGiveTheSameEvents() {
        var random = SeededGenerator(seed: 20_261_121)
        let alphabet = Array("data: id:event retry\r\n\n\n:x0\u{0}".utf8) + [0xEF, 0xBB, 0xBF, 0xFF]
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0..<160, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            let limits = ServerSentEventParser.Limits(lineBytes: 40, eventBytes: 60)
            let whole = Self.events(of: [bytes[...]], limits)
            var pieces: [ArraySlice<UInt8>] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...min(9, rest.count), using: &random)
                pieces.append(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            let cut = Self.events(of: pieces, limits)
            #expect(cut.failed == whole.failed)
            if !whole.failed { #expect(cut.events == whole.events) }
            #expect(cut.events.allSatisfy { !$0.data.isEmpty && $0.data.utf8.count <= 3 * limits.eventBytes })
        }
    }

    private static func events(
        of pieces: [ArraySlice<UInt8>],
        _ limits: ServerSentEventParser.Limits
    ) -> (events: [ServerSentEvent], failed: Bool) {
        var parser = ServerSentEventParser(limits: limits)
        var events: [ServerSentEvent] = []
        for piece in pieces {
            guard let more = try? parser.feed(piece) else { return (events, true) }
            events += more
        }
        return (events, false)
    }
}
