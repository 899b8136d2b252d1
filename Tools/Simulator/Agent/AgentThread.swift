/// The messages of one conversation as the agent stores them: a question before the model sees it, a tool call before
/// the tool runs. Survives a restart.
struct AgentThread: Sendable {
    private struct Message: Sendable {
        var row: Int
        var role: String
        var parts: [SimulatedJSON]
    }

    private var messages: [Message] = []

    /// The id from which the conversation continues.
    var latest: String? {
        messages.last { $0.role == "user" || $0.role == "assistant" }.map { "resp_msg_\($0.row)" }
    }

    /// Adds a question; drops the previous one if it was never answered.
    mutating func ask(_ question: String, row: Int) {
        while let last = messages.last, last.role == "user" || last.role == "event" { messages.removeLast() }
        add("user", [["type": "text", "text": .string(question)]], row: row)
    }

    /// Adds words of the agent, a tool call, or both.
    mutating func say(_ text: String, tool: String? = nil, row: Int) {
        var parts: [SimulatedJSON] = text.isEmpty ? [] : [["type": "text", "text": .string(text)]]
        if let tool { parts.append(["type": "tool_call", "tool_name": .string(tool), "tool_call_id": "call_1"]) }
        if !parts.isEmpty { add("assistant", parts, row: row) }
    }

    /// Adds a tool result. Output of a shell command is not listed; an answer of the user is.
    mutating func noteResult(of tool: String, row: Int) {
        let result: SimulatedJSON = ["type": "tool_result", "tool_name": .string(tool), "tool_call_id": "call_1"]
        add("tool", tool == "ask_user" ? [result] : [], row: row)
    }

    mutating func noteFailure(_ message: String, row: Int) {
        add("event", [["type": "error", "text": .string(message)]], row: row)
    }

    var json: SimulatedJSON {
        let entries = messages.map { message -> SimulatedJSON in
            ["id": .int(message.row), "role": .string(message.role), "parts": .array(message.parts)]
        }
        return ["messages": .array(entries), "has_more": false]
    }

    private mutating func add(_ role: String, _ parts: [SimulatedJSON], row: Int) {
        messages.append(Message(row: row, role: role, parts: parts))
    }
}
