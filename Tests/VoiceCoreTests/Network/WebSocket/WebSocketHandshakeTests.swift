import Testing

@testable import VoiceBase
@testable import VoiceNetwork

struct WebSocketHandshakeTests {
    private static let key = Array("the sample nonce".utf8)
    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    private static func handshake() -> WebSocketHandshake {
        WebSocketHandshake(
            host: "server.example.com:8080", path: "/chat?model=x", headers: [("Authorization", "Bearer t")], key: key
        )
    }

    /// The outcome of a reply, and how many bytes are left for the frames.
    private static func outcome(_ reply: String, piece: Int = .max) -> (WebSocketHandshake.Progress, left: Int) {
        var handshake = handshake()
        let bytes = Array(reply.utf8)
        var progress = WebSocketHandshake.Progress.needsMore
        var start = 0
        while progress == .needsMore, start < bytes.count {
            let end = piece < bytes.count - start ? start + piece : bytes.count
            let left = bytes[start..<end].withUnsafeBytes { slice in
                var input = slice
                progress = handshake.receive(&input)
                return input.count
            }
            start = end - left
        }
        return (progress, bytes.count - start)
    }

    private static func upgrade(_ changes: [String: String?] = [:]) -> String {
        var fields = ["Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept]
        for (name, value) in changes { fields[name] = value }
        return "HTTP/1.1 101 Switching Protocols\r\n"
            + fields.map { "\($0.key): \($0.value)\r\n" }.sorted().joined() + "\r\n"
    }

    /// The request of RFC 6455 section 1.2, with the nonce of section 1.3.
    @Test func requestIsWritten() {
        let text = String(decoding: Self.handshake().request, as: UTF8.self)
        #expect(text.hasPrefix("GET /chat?model=x HTTP/1.1\r\nHost: server.example.com:8080\r\n"))
        for line in [
            "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13", "Authorization: Bearer t",
        ] {
            #expect(text.contains("\r\n\(line)\r\n"))
        }
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test(arguments: [1, 2, 7, .max]) func acceptsTheReplyAndLeavesTheFirstFrame(piece: Int) {
        let (progress, left) = Self.outcome(Self.upgrade() + "\u{1}\u{2}abc", piece: piece)
        #expect(progress == .upgraded)
        #expect(left == 5)
    }

    /// RFC 9110: case does not matter in names and these values; Connection is a list.
    @Test func caseAndListsDoNotMatter() {
        let reply = Self.upgrade(["Upgrade": "WebSocket", "Connection": "keep-alive, UPGRADE"])
        #expect(Self.outcome(reply.replacing("Sec-WebSocket", with: "SEC-websocket")).0 == .upgraded)
    }

    /// RFC 6455 section 4.1, the client's checks 2 to 6.
    @Test(
        arguments: [
            ["Upgrade": nil], ["Upgrade": "h2c"], ["Connection": nil], ["Connection": "close"],
            ["Sec-WebSocket-Accept": nil], ["Sec-WebSocket-Accept": "AAAAAAAAAAAAAAAAAAAAAAAAAAA="],
            ["Sec-WebSocket-Extensions": "permessage-deflate"],
        ] as [[String: String?]]
    )
    func failsWhenTheReplyIsNotOurs(changes: [String: String?]) {
        guard case .failed = Self.outcome(Self.upgrade(changes)).0 else {
            Issue.record("accepted")
            return
        }
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2p1\r\n", "\r\n\r\n", "<html>", "HTTP/2 200\r\n\r\n", "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 101\r\nno colon here\r\n\r\n", "HTTP/1.1 101\r\n: empty\r\n\r\n", "HTTP/1.1 \u{e9}0\r\n\r\n",
    ]) func replyInAnotherProtocolFails(reply: String) {
        guard case .failed = Self.outcome(reply, piece: 3).0 else {
            Issue.record("accepted")
            return
        }
    }

    @Test func boundsTheHeader() {
        let flood = "HTTP/1.1 101 x\r\n" + String(repeating: "A: b\r\n", count: 4000)
        guard case .failed(let detail) = Self.outcome(flood).0 else {
            Issue.record("accepted")
            return
        }
        #expect(detail.contains("16384"))
    }

    @Test func keepsStatusPauseAndBodyOfARefusal() {
        let reply = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nslow"
        let refusal = WebSocketRefusal(status: 429, reason: "Too Many Requests", retryAfter: 7, body: "slow")
        #expect(Self.outcome(reply).0 == .refused(refusal))
        #expect(Self.outcome(reply, piece: 1).0 == .refused(refusal))
    }

    @Test func chunkedRefusalIsDecoded() {
        let reply = "HTTP/1.1 401 Unauthorized\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nbad\r\n4\r\n key\r\n0\r\n\r\n"
        #expect(
            Self.outcome(reply, piece: 2).0
                == .refused(WebSocketRefusal(status: 401, reason: "Unauthorized", retryAfter: nil, body: "bad key"))
        )
    }

    @Test func boundsTheBodyOfARefusal() {
        let reply = "HTTP/1.1 503 \r\n\r\n" + String(repeating: "x", count: 100_000)
        guard case .refused(let refusal) = Self.outcome(reply).0 else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.body.utf8.count == 4096)
    }

    @Test func interimRepliesAreSkipped() {
        #expect(Self.outcome("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + Self.upgrade()).0 == .upgraded)
    }

    /// RFC 4648 section 10.
    @Test func base64MatchesTheRFC() {
        let vectors = ["": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "foobar": "Zm9vYmFy"]
        for (plain, coded) in vectors { #expect(Base64.text(Array(plain.utf8)) == coded) }
    }
}
