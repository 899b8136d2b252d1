import FoundationEssentials
package import VoiceBase
package import VoiceConfiguration
package import VoiceNetwork

/// Builds the requests to the agent.
///
/// The server keeps the history by the session id. More than one message, or one of another role, would replace it.
/// Model and tools are left to the server.
package struct JarvisRequest: Sendable {
    package static let maximumReplyBytes = 4 << 20
    /// Longest any connection to the agent lives: the agent's own limit for a run. How long the user waits is decided
    /// by who asks, since the wait for an answer of the user does not count.
    static let longestRun = Duration.seconds(1830)
    /// For requests that only ask for a state or give an order.
    static let controlLimit = Duration.seconds(10)

    private let base: ServerURL
    private let token: SharedSecret
    private let settings: Configuration.Jarvis

    /// `base` ends with the base path of the server ("/ui" by default); a "/v1" at its end belongs to the
    /// route.
    package init(base: ServerURL, token: Secret?, settings: Configuration.Jarvis) {
        self.base = base
        self.token = SharedSecret(token)
        self.settings = settings
    }

    /// The token of requests from now on, of every copy of this value.
    func useToken(_ token: Secret?) { self.token.value = token }

    /// One question of a session the server keeps: exactly one user message.
    package func make(query: String, sessionID: String) -> HTTPRequest {
        struct Body: Encodable {
            let messages: [ChatMessage]
            let stream: Bool
        }
        let body = Body(messages: [ChatMessage(role: "user", content: query)], stream: false)
        return request("/v1/chat/completions", body: Self.json(body), extra: [("session_id", sessionID)])
    }

    /// A whole conversation, for servers that keep nothing.
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
            "/v1/responses",
            body: Self.json(body),
            accept: "text/event-stream",
            extra: [("session_id", question.sessionID), ("Idempotency-Key", question.key)]
        )
    }

    /// The events of a run from behind the one with this number.
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

    // MARK: Putting together

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
        // Where the address is near is known when it is connected to.
        let isOpen = base.scheme == "http" && token.value != nil && !settings.allowPlainHTTP
        // A question must not reach the agent twice without anybody knowing.
        let isQuestion = method == "POST" && limit == Self.longestRun
        return HTTPRequest(
            method: method,
            url: url(route, query: query),
            headers: headers,
            body: body,
            connectTimeout: .seconds(settings.connectTimeoutS),
            totalTimeout: limit,
            maximumReplyBytes: Self.maximumReplyBytes,
            caFile: settings.caFile.isEmpty ? nil : settings.caFile,
            certificateFile: settings.clientCertificateFile.isEmpty ? nil : settings.clientCertificateFile,
            keyFile: settings.clientKeyFile.isEmpty ? nil : settings.clientKeyFile,
            mayRepeat: !isQuestion,
            staysNear: isOpen
        )
    }

    private func url(_ route: String, query extra: String?) -> String {
        let query = base.query.map { "?" + $0 } ?? ""
        var root = base.text.dropLast(query.utf8.count)
        if base.path.hasSuffix("/v1") { root = root.dropLast(3) }
        let separator = query.isEmpty ? "?" : "&"
        return root + route + query + (extra.map { separator + $0 } ?? "")
    }

    /// Ids of the server in a path: anything unusual is left out, so that they cannot lead elsewhere.
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
