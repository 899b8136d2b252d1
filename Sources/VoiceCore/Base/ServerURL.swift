internal import Glibc

/// The address of a server: scheme, host, port, path and query (RFC 3986 section 3), without anything that could hold a
/// password.
package struct ServerURL: Sendable, Equatable {
    /// Lower case, for instance "https".
    package let scheme: String
    /// Lower case; an IPv6 address without brackets.
    package let host: String
    /// The port of the address, or the default of the scheme.
    package let port: Int
    /// Begins with "/" or is empty; without a trailing "/".
    package let path: String
    /// Whether a "/" ended the path of a WebSocket: it is requested as written, because a server may know no other.
    private let hasTrailingSlash: Bool
    /// Without the "?"; nil if there is none.
    package let query: String?

    /// Maximum length of an address, in bytes.
    private static let longest = 2048

    /// Why a text is not a valid address. No case repeats the text: it may contain a password.
    package enum Problem: Error, Equatable, Sendable {
        case tooLong, blanks, scheme, userName, fragment, noHost, hostNotASCII, host, label, number, port, colons, zone,
            brackets,
            notASCII, query
    }

    /// nil for any scheme but http, https, ws and wss, and for any other `Problem`, such as user names, fragments or
    /// blanks.
    package init?(_ text: String) {
        do throws(Problem) { try self.init(reading: text) } catch { return nil }
    }

    /// Why a text is not a valid address; nil if it is one.
    package static func problem(_ text: String) -> Problem? {
        do throws(Problem) {
            _ = try ServerURL(reading: text)
            return nil
        } catch {
            return error
        }
    }

    private init(reading text: String) throws(Problem) {
        guard text.utf8.count <= Self.longest else { throw .tooLong }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else { throw .blanks }
        let lower = text.lowercased()
        let ports = [("https://", 443), ("http://", 80), ("wss://", 443), ("ws://", 80)]
        guard let (prefix, usualPort) = ports.first(where: { lower.hasPrefix($0.0) }) else { throw .scheme }
        scheme = String(prefix.dropLast(3))
        let rest = text.dropFirst(prefix.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("@") else { throw .userName }
        let (host, port) = try Self.hostAndPort(authority)
        self.host = host
        self.port = port ?? usualPort
        guard rest.utf8.allSatisfy({ $0 < 0x80 }) else { throw .notASCII }
        guard !rest.contains("#") else { throw .fragment }
        let tail = rest.dropFirst(authority.count)
        let written = tail.prefix { $0 != "?" }
        var path = written
        while path.last == "/" { path.removeLast() }
        hasTrailingSlash = path != written && !path.isEmpty && prefix.hasPrefix("ws")
        self.path = String(path)
        let query = tail.drop { $0 != "?" }.dropFirst()
        self.query = query.isEmpty ? nil : String(query)
    }

    /// The address as text; includes the port only if it is not the default.
    package var text: String { "\(scheme)://\(authority)\(writtenPath)" + (query.map { "?" + $0 } ?? "") }

    /// Host and port as used in URLs and the Host header; includes the port only if it is not the default.
    package var authority: String { bracketedHost + (port == (isSecure ? 443 : 80) ? "" : ":\(port)") }

    /// The host, with brackets for an IPv6 address.
    package var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

    /// Whether the scheme uses TLS.
    package var isSecure: Bool { scheme == "https" || scheme == "wss" }

    /// Path and query as used in a request: at least "/" (RFC 9112 section 3.2.1).
    package var target: String { (path.isEmpty ? "/" : writtenPath) + (query.map { "?" + $0 } ?? "") }

    private var writtenPath: String { path + (hasTrailingSlash ? "/" : "") }

    fileprivate static func hostAndPort(_ authority: Substring) throws(Problem) -> (String, Int?) {
        var host = authority
        var port: Int?
        let isBracketed = authority.first == "["
        let afterBrackets = authority.lastIndex(of: "]").map { authority.index(after: $0) } ?? authority.startIndex
        if let colon = authority[afterBrackets...].lastIndex(of: ":") {
            host = authority[..<colon]
            // An IPv6 address without brackets has more colons.
            if !isBracketed, host.contains(":") {
                let isNumber = authority.allSatisfy { $0.isHexDigit || ":.".contains($0) }
                let isIPv6 = isNumber && (authority.contains("::") || authority.filter { $0 == ":" }.count > 2)
                throw isIPv6 ? .brackets : .colons
            }
            port = try number(authority[authority.index(after: colon)...])
        }
        if isBracketed {
            guard host.last == "]", host.count > 2 else { throw .brackets }
            host = host.dropFirst().dropLast()
            guard !host.contains("%") else { throw .zone }
            guard host.allSatisfy({ $0.isASCII && $0.isHexDigit || $0 == ":" || $0 == "." }), isIPv6(host) else {
                throw .brackets
            }
        } else {
            guard !host.isEmpty else { throw .noHost }
            guard host.utf8.allSatisfy({ $0 < 0x80 }) else { throw .hostNotASCII }
            guard host.allSatisfy({ $0.isLetter || $0.isNumber || "-._~".contains($0) }) else { throw .host }
            try checkLabels(of: host)
        }
        return (host.lowercased(), port)
    }

    fileprivate static func isIPv6(_ text: Substring) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, String(text), &address) == 1
    }

    /// Requires labels of 1 to 63 bytes (RFC 1035 section 2.3.4); a trailing full stop is allowed. A name whose last label
    /// is numeric must be an IPv4 address: no host name ends that way.
    private static func checkLabels(of host: Substring) throws(Problem) {
        let name = host.last == "." ? host.dropLast() : host
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ (1...63).contains($0.utf8.count) }), name.utf8.count <= 253 else { throw .label }
        guard let last = labels.last, last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return }
        var address = in_addr()
        // Accepts shorter forms too, as name services do.
        guard inet_aton(String(host), &address) == 1 else { throw .number }
    }

    /// Accepts digits only, without a sign (RFC 3986 section 3.2.3).
    private static func number(_ digits: Substring) throws(Problem) -> Int {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
            (1...65535).contains(number)
        else { throw .port }
        return number
    }
}

/// Host and port of a server: "speech.home:10300", "[::1]:10300".
package struct HostAndPort: Sendable, Equatable {
    /// Lower case; an IPv6 address without brackets.
    package let host: String
    package let port: Int

    /// nil without a port, or for an IPv6 address without brackets: "::1:10300" is ambiguous.
    package init?(_ text: String) {
        guard text.utf8.count <= 300, let (host, port) = try? ServerURL.hostAndPort(text[...]), let port else {
            return nil
        }
        (self.host, self.port) = (host, port)
    }

    package var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The accepted form, for a message about a key that names a server this way.
    package static let wanted = "must be host:port, for instance 192.168.1.20:10300 or [::1]:10300"
}

/// A host that a list names, for all its ports or for one: "nas.lan", "192.168.1.5:8000", "[fd00::5]:8000", "fd00::5".
package struct ListedHost: Hashable, Sendable {
    /// Lower case; an IPv6 address without brackets.
    package let host: String
    /// nil for all ports.
    package let port: Int?

    package init(host: String, port: Int?) { (self.host, self.port) = (host, port) }

    /// nil for anything else, such as URLs, networks and patterns.
    package init?(_ text: String) {
        guard text.utf8.count <= 300 else { return nil }
        if ServerURL.isIPv6(text[...]) {
            (host, port) = (text.lowercased(), nil)
            return
        }
        guard let (host, port) = try? ServerURL.hostAndPort(text[...]) else { return nil }
        // Short forms of IPv4 addresses, such as "192.168.1", are meant as networks.
        let labels = host.split(separator: ".")
        if !host.contains(":"), labels.last?.allSatisfy(\.isNumber) == true, labels.count != 4 { return nil }
        (self.host, self.port) = (host.last == "." ? String(host.dropLast()) : host, port)
    }

    /// Returns the hosts of a list, separated by blanks or commas; leaves out names that are not hosts.
    package static func list(_ text: String) -> [ListedHost] { names(text).compactMap { ListedHost(String($0)) } }

    /// The first name in a list that is not a host.
    static func firstWrong(in text: String) -> String? {
        names(text).first { ListedHost(String($0)) == nil }.map(String.init)
    }

    private static func names(_ text: String) -> [Substring] { text.split { $0 == " " || $0 == "," } }
}

extension ServerURL.Problem: CustomStringConvertible {
    /// States the problem and the remedy, to follow the name of the key that holds the address.
    package var description: String {
        switch self {
        case .tooLong: "is longer than 2048 bytes"
        case .blanks: "contains a blank, a control character or a backslash; write a blank as %20"
        case .scheme: "does not begin with http://, https://, ws:// or wss://"
        case .userName: "contains a user name or a password: leave them out, secrets have their own keys"
        case .fragment: "contains a #: leave out everything from there"
        case .noHost: "has no host"
        case .hostNotASCII: "has non-ASCII letters in its host: write the host as xn--..."
        case .host: "has an invalid character in its host"
        case .label: "has an empty label in its host, or one longer than 63 characters"
        case .number: "has an invalid IPv4 address: write four numbers from 0 to 255, as in 192.168.1.20"
        case .colons: "has more than one colon in its host and port: write HOST:PORT"
        case .query: "contains a ?: leave out everything from there"
        case .port: "has an invalid port: write a number from 1 to 65535"
        case .zone:
            "contains an IPv6 zone (%...), which is not supported: use a name, or an address without one"
        case .brackets: "has an invalid IPv6 address: write it in brackets, as in http://[::1]:8080"
        case .notASCII: "has non-ASCII letters in its path: write them as %..."
        }
    }
}
