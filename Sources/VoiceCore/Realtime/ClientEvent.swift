internal import FoundationEssentials

/// What the daemon says to the Realtime server, audio apart (see `AudioAppend`).
package enum ClientEvent: Equatable, Sendable {
    /// `session.update` with the whole wanted configuration.
    case sessionUpdate(RealtimeSettings, eventID: String)
    /// The one output of a call.
    case functionCallOutput(callID: String, output: String, eventID: String)
    /// A remark of the system in the conversation, such as an answer that outlived its session.
    case systemMessage(text: String, eventID: String)
    /// What the user said, as text, to a session that did not hear it.
    case userMessage(text: String, eventID: String)
    /// What was answered in an earlier session, as text.
    case assistantMessage(text: String, eventID: String)
    /// Asks for one response; `eventID` comes back in the response's metadata.
    case responseCreate(eventID: String)
    case responseCancel(responseID: String?, eventID: String)
    /// Tells the server how much of a spoken item was heard, in ms.
    case truncate(itemID: String, contentIndex: Int, audioEnd: Int, eventID: String)
    case deleteItem(itemID: String, eventID: String)

    /// The event as one JSON text message in a service's dialect.
    package func encoded(for dialect: Dialect = .openAI) -> [UInt8] {
        let encoder = JSONEncoder()
        // A stable order keeps the prefix of a session byte-identical, which the service's cache rewards.
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        // Encoding strings, integers and finite numbers cannot fail.
        return (try? encoder.encode(json(for: dialect))).map { Array($0) } ?? []
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
        case .systemMessage(let text, let eventID):
            Self.message(text, role: "system", kind: "input_text", eventID: eventID)
        case .userMessage(let text, let eventID):
            Self.message(text, role: "user", kind: "input_text", eventID: eventID)
        case .assistantMessage(let text, let eventID):
            Self.message(
                text,
                role: "assistant",
                kind: dialect.shape == .flat ? "text" : "output_text",
                eventID: eventID
            )
        case .responseCreate(let eventID):
            .object(
                ["type": "response.create", "event_id": .string(eventID)]
                    .merging(
                        dialect.takesMetadata ? ["response": ["metadata": ["client_event_id": .string(eventID)]]] : [:]
                    ) { $1 }
            )
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
        }
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
    /// The name on the wire.
    package var name: String { json(for: .openAI)["type"]?.stringValue ?? "" }
}
