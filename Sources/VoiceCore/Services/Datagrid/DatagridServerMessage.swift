internal import VoiceBase
internal import VoiceConversation

/// Messages from a Datagrid session, except audio.
package enum DatagridServerMessage: Equatable, Sendable {
    case started(session: String, conversation: String?)
    case ready
    case transcript(DatagridLine)
    /// Progress of a tool on the service's side; needs no answer.
    case tool(name: String, status: String)
    /// Queued audio must not be played any more.
    case interrupted
    case error(code: String?, text: String)
    /// - transcript: the whole conversation, oldest line first.
    case ended(credits: Double?, transcript: [DatagridLine])
    /// Needs no reaction.
    case ignored(type: String)
    case unknown(type: String)
}

/// A line of one speaker.
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

/// Decodes one message of a Datagrid session. Unknown messages and fields are not errors.
package enum DatagridDecoder {
    /// Maximum message size without audio, in bytes: the last message holds the whole conversation.
    package static let longest = 256 << 10
    private static let longestName = 200
    /// Maximum number of lines read from the last message; the latest are kept.
    private static let mostLines = 64

    /// Returns nil unless the message is a JSON object with a `type` and, for a known message, its required fields.
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
            // Audio is decoded separately; here the field could be a large string for nothing.
            payload = type == "audio" ? nil : try? fields.decode(JSONValue.self, forKey: .payload)
        }
    }
}
