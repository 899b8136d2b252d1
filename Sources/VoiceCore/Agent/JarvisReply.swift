internal import VoiceBase
internal import VoiceNetwork
internal import VoiceReply

/// Reads a reply: the agent's text, or why there is none.
///
/// Neither status nor content type says much: a wrong path may answer 200 with a web page, failures of the model behind the
/// server arrive as 400, and some servers stream without being asked to. So the body decides. A `finish_reason` of
/// "tool_calls" is normal for an agent that used tools.
package enum JarvisReply {
    private static let maximumDetailCharacters = 200

    /// Reads the reply to a question. If the connection ended first, the server may have been at work.
    ///
    /// - Parameter runsTools: whether calls in the reply were carried out by the server, as term-llm does.
    package static func content(of result: JarvisResponse, runsTools: Bool = false) -> Result<String, JarvisFailure> {
        result.flatMap { content(of: $0, runsTools: runsTools) }
    }

    private static func content(of response: HTTPResponse, runsTools: Bool) -> Result<String, JarvisFailure> {
        guard response.status == 200 else { return .failure(failure(of: response)) }
        if let completion = ChatCompletion(response.body) { return completion.answer(runsTools: runsTools) }
        if response.mediaType == "text/html" { return .failure(.wrongBasePath(hint: "a web page answered")) }
        if response.mediaType == "application/json" {
            return .failure(.badReply(detail: "not the JSON of a chat completion"))
        }
        let type = shortened(response.mediaType)
        return .failure(.badReply(detail: type.isEmpty ? "no content type" : "content type \(type)"))
    }

    /// Judges the text of a complete reply.
    ///
    /// - Parameters:
    ///   - hasReasoned: whether the server reported thoughts beside the text.
    ///   - reachedLimit: whether the reply ended at the token limit.
    static func answer(
        _ text: String,
        hasReasoned: Bool = false,
        reachedLimit: Bool = false,
        hasCalls: Bool = false
    ) -> Result<String, JarvisFailure> {
        let written = WrittenReply(SpeechShaper.bounded(text).text)
        guard written.text.allSatisfy(\.isWhitespace) else { return .success(text) }
        if hasCalls { return .failure(.toolNotRun) }
        let isThought = hasReasoned || reachedLimit || written.hasThoughts
        return .failure(isThought ? .onlyThoughts(reachedLimit: reachedLimit) : .emptyReply)
    }

    /// Returns the text of the messages among the items of a response.
    static func text(ofOutput items: JSONValue?) -> String {
        guard case .array(let items)? = items else { return "" }
        return items.filter { $0["type"]?.stringValue == "message" }.map { text(ofContent: $0["content"]) }
            .joined(separator: "\n\n")
    }

    /// Returns the text of a content; of its parts, those that are text.
    fileprivate static func text(ofContent content: JSONValue?) -> String {
        switch content {
        case .string(let text): text
        case .array(let parts): parts.map { text(ofContent: $0) }.joined()
        // The words in which a model declines.
        case .object(let part) where part["type"]?.stringValue == "refusal": part["refusal"]?.stringValue ?? ""
        case .object(let part):
            ["text", "output_text"].contains(part["type"]?.stringValue ?? "text")
                ? text(ofContent: part["text"] ?? part["content"]) : ""
        default: ""
        }
    }

    /// Reads a status other than 200. What the body says counts more than the status: servers and proxies pass the errors of
    /// the model's provider on with one of their own.
    static func failure(of response: HTTPResponse) -> JarvisFailure {
        let error = ServerError(response)
        let detail = error?.message ?? ""
        if !(300..<400).contains(response.status), let named = error.flatMap(JarvisFailure.init) {
            if case .limited = named { return .limited(pause: response.statedPause) }
            // In an error of a failing server, "not found" may be about anything.
            if named != .unknownModel || response.status < 500 || error?.namesModelByCode == true { return named }
        }
        let status = "status \(response.status)"
        switch response.status {
        case 300..<400:
            return .wrongBasePath(hint: "redirect to \(shortened(path(of: response.header("location") ?? "nowhere")))")
        case 401, 403: return .authentication
        case 402: return .noCredit
        case 404, 405: return .wrongBasePath(hint: status)
        case 408, 504, 524: return .serverLimit
        case 409: return .busy
        case 413: return .tooLong
        case 429, 529: return .limited(pause: response.statedPause)
        // 502: a proxy got no answer from the agent, which may be at work. 520 to 530 are Cloudflare's; of these, only 520 and
        // 524 had reached the server.
        case 502, 520: return .cutOff(detail: status)
        case 503 where error?.namesBrokenConnection == true: return .cutOff(detail: status)
        case 503, 521...523, 525...530: return .offline(detail: status)
        // A server that is being stopped answers its interrupted runs like this.
        case 400 where detail.contains("context canceled"): return .lost
        default: return .serverError(status: response.status, detail: shortened(detail))
        }
    }

    /// Whether the reply rejects the id of the answer to be continued.
    static func isStale(_ response: HTTPResponse) -> Bool {
        guard response.status == 409 || response.status == 400 else { return false }
        return ServerError(response)?.message.contains("previous_response_id") ?? false
    }

    /// The location without its query, which may contain anything.
    private static func path(of location: String) -> String { String(location.prefix { $0 != "?" && $0 != "#" }) }

    static func shortened(_ text: String) -> String {
        text.count > maximumDetailCharacters ? text.prefix(maximumDetailCharacters) + "..." : text
    }
}

/// A completion of a chat: one object, or the chunks of a stream.
private struct ChatCompletion {
    private var text = ""
    private var hasReasoned = false
    private var reachedLimit = false
    private var hasCalls = false
    /// Whether the reply ended with a call; servers that give no reason may have.
    private var hasToolReason = true
    /// The reply holds the result of a tool.
    private var hasToolResult = false
    private var hasChoice = false
    private var error: ServerError?

    /// Returns nil if the body is neither.
    init?(_ body: [UInt8]) {
        let limit = JarvisRequest.maximumReplyBytes
        if let whole = OutsideJSON.decode(JSONValue.self, from: body, atMost: limit) {
            guard whole.isObject else { return nil }
            add(whole)
            return
        }
        var parser = ServerSentEventParser()
        var data = (try? parser.feed(body + Array("\n\n".utf8)))?.map { Array($0.data.utf8) } ?? []
        // One object a line.
        if data.isEmpty { data = body.split(separator: 0x0A).map(Array.init) }
        let chunks = data.compactMap { OutsideJSON.decode(JSONValue.self, from: $0, atMost: limit) }.filter(\.isObject)
        guard !chunks.isEmpty else { return nil }
        for chunk in chunks { add(chunk) }
    }

    func answer(runsTools: Bool) -> Result<String, JarvisFailure> {
        if let error {
            return .failure(JarvisFailure(error) ?? .runFailed(detail: JarvisReply.shortened(error.message)))
        }
        guard hasChoice else { return .failure(.badReply(detail: "no choices")) }
        return JarvisReply.answer(
            text, hasReasoned: hasReasoned, reachedLimit: reachedLimit, hasCalls: isLeftToClient && !runsTools
        )
    }

    /// Whether calls in the reply wait for the client to carry them out. After calls of its own, a server ends with another
    /// reason.
    private var isLeftToClient: Bool { hasCalls && hasToolReason && !hasToolResult }

    private mutating func add(_ chunk: JSONValue) {
        if chunk["choices"] == nil, chunk["message"]?.isObject != true { error = error ?? ServerError(chunk) }
        if let value = chunk["error"], value != .null { error = error ?? ServerError(chunk) }
        var choice = chunk
        if case .array(let choices)? = chunk["choices"] {
            guard let first = choices.first else { return }
            choice = first
        }
        let reason = choice["finish_reason"] ?? choice["done_reason"]
        if let reason = reason?.stringValue {
            reachedLimit = reason == "length" || reason == "max_tokens"
            hasToolReason = reason == "tool_calls" || reason == "function_call"
        }
        guard let message = choice["message"] ?? choice["delta"] ?? (choice["text"].map { .object(["content": $0]) })
        else {
            return
        }
        hasChoice = true
        hasToolResult = hasToolResult || message["role"]?.stringValue == "tool"
        text += JarvisReply.text(ofContent: message["content"]) + (message["refusal"]?.stringValue ?? "")
        if case .array(let calls)? = message["tool_calls"], !calls.isEmpty { hasCalls = true }
        for name in ["reasoning_content", "reasoning", "thinking"] where message[name]?.stringValue?.isEmpty == false {
            hasReasoned = true
        }
        if case .array(let parts)? = message["content"] {
            hasReasoned = hasReasoned || parts.contains { JarvisReply.text(ofContent: $0).isEmpty }
        }
    }
}
