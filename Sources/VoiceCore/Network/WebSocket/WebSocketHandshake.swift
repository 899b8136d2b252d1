internal import VoiceBase

/// The opening handshake of a client (RFC 6455 section 4.1), without any I/O.
package struct WebSocketHandshake {
    package enum Progress: Equatable, Sendable {
        case needsMore
        /// The connection speaks WebSocket from here on; bytes left in the input are its first frames.
        case upgraded
        case refused(WebSocketRefusal)
        /// The fault of the server.
        case failed(String)
    }

    static let maximumHeaderBytes = 16 << 10
    static let maximumBodyBytes = 4 << 10

    private let accept: String
    private var header: [UInt8] = []
    private var response: HTTPResponseHead?
    private var body: [UInt8] = []

    /// The request to send.
    package let request: [UInt8]

    /// - Parameters:
    ///   - host: including the port, unless it is the default.
    ///   - path: including the query; starts with a slash.
    ///   - headers: neither names nor values may contain line ends; the caller checks.
    ///   - key: 16 random bytes.
    package init(host: String, path: String, headers: [(name: String, value: String)], key: [UInt8] = randomKey()) {
        let encoded = Base64.text(key)
        // Section 4.2.2, item 4 of step 5.
        accept = Base64.text(SHA1.digest(Array((encoded + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
        var text = "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        text += "Sec-WebSocket-Key: \(encoded)\r\nSec-WebSocket-Version: 13\r\n"
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        request = Array((text + "\r\n").utf8)
    }

    package static func randomKey() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<16).map { _ in random.next() }
    }

    /// Takes bytes off the front of the input.
    package mutating func receive(_ input: inout UnsafeRawBufferPointer) -> Progress {
        while response == nil {
            guard let byte = input.first else { return .needsMore }
            header.append(byte)
            input = UnsafeRawBufferPointer(rebasing: input.dropFirst())
            guard header.count <= Self.maximumHeaderBytes else {
                return .failed("the reply's header is longer than \(Self.maximumHeaderBytes) bytes")
            }
            guard header.count > 7 || zip(header, "HTTP/1.".utf8).allSatisfy({ $0 == $1 }) else {
                return .failed("the server does not speak HTTP/1.1")
            }
            guard byte == 0x0a, header.suffix(4) == [0x0d, 0x0a, 0x0d, 0x0a] else { continue }
            guard let head = HTTPResponseHead(header) else { return .failed("the reply's header is not HTTP/1.1") }
            header.removeAll()
            // Interim replies may come before the final one (RFC 9110 section 15.2).
            if head.status >= 200 || head.status == 101 { response = head }
        }
        guard let response else { return .needsMore }
        guard response.status != 101 else { return judge(response) }
        let taken = min(input.count, Self.maximumBodyBytes - body.count)
        body.append(contentsOf: input.prefix(taken))
        input = UnsafeRawBufferPointer(rebasing: input[taken...])
        let isWhole = response.contentLength.map { body.count >= $0 } ?? body.ends(with: "0\r\n\r\n".utf8)
        return isWhole || body.count == Self.maximumBodyBytes ? refusal(response) : .needsMore
    }

    /// The server closed the connection, or the deadline has passed.
    package func end() -> Progress {
        guard let response else { return .failed("the connection ended before the reply to the handshake") }
        return refusal(response)
    }

    /// The checks of section 4.1 on a reply with status 101.
    private func judge(_ response: HTTPResponseHead) -> Progress {
        guard response.tokens("upgrade").contains("websocket") else {
            return .failed("the reply lacks \"Upgrade: websocket\"")
        }
        guard response.tokens("connection").contains("upgrade") else {
            return .failed("the reply lacks \"Connection: Upgrade\"")
        }
        guard response.values("sec-websocket-accept") == [accept] else {
            return .failed("the reply's Sec-WebSocket-Accept does not match the request")
        }
        guard response.values("sec-websocket-extensions").allSatisfy(\.isEmpty) else {
            return .failed("the server chose an extension that was not offered")
        }
        return .upgraded
    }

    /// No service means a longer pause; in seconds.
    private static let longestRetry = 86_400

    private func refusal(_ response: HTTPResponseHead) -> Progress {
        let isChunked = response.tokens("transfer-encoding").contains("chunked")
        var plain = isChunked ? HTTPResponseHead.dechunk(body) : body
        if let length = response.contentLength, plain.count > length { plain.removeLast(plain.count - length) }
        return .refused(
            WebSocketRefusal(
                status: response.status,
                reason: response.reason,
                retryAfter: StatedPause.read { response.values($0).first }
                    .map { min(Int($0 / .seconds(1) + 0.999), Self.longestRetry) },
                body: String(decoding: plain, as: UTF8.self)
            )
        )
    }
}

extension [UInt8] {
    fileprivate func ends(with bytes: String.UTF8View) -> Bool { suffix(bytes.count).elementsEqual(bytes) }
}

/// A server that answered the handshake with an HTTP status other than 101.
package struct WebSocketRefusal: Equatable, Sendable {
    package let status: Int
    /// The reason phrase; may be empty.
    package let reason: String
    /// The pause requested by the server, in seconds; nil for none.
    package let retryAfter: Int?
    /// At most the first 4 KiB.
    package let body: String

    package init(status: Int, reason: String, retryAfter: Int?, body: String) {
        self.status = status
        self.reason = reason
        self.retryAfter = retryAfter
        self.body = body
    }

    /// The reason in the body; nil if it adds nothing, or is a page.
    package var message: String? {
        let text = body.drop(while: \.isWhitespace)
        guard let first = text.first, first != "<" else { return nil }
        guard
            let value = OutsideJSON.decode(JSONValue.self, from: body.utf8, atMost: WebSocketHandshake.maximumBodyBytes)
        else {
            let isKnown = text.lowercased().hasPrefix(self.reason.lowercased()) && text.count < self.reason.count + 3
            return first == "{" || first == "[" || isKnown ? nil : String(text)
        }
        return Self.message(value, depth: 3)
    }

    private static func message(_ value: JSONValue, depth: Int) -> String? {
        switch value {
        case .string(let text): text.allSatisfy(\.isWhitespace) ? nil : text
        case .array(let values): depth > 0 ? values.lazy.compactMap { message($0, depth: depth - 1) }.first : nil
        case .object where depth > 0:
            ["error", "message", "detail", "msg", "errors", "error_description", "code", "type"].lazy
                .compactMap { value[$0].flatMap { message($0, depth: depth - 1) } }.first
        default: nil
        }
    }
}
