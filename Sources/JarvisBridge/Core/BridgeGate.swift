internal import VoiceBase

/// Decides what a request may do, from its head alone.
///
/// A page of another site can neither send commands (Origin, a cookie with SameSite=Strict, a JSON body) nor read through a
/// name of its own that leads here (DNS rebinding: only addresses and known names are served).
package struct BridgeGate: Sendable {
    /// What of a request's head counts. A header that is there several times counts as absent.
    package struct Head: Sendable {
        package var method: String
        /// Without its query.
        package var path: String
        package var host: String?
        package var origin: String?
        /// "Sec-Fetch-Site".
        package var site: String?
        package var cookie: String?
        package var type: String?
        package var authorization: String?
        /// The other end is a program on this machine, and not a proxy that says so.
        package var isLocal: Bool

        package init(method: String, path: String, host: String?, isLocal: Bool = false) {
            self.method = method
            self.path = path
            self.host = host
            self.isLocal = isLocal
        }
    }

    package enum Verdict: Sendable, Equatable {
        case file(String)
        case events
        case command
        /// The body may hold the token. The cookie must be marked `Secure` if the browser came by HTTPS.
        case session(secure: Bool)
        case logout
        case metrics
        /// Wrong credentials: answer late.
        case wrongToken
        /// An HTTP status and a sentence.
        case refuse(Int, String)
    }

    package static let cookieName = "jarvis_session"
    private static let files: Set<String> = ["/", "/page.css", "/page.js", "/icon.svg"]
    private static let posts: Set<String> = ["/session", "/command", "/logout"]

    private let hosts: Set<String>
    private let secrets: BridgeSecrets

    package init(hosts: [String], secrets: BridgeSecrets) {
        self.hosts = Set(hosts)
        self.secrets = secrets
    }

    package func judge(_ head: Head) -> Verdict {
        let isPost = Self.posts.contains(head.path)
        guard isPost || Self.files.contains(head.path) || ["/events", "/metrics"].contains(head.path) else {
            return .refuse(404, "there is nothing here")
        }
        guard head.method == (isPost ? "POST" : "GET") else { return .refuse(405, isPost ? "POST only" : "GET only") }
        if head.path == "/metrics", let given = head.authorization {
            return Self.isEqual(given, "Bearer " + secrets.metrics.revealed) ? .metrics : .wrongToken
        }
        guard let authority = head.host?.lowercased(), let name = Self.name(authority) else {
            return .refuse(400, "the request names no host")
        }
        guard name == "localhost" || IPAddress(name) != nil || hosts.contains(name) else {
            return .refuse(403, "this name is not known: add it to hosts in \(BridgeConfiguration.standardFile)")
        }
        if let origin = head.origin?.lowercased() {
            guard ["http://" + authority, "https://" + authority].contains(origin) else {
                return .refuse(403, "requests of other sites are refused")
            }
        } else if isPost {
            return .refuse(403, "the request has no Origin")
        }
        if Self.files.contains(head.path) { return .file(head.path) }
        // Older browsers do not send it.
        guard head.site.map({ ["same-origin", "none"].contains($0) }) ?? true else {
            return .refuse(403, "requests of other sites are refused")
        }
        return answer(head, isFromHere: name == "localhost" || IPAddress(name)?.isLoopback == true)
    }

    private func answer(_ head: Head, isFromHere: Bool) -> Verdict {
        let isJSON = head.type?.prefix { $0 != ";" }.lowercased() == "application/json"
        switch head.path {
        case "/metrics":
            return head.isLocal && isFromHere ? .metrics : .refuse(401, "from elsewhere, /metrics needs its token")
        case "/session":
            return isJSON
                ? .session(secure: head.origin?.lowercased().hasPrefix("https:") == true) : .refuse(415, "JSON only")
        case "/logout": return .logout
        default:
            guard hasSession(head.cookie) else { return .refuse(401, "open the link of jarvis-bridge link") }
            if head.path == "/events" { return .events }
            return isJSON ? .command : .refuse(415, "JSON only")
        }
    }

    /// Whether this is the token of the link.
    package func accepts(token: String) -> Bool { Self.isEqual(token, secrets.token.revealed) }

    /// "Set-Cookie" of a browser that has shown the token, or that leaves.
    package func cookie(secure: Bool, leaving: Bool = false) -> String {
        "\(Self.cookieName)=\(leaving ? "" : secrets.session.revealed); Path=/; HttpOnly; SameSite=Strict; "
            + "Max-Age=\(leaving ? 0 : 31_536_000)" + (secure ? "; Secure" : "")
    }

    private func hasSession(_ cookies: String?) -> Bool {
        (cookies ?? "").split(separator: ";").contains { cookie in
            Self.isEqual(String(cookie.drop { $0 == " " }), "\(Self.cookieName)=\(secrets.session.revealed)")
        }
    }

    /// The host of "host:port" or "[address]:port", without brackets; nil if it is neither.
    private static func name(_ authority: String) -> String? {
        let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]").map(authority.index(after:)) : nil
        let host = authority[..<(end ?? authority.firstIndex(of: ":") ?? authority.endIndex)]
        let port = authority[host.endIndex...]
        guard port.isEmpty || port.hasPrefix(":") && port.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return nil
        }
        return String(host.hasPrefix("[") ? host.dropFirst().dropLast() : host)
    }

    /// Compares all bytes, so that the time tells only the length.
    private static func isEqual(_ given: String, _ wanted: String) -> Bool {
        guard given.utf8.count == wanted.utf8.count else { return false }
        return zip(given.utf8, wanted.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
