/// One run of the stand-in agent on `/v1/responses`: its script, what it has said so far, what it waits for.
struct AgentRunLog: Sendable {
    enum Status: String, Sendable {
        case running = "in_progress"
        case completed
        case failed
        case cancelled
    }

    let id: String
    let session: String
    private(set) var status = Status.running
    /// Frames as sent, by their sequence numbers from 1.
    private(set) var frames: [String] = []
    private(set) var text = ""
    private(set) var continuation: String?
    var steps: [AgentStep]
    /// A prompt that must be answered before the run goes on.
    var pending: SimulatedJSON?

    init(id: String, session: String, steps: [AgentStep]) {
        self.id = id
        self.session = session
        self.steps = steps
        add("response.created", ["response": ["id": .string(id)]])
    }

    mutating func add(_ name: String, _ fields: [String: SimulatedJSON]) {
        var payload = fields
        payload["response_id"] = .string(id)
        payload["sequence_number"] = .int(frames.count + 1)
        payload["run_epoch"] = 1
        if name == "response.output_text.delta" { text += fields["delta"]?.string ?? "" }
        if name == "response.output_text.new_segment" || name == "response.attempt.discard" { text = "" }
        frames.append("id: \(frames.count + 1)\nevent: \(name)\ndata: \(SimulatedJSON.object(payload).text)\n\n")
    }

    mutating func end(_ status: Status, continuation: String? = nil, error: SimulatedJSON? = nil) {
        guard self.status == .running else { return }
        self.status = status
        self.continuation = continuation
        steps = []
        pending = nil
        switch status {
        case .completed: add("response.completed", ["response": ["id": .string(continuation ?? id)]])
        case .failed: add("response.failed", ["error": error ?? ["type": "server_error", "message": "failed"]])
        case .cancelled: add("response.cancelled", [:])
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

/// What a scripted run does next.
package enum AgentStep: Sendable, Equatable {
    /// Words of the answer.
    case say(String)
    /// A tool round: what was said before it was on the way.
    case useTool(String)
    /// The provider broke: what was said of this segment is said anew.
    case discard
    case wait(milliseconds: Int)
    /// Stands still until `RunningAgent.proceed` was called.
    case hold
    /// A question to the user (`call_id`, `questions`); the run waits for the answer.
    case ask(SimulatedJSON)
    /// A permission (`approval_id`, `path`, `options`); the run waits for the answer.
    case approve(SimulatedJSON)
    case fail(type: String, message: String)
    /// Cuts every connection once all has been written to it; the run goes on.
    case cut
}
