internal import VoiceNetwork

/// Passes on a server's answer so that the decoder comes back to the proxy for everything that the answer leads to:
/// redirects and the addresses in a playlist are rewritten by `SecureAddress`, and anything but http and https is
/// refused. A connection carries one request; "Connection: close" tells the decoder so.
///
/// A body is passed on as it arrives, with chunked encoding removed; a playlist once it is complete. Cookies are kept for the
/// proxy, which knows the server's real name.
package struct ProxyAnswer: Sendable, Equatable {
    /// Longest head including its empty line, in bytes.
    package static let longestHead = 64 << 10

    /// Why nothing, or nothing more, is passed on, as a sentence for the user.
    package struct Refusal: Error, Equatable, Sendable {
        package let description: String
    }

    private enum Body: Equatable {
        /// Lasts until the end of the connection.
        case open
        /// This many bytes are still to come.
        case sized(Int)
        case chunked(ChunkedBody)
    }

    private enum State: Equatable {
        case head
        /// The head is held back until the beginning of the body shows whether it is a playlist.
        case beginning(held: [UInt8])
        case playlist
        case passing
    }

    private static let mostCookies = 50

    /// The values of the answer's Set-Cookie fields.
    private var cookies: [String] = []
    private let isSecure: Bool
    private let hasNoBody: Bool
    private var state = State.head
    private var body = Body.open
    private var gathered: [UInt8] = []
    /// The header lines that depend on the length of the body.
    private var sizes: [UInt8] = []

    /// - Parameters:
    ///   - isSecure: whether the server was asked over https.
    ///   - hasNoBody: whether the request was HEAD.
    package init(isSecure: Bool = false, hasNoBody: Bool = false) {
        self.isSecure = isSecure
        self.hasNoBody = hasNoBody
    }

    /// Whether the answer is complete, whatever else the server sends.
    package var isOver: Bool {
        switch body {
        case .open: false
        case .sized(let left): left == 0
        case .chunked(let chunks): chunks.isOver
        }
    }

    /// Returns what the decoder gets for these bytes of the server. After the last of them, `end` returns the rest.
    package mutating func pass(_ bytes: some Collection<UInt8>) throws(Refusal) -> [UInt8] {
        guard state == .head else { return try passBody(Array(bytes)) }
        let before = gathered.count
        gathered += bytes
        // Interim responses may precede the final one.
        var from = max(0, before - 3)
        while state == .head, let length = Self.headLength(gathered, from: from) {
            guard length <= Self.longestHead else { throw Self.noHTTP }
            let head = Array(gathered[..<length])
            gathered.removeFirst(length)
            from = 0
            try begin(head)
        }
        if state == .head {
            guard gathered.count < Self.longestHead else { throw Self.noHTTP }
            return []
        }
        let rest = gathered
        gathered = []
        return try passBody(rest)
    }

    /// Returns the cookies that the answer sets, once.
    package mutating func takeCookies() -> [String] {
        defer { cookies = [] }
        return cookies
    }

    /// Returns the rest once the server has closed the connection.
    package mutating func end() throws(Refusal) -> [UInt8] {
        switch state {
        case .head:
            if gathered.isEmpty { return [] }
            throw Self.noHTTP
        case .beginning(let held):
            state = .passing
            return held + sizes + Array("\r\n".utf8) + gathered
        case .playlist:
            state = .passing
            return try SegmentList.passed(gathered, isSecure: isSecure)
        case .passing: return []
        }
    }

    /// Whether the connection ended before the body did.
    package var isCutShort: Bool { body != .open && !isOver }

    // MARK: Head

    private static var noHTTP: Refusal { Refusal(description: "the server does not speak HTTP") }

    /// Length of the head including its empty line, in bytes; nil if it is incomplete.
    private static func headLength(_ bytes: [UInt8], from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            if bytes[index] == 0x0A {
                if index + 1 < bytes.count, bytes[index + 1] == 0x0A { return index + 2 }
                if index + 2 < bytes.count, bytes[index + 1] == 0x0D, bytes[index + 2] == 0x0A { return index + 3 }
            }
            index += 1
        }
        return nil
    }

    private mutating func begin(_ head: [UInt8]) throws(Refusal) {
        let lines = head.split(separator: 0x0A).map { $0.last == 0x0D ? $0.dropLast() : $0 }.filter { !$0.isEmpty }
        // "ICY 200 OK", as SHOUTcast sends it, has no version.
        guard let first = lines.first, first.starts(with: "HTTP/1.".utf8) || first.starts(with: "ICY ".utf8) else {
            throw Self.noHTTP
        }
        let words = first.split(separator: 0x20)
        let status = words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
        if (100..<200).contains(status), status != 101 { return }
        var held = Array(first) + Array("\r\nConnection: close\r\n".utf8)
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self).drop { $0 == " " || $0 == "\t" }
            switch name {
            case "connection", "keep-alive", "proxy-connection", "upgrade", "trailer": break
            case "transfer-encoding":
                guard value.lowercased() == "chunked" else { throw Self.packed }
                body = .chunked(ChunkedBody())
            case "content-encoding":
                guard !TransferCoding([(name, String(value))]).isCompressed else { throw Self.packed }
            case "content-length":
                guard let length = Int(value), length >= 0 else { throw Self.noHTTP }
                if case .open = body { body = .sized(length) }
                sizes += Array(line) + [0x0D, 0x0A]
            case "content-range": sizes += Array(line) + [0x0D, 0x0A]
            case "set-cookie": if cookies.count < Self.mostCookies { cookies.append(String(value)) }
            case "location": held += Array("Location: \(try Self.location(value, isSecure))\r\n".utf8)
            default: held += Array(line) + [0x0D, 0x0A]
            }
        }
        if case .chunked = body { sizes = [] }
        if hasNoBody || status == 204 || status == 304 { body = .sized(0) }
        state = .beginning(held: held)
    }

    private static var packed: Refusal {
        Refusal(
            description: "the server sends it compressed although it was not asked to"
        )
    }

    private static func location(_ value: Substring, _ isSecure: Bool) throws(Refusal) -> String {
        do throws(Refusal) {
            return String(decoding: try SegmentList.address(Array(value.utf8)[...], isSecure), as: UTF8.self)
        } catch {
            throw Refusal(description: "it redirects to an address that is refused")
        }
    }

    // MARK: Body

    private mutating func passBody(_ bytes: [UInt8]) throws(Refusal) -> [UInt8] {
        let content = try unwrapped(bytes)
        switch state {
        case .head: return []
        case .passing: return content
        case .playlist:
            gathered += content
            guard gathered.count <= SegmentList.longest else {
                throw Refusal(description: "its playlist is longer than \(SegmentList.longest >> 20) MB")
            }
            return isOver ? try end() : []
        case .beginning(let held):
            gathered += content
            let beginning = SegmentList.beginning
            let list = gathered.dropFirst(gathered.prefix(64).prefix(while: SegmentList.noise.contains).count)
            if list.count < beginning.count, beginning.starts(with: list), !isOver { return [] }
            guard list.starts(with: beginning) else {
                defer { gathered = [] }
                state = .passing
                return held + sizes + Array("\r\n".utf8) + gathered
            }
            // The rewritten playlist has another length.
            state = .playlist
            gathered = Array(list)
            return held + Array("\r\n".utf8) + (isOver ? try end() : [])
        }
    }

    private mutating func unwrapped(_ bytes: [UInt8]) throws(Refusal) -> [UInt8] {
        switch body {
        case .open: return bytes
        case .sized(let left):
            let piece = bytes.prefix(left)
            body = .sized(left - piece.count)
            return Array(piece)
        case .chunked(var chunks):
            do throws(ChunkedBody.Malformed) {
                let content = try chunks.consume(bytes)
                body = .chunked(chunks)
                return content
            } catch {
                throw Self.noHTTP
            }
        }
    }
}

/// The proxy's own answers.
enum ProxyReply {
    /// - from: the first byte of the range that was asked for: ffmpeg retries only if the answer begins there.
    case needsCredentials(from: Int)
    /// To the address of the job.
    case begin(String)
    case refused
    case notUnderstood
    case unreachable

    var bytes: [UInt8] {
        let (status, field) =
            switch self {
            case .needsCredentials(let first):
                (
                    "407 Proxy Authentication Required",
                    "Proxy-Authenticate: Basic realm=\"media\"\r\n"
                        + (first > 0 ? "Content-Range: bytes \(first)-\(first)/*\r\n" : "")
                )
            case .begin(let address): ("302 Found", "Location: \(address)\r\n")
            case .refused: ("403 Forbidden", "")
            case .notUnderstood: ("400 Bad Request", "")
            case .unreachable: ("502 Bad Gateway", "")
            }
        return Array("HTTP/1.1 \(status)\r\n\(field)Content-Length: 0\r\nConnection: close\r\n\r\n".utf8)
    }
}
