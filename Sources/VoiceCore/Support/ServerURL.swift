/// The address of a server: scheme, host, port, path and query (RFC 3986 section 3), and nothing that could hold
/// a password.
package struct ServerURL: Sendable, Equatable {
    /// Lower case, for instance "https".
    package let scheme: String
    /// Lower case; an IPv6 address without its brackets.
    package let host: String
    /// The port of the address, or the usual one of the scheme.
    package let port: Int
    /// Begins with "/" or is empty; without a trailing "/".
    package let path: String
    /// Without the "?"; nil when there is none.
    package let query: String?

    /// Nil for anything but http, https, ws and wss, for user names, fragments, blanks and control characters.
    package init?(_ text: String) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let lower = text.lowercased()
        let ports = [("https://", 443), ("http://", 80), ("wss://", 443), ("ws://", 80)]
        guard let (prefix, usualPort) = ports.first(where: { lower.hasPrefix($0.0) }) else { return nil }
        scheme = String(prefix.dropLast(3))
        let rest = text.dropFirst(prefix.count)
        guard !rest.contains("#") else { return nil }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@"), let (host, port) = Self.hostAndPort(authority) else { return nil }
        self.host = host
        self.port = port ?? usualPort
        let tail = rest.dropFirst(authority.count)
        var path = tail.prefix { $0 != "?" }
        while path.last == "/" { path.removeLast() }
        self.path = String(path)
        let query = tail.drop { $0 != "?" }.dropFirst()
        self.query = query.isEmpty ? nil : String(query)
    }

    /// The address as text; the port only when it is not the usual one.
    package var text: String {
        let name = host.contains(":") ? "[\(host)]" : host
        let usual = scheme == "https" || scheme == "wss" ? 443 : 80
        return "\(scheme)://\(name)" + (port == usual ? "" : ":\(port)") + path + (query.map { "?" + $0 } ?? "")
    }

    private static func hostAndPort(_ authority: Substring) -> (String, Int?)? {
        var host = authority
        var port: Int?
        let afterBrackets = authority.lastIndex(of: "]").map { authority.index(after: $0) } ?? authority.startIndex
        if let colon = authority[afterBrackets...].lastIndex(of: ":") {
            host = authority[..<colon]
            guard let number = Int(authority[authority.index(after: colon)...]), (1...65535).contains(number)
            else { return nil }
            port = number
        }
        if host.first == "[" {
            guard host.last == "]", host.count > 2 else { return nil }
            host = host.dropFirst().dropLast()
            guard host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
        } else {
            let legal = host.allSatisfy { $0.isLetter || $0.isNumber || "-._~".contains($0) }
            guard !host.isEmpty, legal else { return nil }
        }
        return (host.lowercased(), port)
    }
}
