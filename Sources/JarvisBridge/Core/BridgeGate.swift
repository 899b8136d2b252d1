internal import VoiceBase

/// Decides what a request may do, from its head alone.
///
/// A page of another site can neither send commands (Origin, the session in a header, a JSON body) nor read through its
/// own name for this address (DNS rebinding: only addresses and known names are served).
package struct BridgeGate: Sendable {
    /// The answer to a browser without a session.
    package static let signedOut = "open the link that \"jarvis-bridge link\" prints"

    /// The relevant headers of a request. A header that occurs several times counts as absent.
    package struct Head: Sendable {
        package var method: String
        /// Without its query.
        package var path: String
        package var host: String?
        package var origin: String?
        /// "Sec-Fetch-Site".
        package var site: String?
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
        /// The session that the browser claims, and "host:port" as in the request.
        case events(Claim)
        case command(Claim)
        /// The body may hold the token; a session that the browser already has is replaced.
        case session(host: String, replacing: String?)
        case logout(Claim)
        case metrics
        /// Wrong credentials: answer late.
        case wrongToken
        /// The method that this path accepts.
        case wrongMethod(String)
        /// An HTTP status and a sentence.
        case refuse(Int, String)
    }

    package struct Claim: Sendable, Equatable {
        package var session: String
        package var host: String

        package init(session: String, host: String) { (self.session, self.host) = (session, host) }
    }

    private static let posts: Set<String> = ["/session", "/command", "/logout"]

    private let hosts: Set<String>
    private let secrets: BridgeSecrets

    package init(hosts: [String], secrets: BridgeSecrets) {
        self.hosts = Set(hosts)
        self.secrets = secrets
    }

    package func judge(_ head: Head) -> Verdict {
        let isPost = Self.posts.contains(head.path)
        guard isPost || PageFile.paths.contains(head.path) || ["/events", "/metrics"].contains(head.path) else {
            return .refuse(404, "there is nothing here")
        }
        guard isPost ? head.method == "POST" : ["GET", "HEAD"].contains(head.method) else {
            return .wrongMethod(isPost ? "POST" : "GET, HEAD")
        }
        if head.path == "/metrics", head.authorization != nil {
            let given = Self.bearer(head.authorization) ?? ""
            return Self.isEqual(given, secrets.metrics.revealed) ? .metrics : .wrongToken
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
        if PageFile.paths.contains(head.path) { return .file(head.path) }
        // Older browsers do not send it.
        guard head.site.map({ ["same-origin", "none"].contains($0) }) ?? true else {
            return .refuse(403, "requests of other sites are refused")
        }
        return answer(head, authority, isFromHere: name == "localhost" || IPAddress(name)?.isLoopback == true)
    }

    private func answer(_ head: Head, _ authority: String, isFromHere: Bool) -> Verdict {
        let isJSON = head.type?.prefix { $0 != ";" }.lowercased() == "application/json"
        let session = Self.bearer(head.authorization)
        switch head.path {
        case "/metrics":
            return head.isLocal && isFromHere ? .metrics : .refuse(401, "from elsewhere, /metrics needs its token")
        case "/session": return isJSON ? .session(host: authority, replacing: session) : .refuse(415, "JSON only")
        default:
            guard let session else { return .refuse(401, Self.signedOut) }
            let claim = Claim(session: session, host: authority)
            switch head.path {
            case "/events": return .events(claim)
            case "/logout": return .logout(claim)
            default: return isJSON ? .command(claim) : .refuse(415, "JSON only")
            }
        }
    }

    /// Whether this is the token of the link.
    package func accepts(token: String) -> Bool { Self.isEqual(token, secrets.token.revealed) }

    /// The token of an "Authorization" header.
    private static func bearer(_ header: String?) -> String? {
        guard let header, header.lowercased().hasPrefix("bearer ") else { return nil }
        return String(header.dropFirst(7))
    }

    /// Path and authority of a request's target. A proxy names both ("GET http://box:8787/ HTTP/1.1"), and then the authority counts
    /// instead of Host (RFC 9112, section 3.2.2).
    static func target(_ uri: String) -> (authority: String?, path: String) {
        for scheme in ["http://", "https://"] where uri.lowercased().hasPrefix(scheme) {
            let rest = uri.dropFirst(scheme.count)
            let path = rest.drop { !"/?#".contains($0) }.prefix { $0 != "?" }
            return (String(rest.prefix { !"/?#".contains($0) }), path.hasPrefix("/") ? String(path) : "/")
        }
        return (nil, String(uri.prefix { $0 != "?" }))
    }

    /// Whether a header is one that proxies add: the other end is then not the browser.
    static func isOfProxy(_ header: String) -> Bool {
        let name = header.lowercased()
        return name.hasPrefix("x-forwarded") || name.hasPrefix("cf-")
            || ["forwarded", "via", "x-real-ip", "true-client-ip", "x-client-ip", "x-original-for"].contains(name)
    }

    /// The host of "host:port" or "[address]:port", without brackets and without the dot after a whole name; nil if it is
    /// neither.
    private static func name(_ authority: String) -> String? {
        let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]").map(authority.index(after:)) : nil
        let host = authority[..<(end ?? authority.firstIndex(of: ":") ?? authority.endIndex)]
        let port = authority[host.endIndex...]
        guard port.isEmpty || port.hasPrefix(":") && port.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return nil
        }
        if host.hasPrefix("[") { return String(host.dropFirst().dropLast()) }
        return String(host.hasSuffix(".") ? host.dropLast() : host)
    }

    /// Compares all bytes, so that the time tells only the length.
    static func isEqual(_ given: String, _ wanted: String) -> Bool {
        guard given.utf8.count == wanted.utf8.count else { return false }
        return zip(given.utf8, wanted.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
