internal import VoiceBase

/// Follows the events of one run of the agent (`/v1/responses`, streaming) and reports what each one means.
///
/// The text of a run comes in segments: text before tools are used is progress, the last segment is the answer. Text of an
/// attempt that the server discards is dropped. Repeated events (a rejoined stream sends them again) change nothing.
package struct ResponsesRun: Sendable, Equatable {
    package enum Change: Sendable, Equatable {
        case none
        /// The current segment has grown: see `segment`.
        case words
        /// The server discards the text of the current segment and writes it again.
        case withdrawn
        /// A complete segment on the way to the answer.
        case progress(String)
        case prompt(JarvisPrompt)
        /// A tool was started or has ended.
        case activity(JarvisActivity)
        /// The stream will bring nothing more, though the run may go on.
        case streamEnded
        /// See `outcome`.
        case finished
    }

    /// The run's id; nil until the server has sent it.
    package private(set) var runID: String?
    /// The reference for the next question of the conversation.
    package private(set) var continuation: String?
    /// Sequence number of the last event handled.
    package private(set) var lastSequence = 0
    /// Whether anything but words was shown: asking again could then repeat an action. A server that hides its tools shows
    /// only their prompts, heartbeats and new segments.
    package private(set) var showedWork = false
    package private(set) var activity = JarvisActivity()
    package private(set) var outcome: Result<String, JarvisFailure>?

    /// Text of the current segment so far.
    package private(set) var segment = ""
    private var ordinal: Int?
    /// The last segment that was not blank.
    private var lastSpoken = ""
    private var prompts: Set<String> = []
    private var receivedBytes = 0
    private var hasReasoned = false

    package init(runID: String? = nil) {
        self.runID = runID
    }

    package mutating func handle(_ event: ServerSentEvent) -> Change {
        if event.data == "[DONE]" { return outcome == nil ? .streamEnded : .finished }
        receivedBytes += event.data.utf8.count
        guard outcome == nil,
            let payload = OutsideJSON.decode(
                Payload.self, from: event.data.utf8, atMost: JarvisRequest.maximumReplyBytes
            )
        else {
            return outcome == nil ? .none : .finished
        }
        if let sequence = payload.sequence_number ?? Int(event.id) {
            guard sequence > lastSequence else { return .none }
            lastSequence = sequence
        }
        guard receivedBytes <= 4 * JarvisRequest.maximumReplyBytes else { return finish(.failure(.tooLarge)) }
        let name = event.name == "message" ? payload.type ?? "" : event.name
        if !Self.words.contains(name) { showedWork = true }
        if name.hasPrefix("response.reasoning") { hasReasoned = true }
        return handle(payload, named: name)
    }

    /// Events that cannot stem from a tool.
    private static let words: Set<String> = [
        "response.created", "response.output_text.delta", "response.refusal.delta", "response.attempt.discard",
        "response.retry",
        "response.compaction", "response.model_switch", "response.model_swap.progress", "response.stream_error",
        "response.completed", "response.incomplete", "response.failed", "response.cancelled",
    ]

    private mutating func handle(_ payload: Payload, named name: String) -> Change {
        switch name {
        case "response.created":
            runID = runID ?? payload.response?.id ?? payload.response_id
        case "response.output_text.delta", "response.refusal.delta":
            return append(payload.delta ?? "", ordinal: payload.assistant_segment_ordinal)
        case "response.output_text.new_segment":
            return endSegment()
        case "response.attempt.discard":
            segment = ""
            return .withdrawn
        case "response.tool_exec.start":
            activity.began(payload.call_id ?? "", name: payload.tool_name ?? "", info: payload.tool_info ?? "")
            return .activity(activity)
        case "response.tool_exec.end":
            activity.ended(payload.call_id ?? "")
            return .activity(activity)
        case "response.ask_user.prompt":
            guard let callID = payload.call_id, let questions = payload.questions else { return .none }
            return ask(.questions(callID: callID, questions))
        case "response.approval.prompt":
            guard var approval = payload.approval else { return .none }
            approval.tool = activity.tool(of: approval.action)
            return ask(.approval(approval))
        case "response.completed":
            continuation = payload.response?.id
            return finish(answer(payload.response?.output, reachedLimit: false))
        case "response.incomplete":
            goOn(from: payload)
            return finish(answer(payload.response?.output, reachedLimit: true))
        case "response.failed":
            goOn(from: payload)
            return finish(.failure(Self.failure(payload.error ?? payload.response?.error)))
        case "response.cancelled":
            goOn(from: payload)
            return finish(.failure(.cancelled))
        case "response.stream_error":
            return .streamEnded
        default:
            break
        }
        return .none
    }

    /// The last words written; if there were none, those that came with the end.
    private func answer(_ output: JSONValue?, reachedLimit: Bool) -> Result<String, JarvisFailure> {
        let texts = [segment, lastSpoken, JarvisReply.text(ofOutput: output)]
        let text = texts.first { !$0.allSatisfy(\.isWhitespace) } ?? ""
        return JarvisReply.answer(text, hasReasoned: hasReasoned, reachedLimit: reachedLimit)
    }

    /// A failed turn also moves the conversation on; its own id cannot be continued from.
    private mutating func goOn(from payload: Payload) {
        guard let id = payload.response?.id, id != runID, id != payload.response_id else { return }
        continuation = id
    }

    /// Ends the run from a snapshot, or from a response that came as a whole; false while it is under way.
    package mutating func receive(snapshot bytes: [UInt8]) -> Bool {
        guard let snapshot = OutsideJSON.decode(Snapshot.self, from: bytes, atMost: JarvisRequest.maximumReplyBytes)
        else {
            return false
        }
        if ["completed", "failed", "cancelled"].contains(snapshot.status) {
            let own = snapshot.recovery == nil && snapshot.output != nil ? snapshot.id : nil
            continuation = snapshot.continuation_response_id ?? own ?? continuation
        }
        switch snapshot.status {
        case "completed":
            let messages = snapshot.recovery?.messages ?? []
            let text = messages.last { $0.role == nil || $0.role == "assistant" }?.content
            _ = finish(text.map { JarvisReply.answer($0) } ?? answer(snapshot.output, reachedLimit: false))
        case "incomplete": _ = finish(answer(snapshot.output, reachedLimit: true))
        case "failed": _ = finish(.failure(Self.failure(snapshot.error)))
        case "cancelled": _ = finish(.failure(.cancelled))
        default: return false
        }
        return true
    }

    /// Ends the run with a reply that came as a whole.
    package mutating func end(with text: String) {
        if outcome == nil { _ = finish(.success(text)) }
    }

    private mutating func append(_ delta: String, ordinal next: Int?) -> Change {
        guard !delta.isEmpty else { return .none }
        var change = Change.words
        if let next, let ordinal, next != ordinal, case .progress(let text) = endSegment() { change = .progress(text) }
        ordinal = next ?? ordinal
        guard segment.utf8.count + delta.utf8.count <= JarvisRequest.maximumReplyBytes else {
            return finish(.failure(.tooLarge))
        }
        segment += delta
        return change
    }

    private mutating func endSegment() -> Change {
        defer {
            segment = ""
            ordinal = nil
        }
        guard !segment.allSatisfy(\.isWhitespace) else { return .none }
        lastSpoken = segment
        return .progress(segment)
    }

    private mutating func ask(_ prompt: JarvisPrompt) -> Change {
        prompts.insert(prompt.id).inserted && prompts.count <= 64 ? .prompt(prompt) : .none
    }

    private mutating func finish(_ result: Result<String, JarvisFailure>) -> Change {
        outcome = result
        segment = ""
        lastSpoken = ""
        return .finished
    }

    private static func failure(_ error: Payload.Failure?) -> JarvisFailure {
        switch error?.type {
        case "conflict_error": .busy
        case "timeout_error": .serverLimit
        case "invalid_api_key": .authentication
        default:
            JarvisFailure(ServerError(message: error?.message ?? "", also: [error?.type, error?.code]))
                ?? .runFailed(detail: String((error?.message ?? "").prefix(200)))
        }
    }

    private struct Payload: Decodable {
        let type: String?
        let sequence_number: Int?
        let response_id: String?
        let delta: String?
        let assistant_segment_ordinal: Int?
        let call_id: String?
        let tool_name: String?
        let tool_info: String?
        let questions: [JarvisPrompt.Question]?
        let response: Response?
        let error: Failure?
        /// The fields of an approval are inline among the others.
        let approval: JarvisPrompt.Approval?

        struct Response: Decodable {
            let id: String?
            let error: Failure?
            let output: JSONValue?
        }

        struct Failure: Decodable {
            let message: String?
            let type: String?
            let code: String?

            enum CodingKeys: String, CodingKey { case message, type, code }

            init(from decoder: any Decoder) throws {
                let box = try decoder.container(keyedBy: CodingKeys.self)
                message = try? box.decode(String.self, forKey: .message)
                type = try? box.decode(String.self, forKey: .type)
                code = try? box.decode(String.self, forKey: .code)
            }
        }

        enum CodingKeys: String, CodingKey {
            case type, sequence_number, response_id, delta, assistant_segment_ordinal, call_id, questions, response
            case error, tool_name, tool_info
        }

        init(from decoder: any Decoder) throws {
            let box = try decoder.container(keyedBy: CodingKeys.self)
            type = try? box.decode(String.self, forKey: .type)
            sequence_number = try? box.decode(Int.self, forKey: .sequence_number)
            response_id = try? box.decode(String.self, forKey: .response_id)
            delta = try? box.decode(String.self, forKey: .delta)
            assistant_segment_ordinal = try? box.decode(Int.self, forKey: .assistant_segment_ordinal)
            call_id = try? box.decode(String.self, forKey: .call_id)
            tool_name = try? box.decode(String.self, forKey: .tool_name)
            tool_info = try? box.decode(String.self, forKey: .tool_info)
            questions = try? box.decode([JarvisPrompt.Question].self, forKey: .questions)
            response = try? box.decode(Response.self, forKey: .response)
            error = try? box.decode(Failure.self, forKey: .error)
            approval = try? JarvisPrompt.Approval(from: decoder)
        }
    }

    private struct Snapshot: Decodable {
        let id: String?
        let output: JSONValue?
        let status: String?
        let continuation_response_id: String?
        let recovery: Recovery?
        let error: Payload.Failure?

        struct Recovery: Decodable {
            let messages: [Message]?
        }

        struct Message: Decodable {
            let role: String?
            let content: String?
        }
    }
}
