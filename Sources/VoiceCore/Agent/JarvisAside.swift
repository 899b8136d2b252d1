internal import VoiceBase

/// The answer to a question beside the run: a stream of pieces and, at its end, the whole.
enum JarvisAside {
    /// Nil where the server has no such route, or did not answer.
    static func text(_ result: JarvisHTTPResult) -> String? {
        guard case .success(let response) = result, response.status == 200, response.mediaType == "text/event-stream"
        else { return nil }
        var parser = ServerSentEventParser()
        guard let events = try? parser.feed(response.body) else { return nil }
        var pieces = ""
        for event in events {
            let bytes = event.data.utf8
            guard let part = OutsideJSON.decode(Part.self, from: bytes, atMost: JarvisRequest.maximumReplyBytes) else {
                continue
            }
            if let whole = part.result?.response { return whole }
            if part.type == "text_delta" { pieces += part.text ?? "" }
        }
        return pieces.allSatisfy(\.isWhitespace) ? nil : pieces
    }

    private struct Part: Decodable {
        let type: String?
        let text: String?
        let result: Whole?

        struct Whole: Decodable {
            let response: String?
        }
    }
}
