internal import VoiceBase
internal import VoiceNetwork

/// Reads a reply: the agent's text, or why there is none.
///
/// The status alone says little: a wrong path may answer 200 with a web page, and failures of the model behind the server
/// arrive as 400. `finish_reason` is ignored, since "tool_calls" is normal for an agent that used tools.
package enum JarvisReply {
    private static let maximumDetailCharacters = 200

    /// Reads the reply to a question. If the connection ended first, the server may have been at work.
    package static func content(of result: JarvisResponse) -> Result<String, JarvisFailure> {
        result.flatMap { content(of: $0) }
    }

    private static func content(of response: HTTPResponse) -> Result<String, JarvisFailure> {
        guard response.status == 200 else { return .failure(failure(of: response)) }
        guard response.mediaType == "application/json" else {
            let type = shortened(response.mediaType)
            return .failure(
                response.mediaType == "text/html"
                    ? .wrongBasePath(hint: "a web page answered")
                    : .badReply(detail: type.isEmpty ? "no content type" : "content type \(type)")
            )
        }
        guard let body = body(of: response) else {
            return .failure(.badReply(detail: "not the JSON of a chat completion"))
        }
        if let error = body.error { return .failure(.runFailed(detail: shortened(error.message ?? ""))) }
        guard let choice = body.choices?.first else { return .failure(.badReply(detail: "no choices")) }
        let content = choice.message?.content ?? ""
        return content.allSatisfy(\.isWhitespace) ? .failure(.emptyReply) : .success(content)
    }

    static func failure(of response: HTTPResponse) -> JarvisFailure {
        let detail = body(of: response)?.error?.message ?? ""
        switch response.status {
        case 300..<400:
            return .wrongBasePath(hint: "redirect to \(shortened(path(of: response.header("location") ?? "nowhere")))")
        case 401, 403: return .authentication
        case 404, 405: return .wrongBasePath(hint: "status \(response.status)")
        case 408, 504: return .serverLimit
        case 409, 429: return .busy
        case 502, 503: return .offline(detail: "status \(response.status)")
        // A server that is being stopped answers its interrupted runs like this.
        case 400 where detail.contains("context canceled"): return .lost
        default: return .serverError(status: response.status, detail: shortened(detail))
        }
    }

    /// Whether the reply rejects the id of the answer to be continued.
    static func isStale(_ response: HTTPResponse) -> Bool {
        guard response.status == 409 || response.status == 400,
            let message = body(of: response)?.error?.message
        else { return false }
        return message.contains("previous_response_id")
    }

    private static func body(of response: HTTPResponse) -> Body? {
        OutsideJSON.decode(Body.self, from: response.body, atMost: JarvisRequest.maximumReplyBytes)
    }

    /// The location without its query, which may contain anything.
    private static func path(of location: String) -> String { String(location.prefix { $0 != "?" && $0 != "#" }) }

    static func shortened(_ text: String) -> String {
        text.count > maximumDetailCharacters ? text.prefix(maximumDetailCharacters) + "..." : text
    }

    private struct Body: Decodable {
        let choices: [Choice]?
        let error: Failure?

        struct Choice: Decodable {
            let message: Message?
        }

        struct Message: Decodable {
            let content: String?
        }

        struct Failure: Decodable {
            let message: String?
        }
    }
}
