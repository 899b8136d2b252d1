internal import VoiceBase

/// What the server has stored of the last turn of a conversation (`GET /v1/sessions/{id}/messages?tail=1`).
///
/// The server stores a question before the model sees it, and a call of a tool before the tool runs: what is not in the
/// record of a run that has ended was not done.
enum JarvisRecord: Sendable, Equatable {
    /// The server keeps no history, does not tell it, or its page does not reach back to the question.
    case unknown
    /// The conversation has no messages.
    case empty
    /// The last question, and whether anything but words stands behind it.
    case turn(question: String, worked: Bool)

    /// Parts that change nothing in the world; any other counts as work.
    private static let words: Set<String> = ["text", "reasoning", "error"]

    init(_ result: JarvisHTTPResult) {
        guard case .success(let response) = result, response.status == 200,
            response.mediaType == "application/json",
            let body = OutsideJSON.decode(Body.self, from: response.body, atMost: JarvisRequest.maximumReplyBytes)
        else {
            self = .unknown
            return
        }
        guard !body.messages.isEmpty else {
            self = .empty
            return
        }
        guard let last = body.messages.lastIndex(where: { $0.role == "user" }) else {
            self = .unknown
            return
        }
        let question = (body.messages[last].parts ?? []).compactMap(\.text).joined()
        let behind = body.messages[(last + 1)...]
        let worked = behind.contains { message in
            message.role == "tool" || (message.parts ?? []).contains { !Self.words.contains($0.type ?? "") }
        }
        self = .turn(question: question, worked: worked)
    }

    private struct Body: Decodable {
        let messages: [Message]

        struct Message: Decodable {
            let role: String?
            let parts: [Part]?
        }

        struct Part: Decodable {
            let type: String?
            let text: String?
        }
    }
}
