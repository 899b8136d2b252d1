/// Finds the event that a server does not implement in its error.
enum EventRefusal {
    /// The events that a conversation can do without: the name, how the daemon's ids for it begin, and the difference that
    /// leaves it out.
    private static let optional: [(name: String, id: String, difference: Dialect.Difference)] = [
        ("input_audio_buffer.clear", "clear-", .noInputClear),
        ("conversation.item.delete", "delete-", .noDeletion),
        ("conversation.item.truncate", "truncate-", .noTruncation),
        ("response.cancel", "cancel-", .noCancel),
    ]
    /// The events that a conversation needs.
    private static let needed = [
        "session.update", "input_audio_buffer.append", "input_audio_buffer.commit", "conversation.item.create",
        "conversation.item.retrieve", "response.create",
    ]
    private static let codes = [
        "unknown_event", "unknown_event_type", "unsupported_event", "unsupported_event_type", "invalid_event",
        "invalid_event_type", "unknown_or_invalid_event", "unknown_message_type", "unsupported_message_type",
        "not_implemented",
        "unimplemented", "event_not_supported", "unhandled_event",
    ]
    private static let words = [
        "unknown event", "unknown or invalid", "unknown message", "unknown type", "unknown client", "unknown request",
        "unsupported", "not supported", "n't supported", "not support", "n't support", "not implement", "n't implement",
        "unimplemented", "unrecognized", "unrecognised", "not recognized", "invalid event", "unexpected event",
        "unhandled",
        "not handled", "no handler", "does not match any",
    ]

    /// - Parameter latest: the name of the event that was sent last, for an error that names none.
    static func find(_ error: ServerError, latest: String?) -> (name: String, difference: Dialect.Difference)? {
        let text = error.message.lowercased()
        let hasCode = [error.code, error.type].contains { $0.map { codes.contains($0.lowercased()) } ?? false }
        // Calls are items, so their event is implemented.
        let isCall = ["'", "\"", "`"].contains { text.contains($0 + "function_call" + $0) }
        if isCall, text.hasPrefix("invalid value: 'function_call'") || words.contains(where: text.contains) {
            return ("conversation.item.create of function_call", .noCalls)
        }
        let named = firstEvent(in: text)
        // OpenAI's words for a value that is not in a list of values; the list follows.
        let isValue = named.map { text.hasPrefix("invalid value: '\($0)'") } ?? false
        guard hasCode || isValue || words.contains(where: text.contains) else { return nil }
        if let named { return event(named) }
        if let id = error.eventID { return optional.first { id.hasPrefix($0.id) }.map { ($0.name, $0.difference) } }
        return hasCode ? latest.flatMap(event) : nil
    }

    private static func event(_ name: String) -> (name: String, difference: Dialect.Difference)? {
        optional.first { $0.name == name }.map { ($0.name, $0.difference) }
    }

    /// The first event of a client that a text names.
    private static func firstEvent(in text: String) -> String? {
        (optional.map(\.name) + needed).compactMap { name in text.firstRange(of: name).map { ($0.lowerBound, name) } }
            .min { $0.0 < $1.0 }?.1
    }
}
