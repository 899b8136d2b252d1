package import VoiceBase
internal import VoiceNetwork

/// The decoder's request to the proxy: an http URL in absolute form (RFC 9112 section 3.2.2), whose host may encode an
/// https URL (`SecureAddress`). A pure value.
package struct ProxyRequest: Sendable, Equatable {
    package enum Problem: Error, Equatable, Sendable {
        /// No end within `longestHead` bytes.
        case tooLong
        case notUnderstood
    }

    /// Longest head including its empty line, in bytes.
    package static let longestHead = 16 << 10
    private static let mostFields = 64

    /// The server to connect to.
    package let server: ServerURL
    /// Whether the method is HEAD.
    package let isHead: Bool
    /// The first byte of the requested range; 0 without a range.
    package let firstByte: Int
    /// The value of Proxy-Authorization.
    package let credentials: String?
    /// The request for the server: origin form, without the header fields meant for a proxy.
    package let forwarded: [UInt8]
    /// Length of the request, in bytes: the tests see by it that nothing beyond was read.
    package let length: Int

    /// - Returns: nil until the request is complete.
    /// - Throws: if the bytes cannot become a valid request.
    package static func parse(_ bytes: [UInt8]) throws(Problem) -> ProxyRequest? {
        guard let length = end(of: bytes) else {
            if bytes.count >= longestHead { throw .tooLong }
            return nil
        }
        guard length <= longestHead else { throw .tooLong }
        guard let request = ProxyRequest(bytes[..<length]) else { throw .notUnderstood }
        return request
    }

    private static func end(of bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 3..<bytes.count where bytes[index] == 0x0A {
            if bytes[index - 1] == 0x0D, bytes[index - 2] == 0x0A, bytes[index - 3] == 0x0D { return index + 1 }
        }
        return nil
    }

    private init?(_ head: ArraySlice<UInt8>) {
        length = head.count
        // Neither a bare CR nor a NUL may hide a second request in the first.
        var lines: [ArraySlice<UInt8>] = []
        for line in head.dropLast(4).split(separator: 0x0A, omittingEmptySubsequences: false) {
            lines.append(line.last == 0x0D ? line.dropLast() : line)
        }
        let isWhole = lines.allSatisfy { line in line.allSatisfy { $0 != 0x0D && $0 != 0 } }
        guard isWhole, let first = lines.first, lines.count <= Self.mostFields else { return nil }
        let words = first.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, words[2].elementsEqual("HTTP/1.1".utf8) || words[2].elementsEqual("HTTP/1.0".utf8)
        else { return nil }
        let method = String(decoding: words[0], as: UTF8.self)
        guard let target = Self.target(method, words[1]) else { return nil }
        (server, isHead) = (target.server, method == "HEAD")

        var credentials: String?
        var firstByte = 0
        var kept: [UInt8] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let name = String(decoding: line[..<colon], as: UTF8.self)
            guard HeaderField.isToken(name) else { return nil }
            switch name.lowercased() {
            case "proxy-authorization":
                credentials = String(decoding: line[line.index(after: colon)...], as: UTF8.self)
                    .split(separator: " ").joined(separator: " ")
            case "range":
                let value = String(decoding: line[line.index(after: colon)...], as: UTF8.self)
                firstByte = Int(value.drop { $0 != "=" }.dropFirst().prefix { $0 != "-" }) ?? 0
                kept += Array(line) + [0x0D, 0x0A]
            // A player sends no body.
            case "content-length", "transfer-encoding": return nil
            // A compressed playlist could not be checked.
            case "accept-encoding": break
            // The proxy knows the cookies.
            case "cookie": break
            case "host", "connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade", "expect": break
            default: kept += Array(line) + [0x0D, 0x0A]
            }
        }
        self.credentials = credentials
        self.firstByte = firstByte
        let start = Array("\(method) ".utf8) + target.path + Array(" HTTP/1.1\r\nHost: \(target.authority)".utf8)
        // A server may compress for a client that does not name what it accepts (RFC 9110 section 12.5.3).
        let fields = "\r\nConnection: close\r\nAccept-Encoding: identity\r\n"
        forwarded = start + Array(fields.utf8) + kept + [0x0D, 0x0A]
    }

    /// The request with more header fields.
    package func forwarded(adding fields: [(name: String, value: String)]) -> [UInt8] {
        fields.reduce(Array(forwarded.dropLast(2))) { $0 + Array("\($1.name): \($1.value)\r\n".utf8) } + [0x0D, 0x0A]
    }

    private struct Target {
        var server: ServerURL
        var authority: String
        var path: [UInt8]
    }

    private static func target(_ method: String, _ text: ArraySlice<UInt8>) -> Target? {
        let prefix = "http://"
        guard method == "GET" || method == "HEAD", text.starts(with: prefix.utf8) else { return nil }
        let rest = text.dropFirst(prefix.utf8.count)
        let written = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        var path = Array(rest[written.endIndex...])
        let authority = String(decoding: written, as: UTF8.self)
        guard path.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "#") }),
            let named = ServerURL(prefix + authority), let server = SecureAddress.meant(by: named)
        else { return nil }
        if path.first != UInt8(ascii: "/") { path.insert(UInt8(ascii: "/"), at: 0) }
        // The Host field names the https server; its port only if it is not the default.
        let isSecure = server.scheme == "https"
        let name = isSecure ? String(server.text.dropFirst("https://".count)) : authority
        return Target(server: server, authority: name, path: path)
    }
}
