/// The messages of one conversation as the agent stores them: a question before the model sees it, a call of a tool before
/// the tool runs. Outlives a restart.
struct AgentThread: Sendable {
    private struct Message: Sendable {
        var row: Int
        var role: String
        var parts: [SimulatedJSON]
    }

    private var messages: [Message] = []

    /// The id that the conversation goes on from.
    var latest: String? {
        messages.last { $0.role == "user" || $0.role == "assistant" }.map { "resp_msg_\($0.row)" }
    }

    /// A question; the one before is forgotten where nothing came of it.
    mutating func ask(_ question: String, row: Int) {
        while let last = messages.last, last.role == "user" || last.role == "event" { messages.removeLast() }
        add("user", [["type": "text", "text": .string(question)]], row: row)
    }

    /// Words of the agent, a call of a tool, or both.
    mutating func say(_ text: String, tool: String? = nil, row: Int) {
        var parts: [SimulatedJSON] = text.isEmpty ? [] : [["type": "text", "text": .string(text)]]
        if let tool { parts.append(["type": "tool_call", "tool_name": .string(tool), "tool_call_id": "call_1"]) }
        if !parts.isEmpty { add("assistant", parts, row: row) }
    }

    /// What a shell command has said is not told, an answer of the user is.
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
