import Testing

@testable import TestSupport
@testable import VoiceNetwork

struct WebSocketSessionTests {
    /// Frames that the session wants to send: opcode and payload.
    private static func sent(_ session: inout WebSocketSession) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        while let bytes = session.nextToSend() {
            var rest = Array(bytes)[...]
            while let first = rest.first {
                let count = Int(rest[rest.startIndex + 1] & 0x7f)
                let key = Array(rest.dropFirst(2).prefix(4))
                let payload = rest.dropFirst(6).prefix(count).enumerated().map { $1 ^ key[$0 % 4] }
                frames.append([first & 0x0f] + payload)
                rest = rest.dropFirst(6 + count)
            }
            session.sent(bytes.count)
        }
        return frames
    }

    private static func feed(_ session: inout WebSocketSession, _ bytes: [UInt8]) -> [String] {
        bytes.withUnsafeBytes { bytes in
            var input = bytes
            var events: [String] = []
            while let event = session.next(&input) {
                switch event {
                case .text(let text): events.append("text \(String(decoding: text, as: UTF8.self))")
                case .binary(let binary): events.append("binary \(binary.count)")
                case .pong: events.append("pong")
                case .closed(let code, let reason): events.append("closed \(code) \(reason)")
                case .violated(let violation): events.append("violated \(violation.code)")
                }
            }
            return events
        }
    }

    /// RFC 6455 section 5.5.3.
    @Test func answersAPingWithItsPayload() {
        var session = WebSocketSession()
        #expect(Self.feed(&session, WebSocketFrames.frame(0x9, [1, 2, 3])).isEmpty)
        #expect(Self.sent(&session) == [[0xa, 1, 2, 3]])
    }

    /// Section 5.5.1: the answer repeats the code.
    @Test func echoesTheCodeOfAClose() {
        var session = WebSocketSession()
        let frame = WebSocketFrames.frame(0x8, [0x0f, 0xa0] + Array("why".utf8))
        #expect(Self.feed(&session, frame + WebSocketFrames.text("late")) == ["closed 4000 why"])
        #expect(Self.sent(&session) == [[0x8, 0x0f, 0xa0]])
        #expect(session.state == .closed)
    }

    /// Section 7.1.5: a missing code is 1005 for the application and absent on the wire.
    @Test func aCloseWithoutACodeIsAnsweredWithoutOne() {
        var session = WebSocketSession()
        #expect(Self.feed(&session, WebSocketFrames.frame(0x8)) == ["closed 1005 "])
        #expect(Self.sent(&session) == [[0x8]])
    }

    /// Section 7.1.2: messages before the peer's close frame still count; nothing is sent after ours.
    @Test func ourCloseWaitsForThePeers() {
        var session = WebSocketSession()
        session.close(code: 1000, reason: "bye")
        session.close(code: 3001)
        #expect(session.state == .closing)
        let sends = session.ping()
        #expect(!sends)
        #expect(Self.feed(&session, WebSocketFrames.text("last") + WebSocketFrames.frame(0x9)) == ["text last"])
        #expect(Self.feed(&session, WebSocketFrames.frame(0x8, [0x03, 0xe8])) == ["closed 1000 "])
        #expect(Self.sent(&session) == [[0x8, 0x03, 0xe8] + Array("bye".utf8)])
    }

    /// Section 7.1.7.
    @Test func violationIsSentToThePeer() {
        var session = WebSocketSession()
        #expect(Self.feed(&session, WebSocketFrames.frame(0x1, [0xff])) == ["violated 1007"])
        #expect(Self.sent(&session).first?.prefix(3) == [0x8, 0x03, 0xef])
        #expect(session.state == .closed)
    }

    /// Section 5.5: a control frame holds 125 bytes, and a character is not split.
    @Test func aLongReasonIsCut() {
        var session = WebSocketSession()
        session.close(reason: String(repeating: "\u{20ac}", count: 100))
        let frame = Self.sent(&session).first ?? []
        #expect(frame.count == 3 + 123)
        #expect(String(validating: frame.dropFirst(3), as: UTF8.self) != nil)
    }

    @Test func fullQueueRefusesTextButStillCloses() {
        var session = WebSocketSession(maximumPendingBytes: 1000)
        let text = [UInt8](repeating: 0x61, count: 500)
        #expect(text.withUnsafeBytes { session.send(text: $0) })
        #expect(!text.withUnsafeBytes { session.send(text: $0) })
        session.close()
        #expect(session.pendingBytes == 508 + 8)
    }

    /// libcurl must see the same address until it has taken the bytes.
    @Test func bytesBeingSentKeepTheirAddress() {
        var session = WebSocketSession()
        _ = session.ping()
        let address = session.nextToSend()?.baseAddress
        let text = [UInt8](repeating: 0x61, count: 100_000)
        for _ in 0..<10 { #expect(text.withUnsafeBytes { session.send(text: $0) }) }
        #expect(session.nextToSend()?.baseAddress == address)
        #expect(session.nextToSend()?.count == 6)
        session.sent(6)
        #expect(session.nextToSend()?.count == 10 * 100_014)
    }
}
