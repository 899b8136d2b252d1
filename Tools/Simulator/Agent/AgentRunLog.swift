/// One run of the stand-in agent on `/v1/responses`: its script, its output so far, and the prompt it waits for.
struct AgentRunLog: Sendable {
    enum Status: String, Sendable {
        case running = "in_progress"
        case completed
        case failed
        case cancelled
    }

    /// Events that a server with hidden tools does not send.
    private static let toolEvents: Set<String> = [
        "response.output_item.added", "response.output_item.done", "response.function_call_arguments.delta",
        "response.tool_exec.start", "response.tool_exec.end",
    ]

    let id: String
    let session: String
    private let hidesTools: Bool
    private(set) var status = Status.running
    /// Frames as sent; frame n has sequence number n, counted from 1.
    private(set) var frames: [String] = []
    /// The text of the current segment.
    private(set) var text = ""
    /// Whether the text is stored together with a tool call whose result is still missing.
    var isInTool = false
    private var ordinal = 0
    private(set) var continuation: String?
    var steps: [AgentStep]
    /// A prompt that must be answered before the run continues.
    var pending: SimulatedJSON?

    init(id: String, session: String, steps: [AgentStep], hidesTools: Bool = false) {
        self.id = id
        self.session = session
        self.steps = steps.flatMap(\.expanded)
        self.hidesTools = hidesTools
        add("response.created", ["response": ["id": .string(id), "status": "in_progress"]])
    }

    mutating func add(_ name: String, _ fields: [String: SimulatedJSON]) {
        var payload = fields
        payload["response_id"] = .string(id)
        payload["sequence_number"] = .int(frames.count + 1)
        payload["run_epoch"] = 1
        switch name {
        case "response.output_text.delta":
            text += fields["delta"]?.string ?? ""
            payload["assistant_segment_ordinal"] = .int(ordinal)
        case "response.output_text.new_segment":
            text = ""
            ordinal += 1
            payload["assistant_segment_ordinal"] = .int(ordinal)
        case "response.attempt.discard": text = ""
        default: if hidesTools, Self.toolEvents.contains(name) { return }
        }
        frames.append("id: \(frames.count + 1)\nevent: \(name)\ndata: \(SimulatedJSON.object(payload).text)\n\n")
    }

    /// - Parameter continuation: the id from which the conversation continues.
    mutating func end(_ status: Status, continuation: String?, error: SimulatedJSON? = nil) {
        guard self.status == .running else { return }
        self.status = status
        self.continuation = continuation
        steps = []
        pending = nil
        let response: SimulatedJSON = [
            "id": .string(continuation ?? id), "status": .string(status.rawValue),
        ]
        switch status {
        case .completed: add("response.completed", ["response": response])
        case .failed:
            let error = error ?? ["type": "server_error", "message": "failed"]
            add("response.failed", ["error": error, "response": response])
        case .cancelled: add("response.cancelled", ["response": response])
        case .running: break
        }
        frames.append("data: [DONE]\n\n")
    }

    var snapshot: SimulatedJSON {
        [
            "id": .string(id), "status": .string(status.rawValue),
            "continuation_response_id": continuation.map { .string($0) } ?? .null,
            "recovery": ["messages": [["role": "assistant", "content": .string(text)]]],
        ]
    }
}
