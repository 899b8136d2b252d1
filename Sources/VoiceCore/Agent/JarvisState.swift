internal import VoiceBase
internal import VoiceNetwork

/// The server's report on a session (`GET /v1/sessions/{id}/state`).
struct JarvisState: Sendable, Equatable {
    var isActive: Bool
    /// The id of the active run; a run of `chat/completions` has none.
    var activeRun: String?
    /// The reference for the next question of the conversation.
    var lastResponseID: String?
    var prompts: [JarvisPrompt]
    /// Revision number of the stored conversation.
    var revision: Int?

    /// nil for any other reply.
    init?(_ result: JarvisResponse) {
        guard let body = result.json(Body.self) else { return nil }
        isActive = body.active_run
        activeRun = body.active_run ? body.active_response_id : nil
        lastResponseID = body.lastResponseId
        revision = body.transcript_rev
        // The first of each kind also has a field of its own.
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

/// The server's record of the last turn of a conversation (`GET /v1/sessions/{id}/messages?tail=1`).
///
/// The server stores a question before the model sees it, and a tool call before the tool runs. So once a run has ended,
/// what is not in its record was not done.
enum JarvisRecord: Sendable, Equatable {
    /// The server keeps no history, does not disclose it, or its page does not reach back to the question.
    case unknown
    /// The conversation has no messages.
    case empty
    /// The last question, and whether anything but words follows it.
    case turn(question: String, worked: Bool)

    /// Parts without side effects; any other counts as work.
    private static let words: Set<String> = ["text", "reasoning", "error"]

    init(_ result: JarvisResponse) {
        guard let body = result.json(StoredMessages.self) else {
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
}

extension JarvisRecord {
    /// Whether the last question is this one.
    func isOf(_ question: String) -> Bool {
        guard case .turn(let asked, _) = self else { return false }
        func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
        return words(asked) == words(question)
    }

    /// Whether anything but words came of this question.
    func showsWork(on question: String) -> Bool {
        if case .turn(_, worked: true) = self { isOf(question) } else { false }
    }
}

/// The end of a stored conversation: what is needed to undo its last turn.
struct JarvisHead: Sendable, Equatable {
    /// Number of the last message.
    var id: Int
    /// The last words of the user.
    var question: String

    /// nil if the conversation is empty or the server does not disclose it.
    init?(_ result: JarvisResponse) {
        guard let body = result.json(StoredMessages.self), let id = body.messages.last?.id,
            let asked = body.messages.last(where: { $0.role == "user" })
        else { return nil }
        self.id = id
        question = (asked.parts ?? []).compactMap(\.text).joined()
    }
}

private struct StoredMessages: Decodable {
    let messages: [Message]

    struct Message: Decodable {
        let id: Int?
        let role: String?
        let parts: [Part]?
    }

    struct Part: Decodable {
        let type: String?
        let text: String?
    }
}

extension JarvisResponse {
    /// The JSON of a successful reply.
    fileprivate func json<Body: Decodable>(_ type: Body.Type) -> Body? {
        guard case .success(let response) = self, response.status == 200, response.mediaType == "application/json"
        else {
            return nil
        }
        return OutsideJSON.decode(type, from: response.body, atMost: JarvisRequest.maximumReplyBytes)
    }
}
