import FoundationEssentials

/// What the server says of a session (`GET /v1/sessions/{id}/state`).
struct JarvisState: Sendable, Equatable {
    var isActive: Bool
    /// What the next question of the conversation refers to.
    var lastResponseID: String?
    var prompts: [JarvisPrompt]

    /// Nil where the reply is anything else.
    init?(_ result: JarvisHTTPResult) {
        guard case .response(let response) = result, response.status == 200,
            response.mediaType == "application/json",
            let body = try? JSONDecoder().decode(Body.self, from: Data(response.body))
        else { return nil }
        isActive = body.active_run
        lastResponseID = body.lastResponseId
        prompts = body.pending_ask_user.map { [.questions(callID: $0.call_id, $0.questions)] } ?? []
        if let approval = body.pending_approval { prompts.append(.approval(approval)) }
    }

    private struct Body: Decodable {
        let active_run: Bool
        let lastResponseId: String?
        let pending_ask_user: Asked?
        let pending_approval: JarvisPrompt.Approval?

        struct Asked: Decodable {
            let call_id: String
            let questions: [JarvisPrompt.Question]
        }
    }
}
