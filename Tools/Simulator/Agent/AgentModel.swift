/// The agent's rules without I/O: routes, authentication, history.
///
/// Reproduces `chat/completions` of `term-llm serve web`, including its pitfalls.
package struct AgentModel: Sendable {
    /// An HTTP answer.
    package struct Answer: Sendable, Equatable {
        package var status: Int
        package var headers: [String: String]
        package var body: String

        static func json(_ status: Int, _ value: SimulatedJSON, headers: [String: String] = [:]) -> Answer {
            Answer(
                status: status,
                headers: headers.merging(["Content-Type": "application/json"]) { $1 },
                body: value.text + "\n"
            )
        }

        static func error(_ status: Int, _ type: String, _ message: String) -> Answer {
            json(status, ["error": ["message": .string(message), "type": .string(type)]])
        }
    }

    /// The result of a request.
    package enum Decision: Sendable, Equatable {
        /// An immediate answer.
        case answer(Answer)
        /// A run of the agent in this session.
        case run(session: String, query: String, sessionWasNamed: Bool)
    }

    /// One message of a session.
    package struct Message: Sendable, Equatable {
        package var role: String
        package var content: String
    }

    package let token: String
    /// Path under which everything is mounted, without a trailing slash.
    package let basePath: String
    /// Sessions by id; nothing is ever evicted.
    package private(set) var history: [String: [Message]] = [:]
    private var runs = 0

    package init(token: String, basePath: String = "/ui") {
        self.token = token
        self.basePath = basePath
    }

    /// Decides on a request. For a run, adds its messages to the history.
    package mutating func decide(_ request: AgentRequest) -> Decision {
        let path = RequestTarget(request.target).path
        guard path == basePath || path.hasPrefix(basePath + "/") else {
            return .answer(Answer(status: 307, headers: ["Location": basePath + "/"], body: ""))
        }
        let route = String(path.dropFirst(basePath.count))
        let known = Self.bearer(request) == token
        switch (request.method, route) {
        case ("GET", "/healthz"):
            var health: [String: SimulatedJSON] = ["status": "ok"]
            if known {
                health["agent"] = "stand-in"
                health["version"] = "v0.0.403"
                health["capabilities"] = ["web"]
            }
            return .answer(.json(200, .object(health)))
        case ("POST", "/v1/chat/completions"):
            return known
                ? complete(request)
                : .answer(.error(401, "invalid_api_key", "invalid authentication credentials"))
        case (_, "/v1/chat/completions"): return .answer(Self.notAllowed("POST"))
        case ("GET", _): return .answer(Self.page)
        default: return .answer(Self.notAllowed("GET"))
        }
    }

    private mutating func complete(_ request: AgentRequest) -> Decision {
        let kind = request.header("Content-Type")?.split(separator: ";").first.map(String.init)
        guard kind?.lowercased() == "application/json" else {
            return .answer(.error(415, "invalid_request_error", "Content-Type must be application/json"))
        }
        guard let json = request.json else {
            return .answer(.error(400, "invalid_request_error", "invalid request body"))
        }
        guard let messages = json["messages"]?.array, !messages.isEmpty else {
            return .answer(.error(400, "invalid_request_error", "messages is required"))
        }
        let entries = messages.map {
            Message(role: $0["role"]?.string ?? "", content: $0["content"]?.string ?? "")
        }
        let roles: Set = ["user", "assistant", "system", "developer", "tool"]
        if let bad = entries.first(where: { !roles.contains($0.role) }) {
            return .answer(.error(400, "invalid_request_error", "unsupported role: \(bad.role)"))
        }
        runs += 1
        let named = request.header("session_id")
        let session = named ?? "20261120-210808-\(runs)"
        // A single user message is appended; anything else replaces the stored history.
        if entries.count == 1, entries[0].role == "user" || entries[0].role == "tool" {
            dropUnanswered(session)
            history[session, default: []].append(entries[0])
        } else {
            history[session] = entries
        }
        return .run(
            session: session,
            query: entries.last { $0.role == "user" }?.content ?? "",
            sessionWasNamed: named != nil
        )
    }

    /// Returns the answer of a finished run and appends the assistant's words to the history.
    package mutating func finish(
        session: String,
        sessionWasNamed: Bool,
        words: String,
        finishReason: String = "stop"
    ) -> Answer {
        history[session, default: []].append(Message(role: "assistant", content: words))
        var message: [String: SimulatedJSON] = ["role": "assistant", "content": .string(words)]
        if finishReason == "tool_calls" {
            message["tool_calls"] = [
                ["id": "call_1", "type": "function", "function": ["name": "shell", "arguments": "{}"]]
            ]
        }
        return .json(
            200,
            [
                "id": .string("chatcmpl_\(runs)"), "object": "chat.completion", "created": 1_795_208_889,
                "model": "stand-in",
                "choices": [
                    ["index": 0, "finish_reason": .string(finishReason), "message": .object(message)]
                ],
                "usage": [
                    "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18,
                    "prompt_tokens_details": ["cached_tokens": 0, "cache_write_tokens": 0],
                ],
            ],
            headers: sessionWasNamed ? [:] : ["x-session-id": session]
        )
    }

    /// Drops user turns that were never answered; called when the next one arrives.
    private mutating func dropUnanswered(_ session: String) {
        while history[session]?.last?.role == "user" { history[session]?.removeLast() }
    }

    static let page = Answer(
        status: 200, headers: ["Content-Type": "text/html; charset=utf-8"],
        body: "<!doctype html><title>term-llm</title><div id=app></div>\n"
    )

    private static func notAllowed(_ allowed: String) -> Answer {
        var answer = Answer.error(405, "invalid_request_error", "method not allowed")
        answer.headers["Allow"] = allowed
        return answer
    }

    private static func bearer(_ request: AgentRequest) -> String? {
        if let key = request.header("x-api-key") { return key }
        guard let value = request.header("Authorization"), value.lowercased().hasPrefix("bearer ") else { return nil }
        return String(value.dropFirst(7))
    }
}
