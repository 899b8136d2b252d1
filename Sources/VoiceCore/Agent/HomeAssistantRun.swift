package import VoiceBase

/// Follows one question to Home Assistant over its WebSocket, and reads the answers of its conversation API. A pure value.
///
/// The text comes in pieces and in several messages if the agent uses tools in between: the last message is the answer, and
/// stands whole in the event that ends it.
package struct HomeAssistantRun: Sendable, Equatable {
    package enum Step: Sendable, Equatable {
        case none
        case send(String)
        /// The present message has grown: see `segment`.
        case words
        /// A message is complete, and it was not the answer.
        case segmentEnded
        /// Home Assistant has ended the run without an answer; the reason may follow within a moment.
        case ending
        case finished(Outcome)
    }

    package enum Outcome: Sendable, Equatable {
        /// - Parameter conversation: its id, for the next question.
        case answered(String, conversation: String?)
        /// The conversation has another question in work. Nothing was done.
        case busy
        /// The conversation is another user's. Nothing was done.
        case foreign
        case failed(JarvisFailure)
    }

    /// The longest run, in seconds; Home Assistant would end it after five minutes.
    private static let longest = 1800

    private let text: String
    private let conversation: String?
    private let token: Secret
    /// Whether the question left: Home Assistant may have acted on it.
    private(set) var wasSent = false
    /// The present message so far.
    package private(set) var segment = ""
    /// The agent that answers, by its id in Home Assistant.
    private(set) var engine: String?
    private var isOfAgent = false
    private var bytes = 0

    /// - Parameter conversation: nil for one that Home Assistant names.
    package init(_ text: String, conversation: String?, token: Secret) {
        (self.text, self.conversation, self.token) = (text, conversation, token)
    }

    package mutating func handle(_ message: [UInt8]) -> Step {
        bytes += message.count
        guard bytes <= 4 * JarvisRequest.maximumReplyBytes else { return .finished(.failed(.tooLarge)) }
        guard
            let message = OutsideJSON.decode(JSONValue.self, from: message, atMost: JarvisRequest.maximumReplyBytes)
        else { return .finished(.failed(.badReply(detail: "not JSON"))) }
        switch message["type"]?.stringValue {
        case "auth_required":
            let answer: JSONValue = ["type": "auth", "access_token": .string(token.revealed)]
            return .send(answer.encoded)
        case "auth_invalid": return .finished(.failed(.authentication))
        case "auth_ok":
            wasSent = true
            return .send(command.encoded)
        case "result" where message["success"] == false:
            return .finished(Self.refusal(code: message["error"]?["code"]?.stringValue))
        case "event": return handle(event: message["event"]?["type"]?.stringValue, message["event"]?["data"])
        default: return .none
        }
    }

    private var command: JSONValue {
        // Without a pipeline name, Home Assistant uses the pipeline that the user prefers.
        var members: [String: JSONValue] = [
            "id": 1, "type": "assist_pipeline/run", "start_stage": "intent", "end_stage": "intent",
            "input": ["text": .string(text)], "timeout": .integer(Self.longest),
        ]
        if let conversation { members["conversation_id"] = .string(conversation) }
        return .object(members)
    }

    private mutating func handle(event: String?, _ data: JSONValue?) -> Step {
        switch event {
        case "intent-start":
            engine = data?["engine"]?.stringValue ?? engine
            return .none
        case "intent-progress":
            guard let delta = data?["chat_log_delta"] else { return .none }
            return add(delta)
        case "intent-end":
            guard let output = data?["intent_output"] else { return .finished(.failed(.badReply(detail: "no output"))) }
            return .finished(Self.outcome(of: output, heard: segment))
        case "error": return .finished(Self.refusal(code: data?["code"]?.stringValue))
        case "run-end": return .ending
        default: return .none
        }
    }

    private mutating func add(_ delta: JSONValue) -> Step {
        var step = Step.none
        if let role = delta["role"]?.stringValue {
            if !segment.isEmpty { step = .segmentEnded }
            (segment, isOfAgent) = ("", role == "assistant")
        }
        guard isOfAgent, let content = delta["content"]?.stringValue, !content.isEmpty else { return step }
        segment += content
        return step == .none ? .words : step
    }

    private static func refusal(code: String?) -> Outcome {
        switch code {
        case "intent-busy": .busy
        case "intent-unauthorized", "unauthorized": .foreign
        case "timeout": .failed(.serverLimit)
        case let code: .failed(.runFailed(detail: JarvisReply.shortened(code ?? "no reason")))
        }
    }

    /// Sentences of Home Assistant itself that look like an answer.
    private static let busy = "This conversation is busy with another message"
    private static let unauthorized = ["Unauthorized", "Not allowed to continue this conversation"]
    private static let nothing = "(no response)"

    /// Reads the output of a question, as the WebSocket and the REST API give it.
    ///
    /// - Parameter heard: the pieces of the last message; used if the output has no text.
    package static func outcome(of output: JSONValue, heard: String = "") -> Outcome {
        guard let response = output["response"] else { return .failed(.badReply(detail: "no response")) }
        let said = response["speech"]?["plain"]?["speech"]?.stringValue ?? ""
        if response["response_type"] == "error" {
            if said == busy { return .busy }
            if unauthorized.contains(said) { return .foreign }
        }
        let text = said.allSatisfy(\.isWhitespace) ? heard : said
        guard !text.allSatisfy(\.isWhitespace), text != nothing else { return .failed(.emptyReply) }
        return .answered(text, conversation: output["conversation_id"]?.stringValue)
    }
}
