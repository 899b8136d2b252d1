import FoundationEssentials

/// Reads what came back: the text of the agent, or why there is none.
///
/// The status alone says little: a wrong path may answer 200 with a web page, and failures of the model behind the
/// server arrive as 400. `finish_reason` is not looked at, since "tool_calls" is normal for an agent that used tools.
package enum JarvisReply {
    private static let maximumDetailCharacters = 200

    package static func content(of result: JarvisHTTPResult) -> Result<String, JarvisFailure> {
        switch result {
        case .response(let response): content(of: response)
        case .failed(let fault): .failure(failure(of: fault))
        }
    }

    private static func content(of response: JarvisHTTPResponse) -> Result<String, JarvisFailure> {
        guard response.status == 200 else { return .failure(failure(of: response)) }
        guard mediaType(response) == "application/json" else {
            let type = shortened(mediaType(response))
            return .failure(
                mediaType(response) == "text/html"
                    ? .wrongBasePath(hint: "a web page answered")
                    : .badReply(detail: type.isEmpty ? "no content type" : "content type \(type)")
            )
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(response.body)) else {
            return .failure(.badReply(detail: "not the JSON of a chat completion"))
        }
        if let error = body.error { return .failure(.serverError(status: 200, detail: shortened(error.message ?? ""))) }
        guard let choice = body.choices?.first else { return .failure(.badReply(detail: "no choices")) }
        let content = choice.message?.content ?? ""
        return content.allSatisfy(\.isWhitespace) ? .failure(.emptyReply) : .success(content)
    }

    private static func failure(of response: JarvisHTTPResponse) -> JarvisFailure {
        let detail = (try? JSONDecoder().decode(Body.self, from: Data(response.body)))?.error?.message ?? ""
        switch response.status {
        case 300..<400:
            return .wrongBasePath(hint: "redirect to \(shortened(path(of: response.location ?? "nowhere")))")
        case 401, 403: return .authentication
        case 404, 405: return .wrongBasePath(hint: "status \(response.status)")
        case 408, 504: return .timedOut
        case 409, 429: return .busy
        case 502, 503: return .offline(detail: "status \(response.status)")
        default: return .serverError(status: response.status, detail: shortened(detail))
        }
    }

    private static func failure(of fault: JarvisTransportFault) -> JarvisFailure {
        switch fault {
        case .couldNotConnect(let detail), .connectionLost(let detail): .offline(detail: shortened(detail))
        case .timedOut: .timedOut
        case .untrusted(let detail): .untrusted(detail: shortened(detail))
        case .replyTooLarge: .tooLarge
        case .cancelled: .cancelled
        }
    }

    /// "text/html" of "Text/HTML; charset=utf-8".
    private static func mediaType(_ response: JarvisHTTPResponse) -> String {
        let type = (response.contentType ?? "").prefix { $0 != ";" }
        return type.lowercased().filter { !$0.isWhitespace }
    }

    /// Without the query, which may hold anything.
    private static func path(of location: String) -> String { String(location.prefix { $0 != "?" && $0 != "#" }) }

    private static func shortened(_ text: String) -> String {
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
