package import VoiceBase

/// Messages from the daemon to Hero365.
package enum Hero365ClientMessage: Equatable, Sendable {
    case start(codec: Configuration.Hero365.Codec, rate: Int)
    /// - Parameters:
    ///   - sound: one packet; may be empty if it is the last.
    ///   - sequence: from 1.
    ///   - isFinal: whether the turn is over.
    case audio([UInt8], sequence: Int, isFinal: Bool)
    case end(reason: String, duration: Duration)

    package var type: String {
        switch self {
        case .start: "start_session"
        case .audio: "audio_input"
        case .end: "end_session"
        }
    }

    private var fields: [String: JSONValue] {
        switch self {
        case .start(let codec, let rate):
            [
                "audio_format": .string(codec.rawValue), "sample_rate": .integer(rate), "channels": 1,
            ]
        case .audio(let sound, let sequence, let isFinal):
            [
                "audio_data": .string(Base64.text(sound)), "sequence": .integer(sequence), "is_final": .bool(isFinal),
            ]
        case .end(let reason, let duration):
            ["reason": .string(reason), "duration_ms": .integer(max(0, duration.wholeMilliseconds))]
        }
    }

    /// The message as JSON, flat or with its fields in `data`.
    package func encoded(session: String, isNested: Bool) -> [UInt8] {
        var members: [String: JSONValue] = isNested ? ["data": .object(fields)] : fields
        members["type"] = .string(type)
        members["session_id"] = .string(session)
        return Array(JSONValue.object(members).encoded.utf8)
    }
}
