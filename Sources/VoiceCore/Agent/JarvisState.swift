internal import VoiceBase

/// What the server says of a session (`GET /v1/sessions/{id}/state`).
struct JarvisState: Sendable, Equatable {
    var isActive: Bool
    /// The id of the active run; a run of `chat/completions` has none.
    var activeRun: String?
    /// What the next question of the conversation refers to.
    var lastResponseID: String?
    var prompts: [JarvisPrompt]
    /// Counts the changes of the stored conversation.
    var revision: Int?

    /// Nil where the reply is anything else.
    init?(_ result: JarvisHTTPResult) {
        guard case .success(let response) = result, response.status == 200,
            response.mediaType == "application/json",
            let body = OutsideJSON.decode(Body.self, from: response.body, atMost: JarvisRequest.maximumReplyBytes)
        else { return nil }
        isActive = body.active_run
        activeRun = body.active_run ? body.active_response_id : nil
        lastResponseID = body.lastResponseId
        revision = body.transcript_rev
        // The first of each kind stands in a field of its own as well.
        let questions = [body.pending_ask_user].compactMap { $0 } + (body.pending_ask_users ?? [])
        let approvals = [body.pending_approval].compactMap { $0 } + (body.pending_approvals ?? [])
        let all =
            questions.map { JarvisPrompt.questions(callID: $0.call_id, $0.questions) }
            + approvals.map { JarvisPrompt.approval($0) }
        var seen: Set<String> = []
        prompts = all.filter { seen.insert($0.id).inserted }
    }

    private struct Body: Decodable {
        let active_run: Bool
        let active_response_id: String?
        let lastResponseId: String?
        let transcript_rev: Int?
        let pending_ask_user: Asked?
        let pending_ask_users: [Asked]?
        let pending_approval: JarvisPrompt.Approval?
        let pending_approvals: [JarvisPrompt.Approval]?

        struct Asked: Decodable {
            let call_id: String
            let questions: [JarvisPrompt.Question]
        }
    }
}
