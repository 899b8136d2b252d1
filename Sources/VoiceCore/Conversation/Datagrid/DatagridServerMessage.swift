internal import VoiceBase

/// What a Datagrid session says, audio apart.
package enum DatagridServerMessage: Equatable, Sendable {
    case started(session: String, conversation: String?)
    case ready
    case transcript(DatagridLine)
    /// News of a tool of theirs; nothing is to be answered.
    case tool(name: String, status: String)
    /// What is queued is not to be played any more.
    case interrupted
    case error(code: String?, text: String)
    /// - transcript: all that was said, the latest last.
    case ended(credits: Double?, transcript: [DatagridLine])
    /// Nothing to be done about it.
    case ignored(type: String)
    case unknown(type: String)
}

/// Words of one side.
package struct DatagridLine: Equatable, Sendable {
    package enum Role: String, Sendable {
        case user, agent
    }

    package var role: Role
    package var text: String

    package init(_ role: Role, _ text: String) {
        self.role = role
        self.text = text
    }

    fileprivate init?(_ wire: JSONValue?) {
        guard let wire, let role = wire["role"]?.stringValue.flatMap(Role.init(rawValue:)),
            let text = wire["text"]?.stringValue
        else { return nil }
        self.init(role, String(decoding: text.utf8.prefix(Self.longest), as: UTF8.self))
    }

    /// Bytes of UTF-8.
    private static let longest = 16_384
}

/// Turns one message of a Datagrid session into a value, tolerantly: unknown messages and fields are nobody's fault.
package enum DatagridDecoder {
    /// Longest message, audio apart, in bytes: the last one holds all that was said.
    package static let longest = 4 << 20
    private static let longestName = 200
    /// Lines of the last message that are read, the latest.
    private static let mostLines = 64

    /// Nil for what is no JSON object with a `type`, or a known message without what it cannot be understood without.
    package static func decode(_ bytes: UnsafeRawBufferPointer) -> DatagridServerMessage? {
        OutsideJSON.decode(Wire.self, from: bytes, atMost: longest).flatMap(message)
    }

    package static func decode(_ text: String) -> DatagridServerMessage? {
        OutsideJSON.decode(Wire.self, from: text.utf8, atMost: longest).flatMap(message)
    }

    private static func message(_ wire: Wire) -> DatagridServerMessage? {
        let payload = wire.payload
        switch wire.type {
        case "started":
            let conversation = name(payload?["conversation_id"])
            return .started(session: name(payload?["session_id"]) ?? "", conversation: conversation)
        case "ready": return .ready
        case "transcript": return DatagridLine(payload).map { .transcript($0) }
        case "tool_call":
            guard let tool = name(payload?["tool_name"]), let status = name(payload?["status"]) else { return nil }
            return .tool(name: tool, status: status)
        case "interrupted": return .interrupted
        case "error":
            return .error(code: name(payload?["code"]), text: payload?["message"]?.stringValue ?? "no reason given")
        case "ended":
            var lines: [DatagridLine] = []
            if case .array(let values)? = payload?["transcript"] {
                lines = values.suffix(mostLines).compactMap { DatagridLine($0) }
            }
            let credits = payload?["credits_consumed"]?.doubleValue
            return .ended(credits: credits.flatMap { $0.isFinite ? min(max(0, $0), 1e9) : nil }, transcript: lines)
        case "audio", "citation": return .ignored(type: wire.type)
        default: return .unknown(type: String(wire.type.prefix(80)))
        }
    }

    private static func name(_ value: JSONValue?) -> String? {
        guard let text = value?.stringValue, !text.isEmpty, text.utf8.count <= longestName else { return nil }
        return text
    }

    private struct Wire: Decodable {
        var type: String
        var payload: JSONValue?

        enum CodingKeys: String, CodingKey { case type, payload }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            type = try fields.decode(String.self, forKey: .type)
            // Sound has a way of its own; here it may be a large string for nothing.
            payload = type == "audio" ? nil : try? fields.decode(JSONValue.self, forKey: .payload)
        }
    }
}
