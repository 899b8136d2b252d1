import VoiceBase

/// Cookies and passwords by the server that they belong to. Bounded; a pure value.
package struct ServerSecrets: Sendable, Equatable {
    private static let mostCookies = 50
    /// Longest cookie with its attributes, in bytes.
    package static let longestCookie = 4096
    /// Longest Cookie header: many servers refuse longer ones.
    private static let longestHeader = 8000
    private static let mostPasswords = 20

    private struct Cookie: Equatable {
        var host: String
        var isForDomain: Bool
        var isForTLS: Bool
        var name: String
        var value: String
    }

    private struct Password: Equatable {
        var host: String
        var port: Int
        /// As in the header: "Basic ...".
        var authorization: String
    }

    private var cookies: [Cookie] = []
    private var passwords: [Password] = []

    package init() {}

    /// Keeps what a server sets in a header Set-Cookie (RFC 6265 section 5.2).
    mutating func keep(cookie header: String, from url: ServerURL) {
        guard header.utf8.count <= Self.longestCookie, header.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return
        }
        let parts = header.split(separator: ";").map { $0.drop { $0 == " " } }
        guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { return }
        func attribute(_ name: String) -> Substring? {
            parts.dropFirst().first { $0.lowercased().hasPrefix(name + "=") }?.dropFirst(name.count + 1)
        }
        let named = attribute("domain")?.drop { $0 == "." }.lowercased()
        // A host may set cookies for the domain above it, but not for all of ".org".
        let domain = named.flatMap { $0.contains(".") && ".\(url.host)".hasSuffix(".\($0)") ? $0 : nil }
        let cookie = Cookie(
            host: domain ?? url.host,
            isForDomain: domain != nil,
            isForTLS: parts.dropFirst().contains { $0.lowercased() == "secure" },
            name: String(pair[..<equals]),
            value: String(pair[pair.index(after: equals)...])
        )
        cookies.removeAll { $0.host == cookie.host && $0.name == cookie.name }
        let isDeleted = attribute("max-age").flatMap { Int($0) }.map { $0 <= 0 } ?? false
        if !isDeleted, cookies.count < Self.mostCookies { cookies.append(cookie) }
    }

    /// Keeps the password of an address for its host and port.
    mutating func keep(authorization: String, for url: ServerURL) {
        passwords.removeAll { $0.host == url.host && $0.port == url.port }
        guard passwords.count < Self.mostPasswords else { return }
        passwords.append(Password(host: url.host, port: url.port, authorization: authorization))
    }

    /// The headers of a request to this server.
    func headers(for url: ServerURL) -> [(name: String, value: String)] {
        var pairs = ""
        for cookie in cookies
        where cookie.host == url.host || cookie.isForDomain && url.host.hasSuffix(".\(cookie.host)") {
            let pair = (pairs.isEmpty ? "" : "; ") + "\(cookie.name)=\(cookie.value)"
            if cookie.isForTLS && !url.isSecure || pairs.utf8.count + pair.utf8.count > Self.longestHeader { continue }
            pairs += pair
        }
        let password = passwords.first { $0.host == url.host && $0.port == url.port }
        return (pairs.isEmpty ? [] : [("Cookie", pairs)])
            + (password.map { [("Authorization", $0.authorization)] } ?? [])
    }
}
