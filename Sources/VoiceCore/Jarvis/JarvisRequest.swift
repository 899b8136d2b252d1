import FoundationEssentials

/// Builds the request of one question: POST {base}/v1/chat/completions with exactly one user message.
///
/// The server keeps the history by the session id. More than one message, or one of another role, would replace it.
/// Model and tools are left to the server.
package struct JarvisRequest: Sendable {
    package static let maximumReplyBytes = 4 << 20

    private let base: ServerURL
    private let token: Secret?
    private let connectTimeout: Duration
    private let timeout: Duration
    private let caFile: String?

    /// `base` ends with the base path of the server ("/ui" by default); a "/v1" at its end belongs to the
    /// route.
    package init(base: ServerURL, token: Secret?, settings: Configuration.Jarvis) {
        self.base = base
        self.token = token
        connectTimeout = .seconds(settings.connectTimeoutS)
        timeout = .seconds(settings.timeoutS)
        caFile = settings.caFile.isEmpty ? nil : settings.caFile
    }

    package func make(query: String, sessionID: String) -> JarvisHTTPRequest {
        var headers = [
            JarvisHTTPRequest.Header(name: "Content-Type", value: "application/json"),
            JarvisHTTPRequest.Header(name: "Accept", value: "application/json"),
            JarvisHTTPRequest.Header(name: "session_id", value: sessionID),
        ]
        if let token { headers.append(.init(name: "Authorization", value: "Bearer \(token.revealed)")) }
        return JarvisHTTPRequest(
            url: url,
            headers: headers,
            body: Self.body(query),
            connectTimeout: connectTimeout,
            timeout: timeout,
            caFile: caFile,
            maximumReplyBytes: Self.maximumReplyBytes
        )
    }

    /// The address of the question route.
    package var url: String {
        let route = base.path.hasSuffix("/v1") ? "/chat/completions" : "/v1/chat/completions"
        let query = base.query.map { "?" + $0 } ?? ""
        let text = base.text
        return text.dropLast(query.utf8.count) + route + query
    }

    private static func body(_ query: String) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        let body = Body(messages: [Body.Message(role: "user", content: query)], stream: false)
        // Two strings and a flag always encode.
        return (try? encoder.encode(body)).map(Array.init) ?? []
    }

    private struct Body: Encodable {
        let messages: [Message]
        let stream: Bool

        struct Message: Encodable {
            let role: String
            let content: String
        }
    }
}
