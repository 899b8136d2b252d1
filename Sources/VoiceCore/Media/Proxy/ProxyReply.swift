/// What our proxy says itself.
enum ProxyReply {
    case tunnelled
    case needsCredentials
    case refused
    case notUnderstood
    case unreachable

    var bytes: [UInt8] {
        if case .tunnelled = self { return Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8) }
        let (status, field) =
            switch self {
            case .tunnelled: ("200 OK", "")
            case .needsCredentials:
                ("407 Proxy Authentication Required", "Proxy-Authenticate: Basic realm=\"media\"\r\n")
            case .refused: ("403 Forbidden", "")
            case .notUnderstood: ("400 Bad Request", "")
            case .unreachable: ("502 Bad Gateway", "")
            }
        return Array("HTTP/1.1 \(status)\r\n\(field)Content-Length: 0\r\nConnection: close\r\n\r\n".utf8)
    }
}

/// Passes on what a server answers, with "Connection: close" behind its first line: a connection of our proxy carries one
/// request, and the decoder must not wait for the answer to a second one.
package struct ProxyAnswer: Sendable, Equatable {
    /// A first line that is longer is left as it is.
    package static let longestLine = 512

    private var line: [UInt8] = []
    private var isPassed = false

    package init() {}

    /// What the decoder gets for these bytes of the server; at its end, `end` gives what is left.
    package mutating func pass(_ bytes: some Collection<UInt8>) -> [UInt8] {
        if isPassed { return Array(bytes) }
        line += bytes
        guard let index = line.firstIndex(of: 0x0A), index < Self.longestLine else {
            return line.count < Self.longestLine ? [] : end()
        }
        let status = line[...index]
        // "ICY 200 OK" of SHOUTcast ends with its connection anyway; behind an interim reply comes the real one.
        if status.starts(with: "HTTP/1.1 ".utf8), !status.dropFirst(9).starts(with: "1".utf8) {
            line.insert(contentsOf: "Connection: close\r\n".utf8, at: index + 1)
        }
        return end()
    }

    package mutating func end() -> [UInt8] {
        isPassed = true
        defer { line = [] }
        return line
    }
}
