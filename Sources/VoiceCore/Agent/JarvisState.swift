internal import VoiceBase
internal import VoiceNetwork

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
    init?(_ result: JarvisResponse) {
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

    init(_ result: JarvisResponse) {
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

/// The end of a stored conversation: what must be known to take its last turn back.
struct JarvisHead: Sendable, Equatable {
    /// Number of the last message.
    var id: Int
    /// The last words of the user.
    var question: String

    /// Nil where the conversation is empty, or the server does not tell.
    init?(_ result: JarvisResponse) {
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
