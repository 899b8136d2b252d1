import Testing

@testable import TestSupport

struct WebSocketDecoderTests {
    private typealias Frames = WebSocketFrames

    /// RFC 6455 section 5.7.
    @Test func readsTheExamplesOfTheRFC() {
        #expect(Frames.events([0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]) == [.text("Hello")])
        #expect(
            Frames.events([0x01, 0x03, 0x48, 0x65, 0x6c, 0x80, 0x02, 0x6c, 0x6f]) == [.text("Hello")]
        )
        #expect(Frames.events([0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]) == [.ping(Array("Hello".utf8))])
        #expect(
            Frames.events([0x82, 0x7e, 0x01, 0x00] + [UInt8](repeating: 7, count: 256))
                == [.binary([UInt8](repeating: 7, count: 256))]
        )
        #expect(
            Frames.events([0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 7, count: 65_536))
                == [.binary([UInt8](repeating: 7, count: 65_536))]
        )
    }

    /// Section 5.4: control frames may come between fragments, and fragments may be empty.
    @Test func controlFramesMayComeInsideAMessage() {
        let bytes =
            Frames.frame(0x1, Array("a".utf8), fin: false) + Frames.frame(0x9, [1])
            + Frames.frame(0x0, [], fin: false) + Frames.frame(0xa, [2]) + Frames.frame(0x0, Array("b".utf8))
            + Frames.text("c")
        #expect(Frames.events(bytes) == [.ping([1]), .pong([2]), .text("ab"), .text("c")])
    }

    @Test func aMessageOfEmptyFramesIsEmpty() {
        #expect(Frames.events(Frames.frame(0x1, fin: false) + Frames.frame(0x0)) == [.text("")])
        #expect(Frames.events(Frames.frame(0x2) + Frames.frame(0x1)) == [.binary([]), .text("")])
    }

    struct Violation: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]
        var code: UInt16 = 1002

        init(_ testDescription: String, _ bytes: [UInt8], _ code: UInt16 = 1002) {
            self.testDescription = testDescription
            self.bytes = bytes
            self.code = code
        }
    }

    static let violations = [
        Violation("5.2: reserved bit 1", frame(0x1, reserved: 4)),
        Violation("5.2: reserved bit 2", frame(0x1, reserved: 2)),
        Violation("5.2: reserved bit 3 on a control frame", frame(0x9, reserved: 1)),
        Violation("5.2: opcode 3", frame(0x3)),
        Violation("5.2: opcode 7", frame(0x7)),
        Violation("5.2: opcode 11", frame(0xb)),
        Violation("5.2: opcode 15", frame(0xf)),
        Violation("5.1: masked", [0x81, 0x81, 0, 0, 0, 0, 0x61]),
        Violation("5.2: 125 bytes with a 16 bit length", [0x82, 126, 0, 125] + [UInt8](repeating: 0, count: 125)),
        Violation("5.2: 65535 bytes with a 64 bit length", [0x82, 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff]),
        Violation("5.2: a length with the highest bit", [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0]),
        Violation("5.4: continuation of nothing", frame(0x0, [1])),
        Violation("5.4: continuation after the last", frame(0x1) + frame(0x0)),
        Violation("5.4: text inside a message", frame(0x1, fin: false) + frame(0x1)),
        Violation("5.4: binary inside a message", frame(0x1, fin: false) + frame(0x2)),
        Violation("5.5: fragmented ping", frame(0x9, fin: false)),
        Violation("5.5: fragmented close", frame(0x8, fin: false)),
        Violation("5.5: ping of 126 bytes", frame(0x9, [UInt8](repeating: 0, count: 126))),
        Violation("5.5.1: close of one byte", frame(0x8, [3])),
        Violation("7.4.1: close code 999", frame(0x8, [0x03, 0xe7])),
        Violation("7.4.1: close code 1004", frame(0x8, [0x03, 0xec])),
        Violation("7.4.1: close code 1005", frame(0x8, [0x03, 0xed])),
        Violation("7.4.1: close code 1006", frame(0x8, [0x03, 0xee])),
        Violation("7.4.1: close code 1015", frame(0x8, [0x03, 0xf7])),
        Violation("7.4.2: close code 2999", frame(0x8, [0x0b, 0xb7])),
        Violation("7.4.2: close code 5000", frame(0x8, [0x13, 0x88])),
        Violation("5.5.1: reason not UTF-8", frame(0x8, [0x03, 0xe8, 0xff]), 1007),
        Violation("5.5.1: reason cut in a character", frame(0x8, [0x03, 0xe8, 0xc3]), 1007),
        Violation("8.1: text not UTF-8", frame(0x1, [0x61, 0xff]), 1007),
        Violation("8.1: text ends in a character", frame(0x1, [0x61, 0xc3]), 1007),
        Violation("8.1: character cut by the last frame", frame(0x1, [0xe2], fin: false) + frame(0x0, [0x82]), 1007),
        Violation("10.4: frame over the bound", [0x82, 127, 0, 0, 0, 0, 0, 0x10, 0, 1], 1009),
        Violation(
            "10.4: fragments over the bound",
            frame(0x2, [UInt8](repeating: 0, count: 1 << 20), fin: false) + frame(0x0, [0]), 1009
        ),
    ]

    private static func frame(
        _ opcode: UInt8,
        _ payload: [UInt8] = [],
        fin: Bool = true,
        reserved: UInt8 = 0
    ) -> [UInt8] {
        Frames.frame(opcode, payload, fin: fin, reserved: reserved)
    }

    @Test(arguments: violations) func violationIsReportedOnce(by violation: Violation) {
        let after = Frames.text("never seen")
        #expect(Frames.events(Frames.text("before") + violation.bytes + after).last == .violation(violation.code))
        #expect(Frames.events([violation.bytes, after]).last == .violation(violation.code))
        let bytes = violation.bytes.map { [$0] }
        #expect(Frames.events(bytes).count { $0 == .violation(violation.code) } == 1)
    }

    /// Section 8.1 with section 5.4: an error is found before the message, even the frame, is complete.
    @Test func invalidTextFailsBeforeTheFrameIsWhole() {
        let start: [UInt8] = [0x01, 100] + Array("good so far".utf8)
        #expect(Frames.events([start]).isEmpty)
        #expect(Frames.events([start, [0xf4, 0x90]]) == [.violation(1007)])
    }

    @Test func aCharacterMayBeCutByFrames() {
        let bytes = Frames.frame(0x1, [0xe2, 0x82], fin: false) + Frames.frame(0x9) + Frames.frame(0x0, [0xac])
        #expect(Frames.events(bytes) == [.ping([]), .text("\u{20ac}")])
    }

    @Test func aMessageOfExactlyTheBoundPasses() {
        let payload = [UInt8](repeating: 0x61, count: 1000)
        #expect(Frames.events(Frames.frame(0x2, payload), maximumMessageBytes: 1000) == [.binary(payload)])
        #expect(
            Frames.events(Frames.frame(0x2, payload + [0]), maximumMessageBytes: 1000) == [.violation(1009)]
        )
    }

    @Test func readsCloseFrames() {
        #expect(Frames.events(Frames.frame(0x8)) == [.close(nil, "")])
        #expect(Frames.events(Frames.frame(0x8, [0x03, 0xe8])) == [.close(1000, "")])
        let reason = "invalid_request_error.invalid_api_key"
        #expect(Frames.events(Frames.frame(0x8, [0x0b, 0xb8] + Array(reason.utf8))) == [.close(3000, reason)])
    }
}
