/// The parts of a WebSocket address that the handshake needs (RFC 6455 section 3).
struct URLParts: Equatable {
    let isSecure: Bool
    /// Host and port as the Host header wants them: the port only where it is not the default.
    let authority: String
    let host: String
    /// With the query; at least a slash.
    let path: String

    /// Nil where it is no ws:// or wss:// address, holds user information, a fragment, spaces or control characters.
    init?(_ url: String) {
        guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else { return nil }
        switch url[..<colon].lowercased() {
        case "ws": isSecure = false
        case "wss": isSecure = true
        default: return nil
        }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), !url.contains("#") else { return nil }
        let rest = url[url.index(colon, offsetBy: 3)...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let place = rest[..<end]
        guard !place.contains("@") else { return nil }
        var name = place
        var port: Int?
        let afterBracket = place.lastIndex(of: "]") ?? place.startIndex
        if let mark = place[afterBracket...].lastIndex(of: ":") {
            let digits = place[place.index(after: mark)...]
            if !digits.isEmpty {
                guard digits.allSatisfy(\.isWholeNumber), let number = Int(digits), 1...65_535 ~= number else {
                    return nil
                }
                port = number
            }
            name = place[..<mark]
        }
        guard !name.isEmpty, name.hasPrefix("[") == name.hasSuffix("]") else { return nil }
        host = String(name)
        let isDefault = port == nil || port == (isSecure ? 443 : 80)
        authority = isDefault ? host : "\(host):\(port ?? 0)"
        let path = String(rest[end...])
        self.path = path.hasPrefix("/") ? path : "/" + path
    }

    /// What libcurl is to connect to: it knows no ws scheme in every version.
    var curlURL: String { "\(isSecure ? "https" : "http")://\(authority)/" }
}
