internal import VoiceBase

/// The end of a stored conversation: what must be known to take its last turn back.
struct JarvisHead: Sendable, Equatable {
    /// Number of the last message.
    var id: Int
    /// The last words of the user.
    var question: String

    /// Nil where the conversation is empty, or the server does not tell.
    init?(_ result: JarvisHTTPResult) {
        guard case .success(let response) = result, response.status == 200, response.mediaType == "application/json",
            let body = OutsideJSON.decode(Body.self, from: response.body, atMost: JarvisRequest.maximumReplyBytes),
            let last = body.messages.last, let asked = body.messages.last(where: { $0.role == "user" })
        else { return nil }
        id = last.id
        question = (asked.parts ?? []).compactMap(\.text).joined()
    }

    private struct Body: Decodable {
        let messages: [Message]

        struct Message: Decodable {
            let id: Int
            let role: String?
            let parts: [Part]?
        }

        struct Part: Decodable {
            let text: String?
        }
    }
}
