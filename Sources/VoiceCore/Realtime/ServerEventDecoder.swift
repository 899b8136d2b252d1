internal import FoundationEssentials

/// Turns one text message of the server into a `ServerEvent`, tolerantly.
///
/// Names of the beta protocol are taken for their successors, fields that are missing for absent, events that are new
/// for `unknown`. Only a message that is not a JSON object with a `type` is refused, and that message alone.
package struct ServerEventDecoder {
    package enum Failure: Error, Equatable {
        /// Not JSON, or not an object with a string `type`.
        case malformed
        /// A known event without a field it cannot be understood without.
        case missing(field: String, type: String)
    }

    private let decoder = JSONDecoder()
    private let dialect: Dialect

    package init(dialect: Dialect = .openAI) {
        self.dialect = dialect
    }

    package func decode(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> ServerEvent {
        guard let wire = try? decoder.decode(Wire.self, from: Data(bytes)) else { throw .malformed }
        return try event(wire)
    }

    package func decode(_ text: String) throws(Failure) -> ServerEvent {
        guard let wire = try? decoder.decode(Wire.self, from: Data(text.utf8)) else { throw .malformed }
        return try event(wire)
    }

    private func event(_ wire: Wire) throws(Failure) -> ServerEvent {
        func need<T>(_ value: T?, _ field: String) throws(Failure) -> T {
            guard let value else { throw .missing(field: field, type: wire.type) }
            return value
        }
        switch wire.type {
        case "session.created":
            return .sessionCreated(
                id: wire.session?["id"]?.stringValue,
                expiresAt: wire.session?["expires_at"]?.intValue
            )
        case "session.updated":
            if !dialect.tellsAllSettings { return .sessionUpdated(wire.session ?? .object([:])) }
            return .sessionUpdated(try need(wire.session, "session"))
        case "input_audio_buffer.speech_started":
            return .speechStarted(itemID: wire.itemID ?? "", audioStart: wire.audioStart ?? 0)
        case "input_audio_buffer.speech_stopped":
            return .speechStopped(itemID: wire.itemID ?? "", audioEnd: wire.audioEnd ?? 0)
        case "input_audio_buffer.committed":
            return .committed(itemID: wire.itemID ?? "", previous: wire.previous)
        case "conversation.item.added", "conversation.item.created":
            let item = try need(wire.item, "item")
            return .itemAdded(
                itemID: item.id ?? "",
                kind: item.type ?? "",
                callID: item.callID,
                previous: wire.previous
            )
        case "response.created":
            let response = try need(wire.response, "response")
            return .responseCreated(id: try need(response.id, "response.id"), clientEventID: response.clientEventID)
        case "response.output_item.added":
            let item = try need(wire.item, "item")
            return .outputItemAdded(
                responseID: wire.responseID ?? "",
                itemID: item.id ?? "",
                kind: item.type ?? ""
            )
        case "response.output_item.done":
            let item = try need(wire.item, "item")
            guard item.type == "function_call" else { return .ignored(type: wire.type) }
            let call = FunctionCall(
                callID: try need(item.callID, "item.call_id"),
                name: item.name ?? "",
                arguments: item.arguments ?? ""
            )
            return .functionCall(
                responseID: wire.responseID ?? "",
                call: call,
                isComplete: item.status != "incomplete"
            )
        case "response.function_call_arguments.done" where dialect.tellsCallsByArguments:
            let call = FunctionCall(
                callID: try need(wire.callID, "call_id"),
                name: wire.name ?? "",
                arguments: wire.arguments ?? ""
            )
            return .functionCall(responseID: wire.responseID ?? "", call: call, isComplete: true)
        case "response.output_audio_transcript.delta", "response.audio_transcript.delta":
            return .spokenDelta(
                responseID: wire.responseID ?? "",
                itemID: wire.itemID ?? "",
                contentIndex: wire.contentIndex ?? 0,
                text: wire.delta ?? ""
            )
        case "response.output_audio_transcript.done", "response.audio_transcript.done":
            return .spokenTranscript(
                responseID: wire.responseID ?? "",
                itemID: wire.itemID ?? "",
                text: wire.transcript ?? "",
                contentIndex: wire.contentIndex ?? 0
            )
        case "response.output_audio.done", "response.audio.done":
            return .audioDone(
                responseID: wire.responseID ?? "",
                itemID: wire.itemID ?? "",
                contentIndex: wire.contentIndex ?? 0
            )
        case "response.done":
            let response = try need(wire.response, "response")
            return .responseDone(
                ResponseOutcome(
                    id: try need(response.id, "response.id"),
                    status: response.status.flatMap(ResponseOutcome.Status.init(rawValue:)) ?? .other,
                    reason: response.reason,
                    clientEventID: response.clientEventID,
                    usage: response.usage.flatMap(Usage.init)
                )
            )
        case "conversation.item.input_audio_transcription.delta":
            return .heardDelta(
                itemID: wire.itemID ?? "",
                contentIndex: wire.contentIndex ?? 0,
                text: wire.delta ?? ""
            )
        case "conversation.item.input_audio_transcription.completed":
            return .heardTranscript(
                itemID: wire.itemID ?? "",
                contentIndex: wire.contentIndex ?? 0,
                text: wire.transcript ?? "",
                usage: wire.usage.flatMap(TranscriptionUsage.init)
            )
        case "conversation.item.input_audio_transcription.failed":
            return .heardTranscriptFailed(itemID: wire.itemID ?? "", reason: wire.error?.message ?? "no reason given")
        case "error":
            let error = try need(wire.error, "error")
            let code = error.code ?? (dialect.isSelfHosted ? error.type : nil)
            return .error(
                ServerError(
                    type: error.type ?? "error",
                    code: code.map { dialect.errorCodes[$0] ?? $0 },
                    message: Redaction.withoutKeys(error.message ?? ""),
                    param: error.param,
                    eventID: error.eventID
                )
            )
        default:
            return Self.known.contains(wire.type) ? .ignored(type: wire.type) : .unknown(type: wire.type)
        }
    }

    /// Events of the protocol (and its beta) that ask nothing of a voice client.
    private static let known: Set<String> = [
        "conversation.created", "conversation.item.done", "conversation.item.deleted", "conversation.item.truncated",
        "conversation.item.retrieved", "conversation.item.input_audio_transcription.segment",
        "input_audio_buffer.cleared",
        "input_audio_buffer.timeout_triggered", "response.content_part.added", "response.content_part.done",
        "response.output_audio.delta", "response.audio.delta", "response.output_text.delta",
        "response.output_text.done",
        "response.text.delta", "response.text.done", "response.function_call_arguments.delta",
        "response.function_call_arguments.done", "rate_limits.updated", "ping",
        "conversation.item.input_audio_transcription.updated",
    ]
}

/// The fields of every event in one shape; an absent one is nil, an extra one is not looked at.
private struct Wire: Decodable {
    var type: String
    var session: JSONValue?
    var itemID: String?
    var previous: String?
    var responseID: String?
    var contentIndex: Int?
    var audioStart: Int?
    var audioEnd: Int?
    var transcript: String?
    var delta: String?
    var usage: JSONValue?
    var callID: String?
    var name: String?
    var arguments: String?
    var item: Item?
    var response: Response?
    var error: Failure?

    enum CodingKeys: String, CodingKey {
        case type, session, transcript, delta, usage, name, arguments, item, response, error
        case callID = "call_id"
        case itemID = "item_id"
        case previous = "previous_item_id"
        case responseID = "response_id"
        case contentIndex = "content_index"
        case audioStart = "audio_start_ms"
        case audioEnd = "audio_end_ms"
    }

    /// A field of a surprising type counts as absent: servers differ, and one odd field must not cost the event.
    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        type = try fields.decode(String.self, forKey: .type)
        session = try? fields.decode(JSONValue.self, forKey: .session)
        itemID = try? fields.decode(String.self, forKey: .itemID)
        previous = try? fields.decode(String.self, forKey: .previous)
        responseID = try? fields.decode(String.self, forKey: .responseID)
        contentIndex = try? fields.decode(Int.self, forKey: .contentIndex)
        audioStart = try? fields.decode(Int.self, forKey: .audioStart)
        audioEnd = try? fields.decode(Int.self, forKey: .audioEnd)
        transcript = try? fields.decode(String.self, forKey: .transcript)
        // The sound of a delta has a way of its own; here it may be a large string for nothing.
        delta =
            type.hasSuffix("transcript.delta") || type.hasSuffix("transcription.delta")
            ? try? fields.decode(String.self, forKey: .delta) : nil
        usage = try? fields.decode(JSONValue.self, forKey: .usage)
        callID = try? fields.decode(String.self, forKey: .callID)
        name = try? fields.decode(String.self, forKey: .name)
        arguments = try? fields.decode(String.self, forKey: .arguments)
        item = try? fields.decode(Item.self, forKey: .item)
        response = try? fields.decode(Response.self, forKey: .response)
        error = try? fields.decode(Failure.self, forKey: .error)
    }

    struct Item: Decodable {
        var id: String?
        var type: String?
        var status: String?
        var callID: String?
        var name: String?
        var arguments: String?

        enum CodingKeys: String, CodingKey {
            case id, type, status, name, arguments
            case callID = "call_id"
        }
    }

    struct Failure: Decodable {
        var type: String?
        var code: String?
        var message: String?
        var param: String?
        var eventID: String?

        enum CodingKeys: String, CodingKey {
            case type, code, message, param
            case eventID = "event_id"
        }
    }

    struct Response: Decodable {
        var id: String?
        var status: String?
        var reason: String?
        var clientEventID: String?
        var usage: JSONValue?

        enum CodingKeys: String, CodingKey {
            case id, status, metadata, usage
            case details = "status_details"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            id = try? fields.decode(String.self, forKey: .id)
            status = try? fields.decode(String.self, forKey: .status)
            usage = try? fields.decode(JSONValue.self, forKey: .usage)
            clientEventID = (try? fields.decode(JSONValue.self, forKey: .metadata))?["client_event_id"]?.stringValue
            // Null, an object, or (xAI) a bare string.
            let details = try? fields.decode(JSONValue.self, forKey: .details)
            reason =
                details?["error"]?["code"]?.stringValue ?? details?["reason"]?.stringValue
                ?? details?["error"]?["type"]?.stringValue ?? details?.stringValue
        }
    }
}
