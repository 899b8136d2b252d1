import FoundationEssentials
package import VoiceBase
package import VoiceNetwork

/// Builds the requests to the agent.
///
/// The server keeps the history by session id. More than one message, or one of another role, would replace it. Model and
/// tools are left to the server.
package struct JarvisRequest: Sendable {
    package static let maximumReplyBytes = 4 << 20
    private static let connectTimeout = Duration.seconds(3)
    /// Longest lifetime of a connection to the agent: the agent's own limit for a run. The caller decides how long the user
    /// waits, since the wait for the user's answers does not count.
    static let longestRun = Duration.seconds(1830)
    /// Limit for requests that only read a state or give an order.
    static let controlLimit = Duration.seconds(10)

    private let base: ServerURL
    private let token: SharedSecret
    private let settings: Configuration.Jarvis

    /// `base` ends with the base path of the server ("/ui" by default); a trailing "/v1" belongs to the route.
    package init(base: ServerURL, token: Secret?, settings: Configuration.Jarvis) {
        self.base = base
        self.token = SharedSecret(token)
        self.settings = settings
    }

    /// Sets the token for requests from now on, made by any copy of this value.
    func useToken(_ token: Secret?) { self.token.value = token }

    var secret: Secret? { token.value }

    /// A WebSocket of the agent; nil where a client certificate is needed, which it cannot show.
    func socket(_ route: String) -> WebSocketRequest? {
        guard settings.clientCertificateFile.isEmpty else { return nil }
        let whole = JarvisRequest.controlLimit
        return WebSocketRequest(
            url: "ws" + url(route, query: nil).dropFirst("http".count),
            limits: ConnectionLimits(whole: whole, firstMessage: whole), deadPeerLimit: .seconds(settings.silenceS),
            caFile: settings.caFile.isEmpty ? nil : settings.caFile,
            staysNear: base.scheme == "http" && !settings.allowPlainHTTP
        )
    }

    /// One question in a session kept by the server: exactly one user message.
    package func make(query: String, sessionID: String) -> HTTPRequest {
        struct Body: Encodable {
            let messages: [ChatMessage]
            let stream: Bool
        }
        let body = Body(messages: [ChatMessage(role: "user", content: query)], stream: false)
        return request("/v1/chat/completions", body: Self.json(body), extra: [("session_id", sessionID)])
    }

    /// A whole conversation, for servers that keep no history.
    func completion(_ messages: [ChatMessage]) -> HTTPRequest {
        struct Body: Encodable {
            let messages: [ChatMessage]
            let model: String?
            let stream: Bool
        }
        let model = settings.model.isEmpty ? nil : settings.model
        let body = Body(messages: messages, model: model, stream: false)
        return request("/v1/chat/completions", body: Self.json(body))
    }

    /// One question as a run that outlives its connection. The key makes a repetition join the run instead of starting
    /// another.
    func response(_ question: JarvisQuestion, previous: String?) -> HTTPRequest {
        struct Body: Encodable {
            let input: String
            let previous_response_id: String?
            let stream: Bool
        }
        let body = Body(input: question.query, previous_response_id: previous, stream: true)
        return request(
            "/v1/responses", body: Self.json(body), accept: "text/event-stream",
            extra: [("session_id", question.sessionID), ("Idempotency-Key", question.key)]
        )
    }

    /// The events of a run after this sequence number.
    func events(run: String, after sequence: Int) -> HTTPRequest {
        let route = "/v1/responses/\(Self.plain(run))/events"
        return request(route, query: "after=\(sequence)", method: "GET", accept: "text/event-stream")
    }

    func snapshot(run: String) -> HTTPRequest { control("/v1/responses/\(Self.plain(run))") }

    func cancel(run: String) -> HTTPRequest {
        control("/v1/responses/\(Self.plain(run))/cancel", body: Array("{}".utf8))
    }

    func state(session: String) -> HTTPRequest { control("/v1/sessions/\(Self.plain(session))/state") }

    /// The latest messages of a session.
    func messages(session: String) -> HTTPRequest {
        let route = "/v1/sessions/\(Self.plain(session))/messages"
        return request(route, query: "tail=1", method: "GET", limit: Self.controlLimit)
    }

    /// The user's answer to a prompt of the agent.
    func reply(_ reply: JarvisPromptReply, session: String) -> HTTPRequest {
        control("/v1/sessions/\(Self.plain(session))/\(reply.route)", body: Self.json(reply))
    }

    func health() -> HTTPRequest { control("/healthz") }

    func models() -> HTTPRequest { control("/v1/models") }

    /// The address of the question route.
    package var url: String { url("/v1/chat/completions", query: nil) }

    // MARK: Construction

    func control(
        _ route: String,
        query: String? = nil,
        body: [UInt8]? = nil,
        method: String? = nil
    ) -> HTTPRequest {
        let method = method ?? (body == nil ? "GET" : "POST")
        return request(route, query: query, method: method, body: body ?? [], limit: Self.controlLimit)
    }

    func request(
        _ route: String,
        query: String? = nil,
        method: String = "POST",
        body: [UInt8] = [],
        accept: String = "application/json",
        extra: [(name: String, value: String)] = [],
        limit: Duration = JarvisRequest.longestRun
    ) -> HTTPRequest {
        var headers = [(name: "Accept", value: accept)]
        if method != "GET" { headers.append(("Content-Type", "application/json")) }
        headers += extra
        if let token = token.value { headers.append(("Authorization", "Bearer \(token.revealed)")) }
        // Whether the address is local is decided on connecting.
        let isOpen = base.scheme == "http" && token.value != nil && !settings.allowPlainHTTP
        // A question must not silently reach the agent twice.
        let isQuestion = method == "POST" && limit == Self.longestRun
        return HTTPRequest(
            method: method, url: url(route, query: query), headers: headers, body: body,
            connectTimeout: Self.connectTimeout, totalTimeout: limit, maximumReplyBytes: Self.maximumReplyBytes,
            caFile: settings.caFile.isEmpty ? nil : settings.caFile,
            certificateFile: settings.clientCertificateFile.isEmpty ? nil : settings.clientCertificateFile,
            mayRepeat: !isQuestion, staysNear: isOpen
        )
    }

    private func url(_ route: String, query extra: String?) -> String {
        let query = base.query.map { "?" + $0 } ?? ""
        var root = base.text.dropLast(query.utf8.count)
        if base.path.hasSuffix("/v1") { root = root.dropLast(3) }
        let separator = query.isEmpty ? "?" : "&"
        return String(root) + route + query + (extra.map { separator + $0 } ?? "")
    }

    /// An id of the server for use in a path. Unusual characters are dropped, so that it cannot lead elsewhere.
    static func plain(_ id: String) -> String { String(id.prefix(200).filter(\.isOfID)) }

    static func json(_ body: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        // Strings, numbers and flags always encode.
        return (try? encoder.encode(body)).map(Array.init) ?? []
    }
}

/// One message of a chat.
struct ChatMessage: Codable, Sendable, Equatable {
    var role: String
    var content: String
}
