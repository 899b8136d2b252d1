internal import VoiceBase

/// Decodes one text message of the server into a `ServerEvent`, tolerantly.
///
/// Beta names count as their successors, missing fields as absent, and new events as `unknown`. A message is refused only
/// if it is not a JSON object with a `type` or lacks a required field; the session continues.
package struct ServerEventDecoder {
    package enum Failure: Error, Equatable {
        /// Not JSON, or not an object with a string `type`.
        case malformed
        /// A known event without a required field.
        case missing(field: String, type: String)
    }

    /// Maximum size of an event that is decoded, in bytes. A connection allows less: see `longest(echoing:)`.
    package static let longest = 1 << 20

    /// Maximum size of an event without audio, in bytes: 64 kB, unless the session's settings, which the server repeats with
    /// every other than an ASCII character escaped, are longer.
    package static func longest(echoing settings: RealtimeSettings) -> Int {
        let echo = ClientEvent.sessionUpdate(settings, eventID: "").encoded(for: settings.dialect)
        let escaped = String(decoding: echo, as: UTF8.self).utf16.reduce(0) { $0 + ($1 < 0x80 ? 1 : 6) }
        return max(64 << 10, min(escaped + (16 << 10), longest))
    }

    private let dialect: Dialect

    package init(dialect: Dialect = .openAI) {
        self.dialect = dialect
    }

    package func decode(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> ServerEvent {
        guard let wire = OutsideJSON.decode(Wire.self, from: bytes, atMost: Self.longest) else { throw .malformed }
        return try event(wire)
    }

    package func decode(_ text: String) throws(Failure) -> ServerEvent {
        guard let wire = OutsideJSON.decode(Wire.self, from: text.utf8, atMost: Self.longest) else { throw .malformed }
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
                expiresAt: wire.session?["expires_at"]?.intValue.map { min(max($0, 0), Self.latestTime) }
            )
        case "session.updated":
            if dialect.does(.partialReport) { return .sessionUpdated(wire.session ?? .object([:])) }
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
                itemID: item.id ?? "", kind: item.type ?? "", callID: item.callID, previous: wire.previous
            )
        case "response.created":
            let response = try need(wire.response, "response")
            return .responseCreated(id: try need(response.id, "response.id"), clientEventID: response.clientEventID)
        case "response.output_item.added":
            let item = try need(wire.item, "item")
            return .outputItemAdded(
                responseID: wire.responseID ?? "", itemID: item.id ?? "", kind: item.type ?? "", call: item.begunCall
            )
        case "response.output_item.done":
            let item = try need(wire.item, "item")
            guard item.type == "function_call" else { return .ignored(type: wire.type) }
            let announced = try need(item.announcedCall, "item.call_id")
            return .functionCall(
                responseID: wire.responseID ?? "", call: announced.call, isComplete: announced.isComplete
            )
        case "response.function_call_arguments.done":
            let call = FunctionCall(
                callID: wire.callID ?? "", name: wire.name ?? "", arguments: wire.arguments ?? ""
            )
            return .callWritten(responseID: wire.responseID ?? "", itemID: wire.itemID ?? "", call: call)
        // Text comes where the model writes instead of speaking.
        case "response.output_audio_transcript.delta", "response.audio_transcript.delta", "response.output_text.delta",
            "response.text.delta":
            return .spokenDelta(
                responseID: wire.responseID ?? "", itemID: wire.itemID ?? "", contentIndex: wire.contentIndex ?? 0,
                text: wire.delta ?? ""
            )
        case "response.output_audio_transcript.done", "response.audio_transcript.done", "response.output_text.done",
            "response.text.done":
            return .spokenTranscript(
                responseID: wire.responseID ?? "", itemID: wire.itemID ?? "", text: wire.transcript ?? wire.text ?? "",
                contentIndex: wire.contentIndex ?? 0
            )
        case "response.output_audio.done", "response.audio.done":
            return .audioDone(
                responseID: wire.responseID ?? "", itemID: wire.itemID ?? "", contentIndex: wire.contentIndex ?? 0
            )
        case "response.done":
            let response = try need(wire.response, "response")
            return .responseDone(
                ResponseOutcome(
                    id: try need(response.id, "response.id"),
                    status: response.status.map { ResponseOutcome.Status(rawValue: $0) ?? .other } ?? .completed,
                    reason: response.reason,
                    clientEventID: response.clientEventID,
                    usage: response.usage.flatMap(Usage.init),
                    calls: (response.output ?? []).compactMap(\.announcedCall),
                    words: (response.output ?? []).compactMap(\.words).joined(separator: " "),
                    message: response.message.map(Redaction.withoutKeys)
                )
            )
        case "conversation.item.input_audio_transcription.delta":
            return .heardDelta(
                itemID: wire.itemID ?? "", contentIndex: wire.contentIndex ?? 0, text: wire.delta ?? ""
            )
        case "conversation.item.input_audio_transcription.completed":
            return .heardTranscript(
                itemID: wire.itemID ?? "", contentIndex: wire.contentIndex ?? 0, text: wire.transcript ?? "",
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

    /// The last second of the year 9999, in Unix time.
    private static let latestTime = 253_402_300_799

    /// Events of the protocol (and its beta) that need no reaction from a voice client.
    private static let known = Set([
        "conversation.created", "conversation.item.done", "conversation.item.deleted", "conversation.item.truncated",
        "conversation.item.retrieved", "conversation.item.input_audio_transcription.segment",
        "input_audio_buffer.cleared",
        "input_audio_buffer.timeout_triggered", "response.content_part.added", "response.content_part.done",
        "response.function_call_arguments.delta",
        "rate_limits.updated", "ping",
        "conversation.item.input_audio_transcription.updated",
    ]).union(AudioDelta.realtimeTypes)
}

/// The fields of all events in one shape. An absent field is nil; extra fields are ignored.
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
    var text: String?
    var delta: String?
    var usage: JSONValue?
    var callID: String?
    var name: String?
    var arguments: String?
    var item: Item?
    var response: Response?
    var error: Failure?

    enum CodingKeys: String, CodingKey {
        case type, session, transcript, text, delta, usage, name, arguments, item, response, error, message, detail
        case callID = "call_id"
        case itemID = "item_id"
        case previous = "previous_item_id"
        case responseID = "response_id"
        case contentIndex = "content_index"
        case audioStart = "audio_start_ms"
        case audioEnd = "audio_end_ms"
    }

    /// A field of an unexpected type counts as absent: servers differ, and one odd field must not cost the event.
    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        type = try fields.decode(String.self, forKey: .type)
        session = type.hasPrefix("session.") ? try? fields.decode(JSONValue.self, forKey: .session) : nil
        itemID = try? fields.decode(String.self, forKey: .itemID)
        previous = try? fields.decode(String.self, forKey: .previous)
        responseID = try? fields.decode(String.self, forKey: .responseID)
        contentIndex = Self.clamped(try? fields.decode(Int.self, forKey: .contentIndex), to: 0...Self.mostParts)
        audioStart = Self.clamped(try? fields.decode(Int.self, forKey: .audioStart), to: 0...Self.longestSession)
        audioEnd = Self.clamped(try? fields.decode(Int.self, forKey: .audioEnd), to: 0...Self.longestSession)
        transcript = try? fields.decode(String.self, forKey: .transcript)
        text = type.hasSuffix("text.done") ? try? fields.decode(String.self, forKey: .text) : nil
        // Audio deltas are decoded separately; here the field could be a large string for nothing.
        delta =
            ["transcript.delta", "transcription.delta", "text.delta"].contains(where: type.hasSuffix)
            ? try? fields.decode(String.self, forKey: .delta) : nil
        usage = try? fields.decode(JSONValue.self, forKey: .usage)
        callID = try? fields.decode(String.self, forKey: .callID)
        name = try? fields.decode(String.self, forKey: .name)
        arguments = try? fields.decode(String.self, forKey: .arguments)
        item = try? fields.decode(Item.self, forKey: .item)
        response = try? fields.decode(Response.self, forKey: .response)
        // Servers put the reason into an object, a text, or beside the type.
        let failure = try? fields.decode(JSONValue.self, forKey: .error)
        let words = [CodingKeys.message, .detail].lazy.compactMap { try? fields.decode(String.self, forKey: $0) }.first
        error = (failure ?? (type == "error" ? words.map { .string($0) } : nil)).map(Failure.init)
    }

    /// Upper bounds, beyond which the sender is mistaken: parts of an item, and a day of audio in ms.
    private static let mostParts = 10_000
    private static let longestSession = 86_400_000

    private static func clamped(_ value: Int?, to range: ClosedRange<Int>) -> Int? {
        value.map { min(max($0, range.lowerBound), range.upperBound) }
    }

    struct Item: Decodable {
        var id: String?
        var type: String?
        var status: String?
        var callID: String?
        var name: String?
        var arguments: String?
        var content: [Content]?

        enum CodingKeys: String, CodingKey {
            case id, type, status, name, arguments, content
            case callID = "call_id"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            id = try fields.decodeIfPresent(String.self, forKey: .id)
            type = try fields.decodeIfPresent(String.self, forKey: .type)
            status = try fields.decodeIfPresent(String.self, forKey: .status)
            callID = try fields.decodeIfPresent(String.self, forKey: .callID)
            name = try fields.decodeIfPresent(String.self, forKey: .name)
            arguments = try fields.decodeIfPresent(String.self, forKey: .arguments)
            content = try? fields.decode([Content].self, forKey: .content)
        }

        /// The words of a message; nil for another item.
        var words: String? {
            guard type == "message" else { return nil }
            return content?.compactMap { $0.transcript ?? $0.text }.joined(separator: " ")
        }

        /// The known part of a call when its item begins.
        var begunCall: FunctionCall? {
            guard type == "function_call" else { return nil }
            return FunctionCall(callID: callID ?? id ?? "", name: name ?? "", arguments: "")
        }

        /// The call; one without an id of its own gets its item's id.
        var announcedCall: AnnouncedCall? {
            guard type == "function_call", let callID = callID ?? id else { return nil }
            let call = FunctionCall(callID: callID, name: name ?? "", arguments: arguments ?? "")
            return AnnouncedCall(call: call, isComplete: status != "incomplete")
        }
    }

    struct Content: Decodable {
        var transcript: String?
        var text: String?
    }

    struct Failure {
        var type: String?
        var code: String?
        var message: String?
        var param: String?
        var eventID: String?

        init(_ value: JSONValue) {
            type = value["type"]?.stringValue
            code = value["code"]?.stringValue ?? value["code"]?.intValue.map(String.init)
            let words = ["message", "detail", "error", "msg"].lazy.compactMap { value[$0]?.stringValue }.first
            message = value.stringValue ?? words
            param = value["param"]?.stringValue
            eventID = value["event_id"]?.stringValue
        }
    }

    struct Response: Decodable {
        var id: String?
        var status: String?
        var reason: String?
        var message: String?
        var clientEventID: String?
        var usage: JSONValue?
        var output: [Item]?

        enum CodingKeys: String, CodingKey {
            case id, status, metadata, usage, output
            case details = "status_details"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            id = try? fields.decode(String.self, forKey: .id)
            status = try? fields.decode(String.self, forKey: .status)
            usage = try? fields.decode(JSONValue.self, forKey: .usage)
            output = try? fields.decode([Item].self, forKey: .output)
            clientEventID = (try? fields.decode(JSONValue.self, forKey: .metadata))?["client_event_id"]?.stringValue
            // Null, an object, or (xAI) a bare string.
            let details = try? fields.decode(JSONValue.self, forKey: .details)
            reason =
                details?["error"]?["code"]?.stringValue ?? details?["reason"]?.stringValue
                ?? details?["error"]?["type"]?.stringValue ?? details?.stringValue
            message =
                details?["error"]?["message"]?.stringValue ?? details?["message"]?.stringValue
                ?? details?["error"]?.stringValue
        }
    }
}
