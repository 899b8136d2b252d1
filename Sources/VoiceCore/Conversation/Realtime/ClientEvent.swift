internal import FoundationEssentials
internal import VoiceBase

/// Events from the daemon to the Realtime server, except audio (see `RealtimeWire`).
package enum ClientEvent: Equatable, Sendable {
    /// `session.update` with the complete configuration.
    case sessionUpdate(RealtimeSettings, eventID: String)
    /// The only output of a call.
    case functionCallOutput(callID: String, output: String, eventID: String)
    /// A call that the model did not make in this session; carries data from outside as its output.
    case functionCall(callID: String, name: String, arguments: String, eventID: String)
    /// The user's words as text, for a session that did not hear them.
    case userMessage(text: String, eventID: String)
    /// An answer from an earlier session, as text.
    case assistantMessage(text: String, eventID: String)
    /// Requests one response; `eventID` comes back in the response's metadata. If `mayCall` is false, it gets no tools.
    /// `instructions` replace those of the session for this response.
    case responseCreate(eventID: String, mayCall: Bool = true, instructions: String? = nil)
    case responseCancel(responseID: String?, eventID: String)
    /// Reports how much of a spoken item was heard, in ms.
    case truncate(itemID: String, contentIndex: Int, audioEnd: Int, eventID: String)
    case deleteItem(itemID: String, eventID: String)
    /// Discards the audio of the unfinished turn.
    case clearInput(eventID: String)

    /// Encodes the event as one JSON text message in a service's dialect.
    package func encoded(for dialect: Dialect = .openAI) -> [UInt8] {
        let encoder = JSONEncoder()
        // A stable key order keeps the prefix of a session byte-identical, as the service's cache requires.
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        // Encoding strings, integers and finite numbers cannot fail.
        return (try? encoder.encode(json(for: dialect))).map { Array($0) } ?? []
    }

    /// Maximum text in an event, settings apart, in UTF-8 bytes: its echo has to fit into 64 kB.
    package static let longestText = 32 << 10

    /// The event itself, or a short substitute if its text is too long: an oversized message must not end the connection.
    package var fitting: ClientEvent {
        let failure = "This was too long to be passed on."
        func fits(_ text: String) -> Bool { text.utf8.count <= Self.longestText }
        switch self {
        case .functionCallOutput(let callID, let output, let eventID) where !fits(output):
            return .functionCallOutput(callID: callID, output: failure, eventID: eventID)
        case .functionCall(let callID, let name, let arguments, let eventID) where !fits(arguments):
            return .functionCall(callID: callID, name: name, arguments: "{}", eventID: eventID)
        case .userMessage(let text, let eventID) where !fits(text): return .userMessage(text: failure, eventID: eventID)
        case .assistantMessage(let text, let eventID) where !fits(text):
            return .assistantMessage(text: failure, eventID: eventID)
        default: return self
        }
    }

    func json(for dialect: Dialect) -> JSONValue {
        switch self {
        case .sessionUpdate(let settings, let eventID):
            ["type": "session.update", "event_id": .string(eventID), "session": settings.json]
        case .functionCallOutput(let callID, let output, let eventID):
            [
                "type": "conversation.item.create", "event_id": .string(eventID),
                "item": ["type": "function_call_output", "call_id": .string(callID), "output": .string(output)],
            ]
        case .functionCall(let callID, let name, let arguments, let eventID):
            [
                "type": "conversation.item.create", "event_id": .string(eventID),
                "item": [
                    "type": "function_call", "call_id": .string(callID), "name": .string(name),
                    "arguments": .string(arguments),
                ],
            ]
        case .userMessage(let text, let eventID):
            Self.message(text, role: "user", kind: "input_text", eventID: eventID)
        case .assistantMessage(let text, let eventID):
            Self.message(
                text, role: "assistant", kind: dialect.shape == .flat ? "text" : "output_text", eventID: eventID
            )
        case .responseCreate(let eventID, let mayCall, let instructions):
            Self.create(eventID, mayCall: mayCall, instructions, dialect)
        case .responseCancel(let responseID, let eventID):
            .object(
                ["type": "response.cancel", "event_id": .string(eventID)]
                    .merging(responseID.map { ["response_id": .string($0)] } ?? [:]) { $1 }
            )
        case .truncate(let itemID, let contentIndex, let audioEnd, let eventID):
            [
                "type": "conversation.item.truncate", "event_id": .string(eventID), "item_id": .string(itemID),
                "content_index": .integer(contentIndex), "audio_end_ms": .integer(audioEnd),
            ]
        case .deleteItem(let itemID, let eventID):
            ["type": "conversation.item.delete", "event_id": .string(eventID), "item_id": .string(itemID)]
        case .clearInput(let eventID):
            ["type": "input_audio_buffer.clear", "event_id": .string(eventID)]
        }
    }

    private static func create(_ eventID: String, mayCall: Bool, _ words: String?, _ dialect: Dialect) -> JSONValue {
        var response: [String: JSONValue] = [:]
        if let words { response["instructions"] = .string(words) }
        if !dialect.does(.noMetadata) { response["metadata"] = ["client_event_id": .string(eventID)] }
        if !mayCall, !dialect.does(.noToolChoice) {
            response["tools"] = []
            response["tool_choice"] = "none"
        }
        var event: [String: JSONValue] = ["type": "response.create", "event_id": .string(eventID)]
        if !response.isEmpty { event["response"] = .object(response) }
        return .object(event)
    }

    private static func message(_ text: String, role: String, kind: String, eventID: String) -> JSONValue {
        [
            "type": "conversation.item.create", "event_id": .string(eventID),
            "item": [
                "type": "message", "role": .string(role), "content": [["type": .string(kind), "text": .string(text)]],
            ],
        ]
    }
}

extension ClientEvent {
    /// The event's type on the wire.
    package var name: String { json(for: .openAI)["type"]?.stringValue ?? "" }
}
