internal import VoiceBase

/// Messages from Hero365.
package enum Hero365ServerMessage: Equatable, Sendable {
    /// - longest: maximum length of the session; nil if not stated.
    case started(agent: String?, longest: Duration?)
    case audio(Hero365Sound, sequence: Int?, isFinal: Bool)
    case status(Status, agent: String?)
    case transferred(to: String, reason: String?)
    case error(Hero365Error)
    /// Needs no reaction.
    case ignored(String)
    case unknown(String)

    package enum Status: String, Sendable {
        case processing, speaking, listening, complete
    }
}

/// The audio of one message, still encoded.
package struct Hero365Sound: Equatable, Sendable {
    package enum Form: Equatable, Sendable {
        /// Opus in any container.
        case opus
        /// 16-bit little-endian PCM at this rate in Hz.
        case pcm(Int)
        case wav
        /// The name of an unsupported format.
        case other(String)
    }

    package var form: Form
    package var bytes: [UInt8]

    package init(_ form: Form, _ bytes: [UInt8]) {
        self.form = form
        self.bytes = bytes
    }
}

package struct Hero365Error: Equatable, Sendable {
    package var code: String
    package var text: String
    package var retryAfter: Duration?
    /// Whether the session continues; nil if not stated.
    package var isRecoverable: Bool?

    package init(_ code: String, _ text: String = "", retryAfter: Duration? = nil, isRecoverable: Bool? = nil) {
        self.code = code
        self.text = text
        self.retryAfter = retryAfter
        self.isRecoverable = isRecoverable
    }
}

/// A message and its session id; nil if the message names none.
package struct Hero365Envelope: Equatable, Sendable {
    package var session: String?
    package var message: Hero365ServerMessage

    package init(_ message: Hero365ServerMessage, session: String? = nil) {
        self.message = message
        self.session = session
    }
}

/// Decodes one message, flat or with its fields in `data`. Unknown types and fields are not errors.
package enum Hero365Decoder {
    /// Maximum number of values in a message; none of the service has a tenth of that.
    private static let mostValues = 256
    private static let longestName = 80
    private static let longestText = 400
    /// Upper bound on `retry_after`.
    private static let longestPause = Duration.seconds(60)

    /// Returns nil unless the message is a JSON object with a `type`, and its audio is valid base64.
    package static func decode(_ bytes: UnsafeRawBufferPointer, rate: Int = 16_000) -> Hero365Envelope? {
        let limit = AudioFormat.longestEncodedMessage
        let json = OutsideJSON.decode(JSONValue.self, from: bytes, atMost: limit, values: mostValues)
        return json.flatMap { envelope($0, rate) }
    }

    package static func decode(_ text: String, rate: Int = 16_000) -> Hero365Envelope? {
        var text = text
        return text.withUTF8 { decode(UnsafeRawBufferPointer($0), rate: rate) }
    }

    private static func envelope(_ json: JSONValue, _ rate: Int) -> Hero365Envelope? {
        guard case .object(var fields) = json, let type = fields["type"]?.stringValue else { return nil }
        // A field in `data` overrides its outer namesake.
        if case .object(let inner)? = fields["data"] { fields.merge(inner) { $1 } }
        return message(type, fields, rate).map { Hero365Envelope($0, session: fields["session_id"]?.stringValue) }
    }

    private static func message(_ type: String, _ fields: [String: JSONValue], _ rate: Int) -> Hero365ServerMessage? {
        func text(_ name: String) -> String? { fields[name]?.stringValue?.bounded(toBytes: longestName) }
        switch type {
        case "session_started":
            let longest = fields["session_config"]?["max_duration"]?.doubleValue.map { milliseconds($0, 86_400_000) }
            return .started(agent: text("agent_type"), longest: longest)
        case "audio_output": return audio(fields, rate)
        case "session_status":
            let status = text("status") ?? ""
            guard let known = Hero365ServerMessage.Status(rawValue: status) else {
                return .unknown("session_status \(status)")
            }
            return .status(known, agent: text("agent_type"))
        case "agent_transfer": return .transferred(to: text("to_agent") ?? "another", reason: text("transfer_reason"))
        case "error":
            let words = fields["message"]?.stringValue ?? fields["error_message"]?.stringValue ?? ""
            let pause = fields["retry_after"]?.doubleValue.map { milliseconds($0, longestPause.fractionalMilliseconds) }
            var recoverable: Bool?
            if case .bool(let value)? = fields["recoverable"] { recoverable = value }
            return .error(
                Hero365Error(
                    text("error_code") ?? "error", Redaction.withoutKeys(words.bounded(toBytes: longestText)),
                    retryAfter: pause, isRecoverable: recoverable
                )
            )
        case "pong", "connection_confirmed", "connection_established": return .ignored(type)
        default: return .unknown(type.bounded(toBytes: longestName))
        }
    }

    private static func audio(_ fields: [String: JSONValue], _ rate: Int) -> Hero365ServerMessage? {
        let text = fields["audio_data"]?.stringValue ?? ""
        guard let bytes = bytes(ofBase64: text) else { return nil }
        let type = fields["content_type"]?.stringValue ?? fields["audio_format"]?.stringValue ?? "audio/opus"
        let stated = fields["sample_rate"]?.intValue.map { min(max(8000, $0), 48_000) } ?? rate
        let kind = type.lowercased().prefix { $0 != ";" }.split(separator: "/").last.map(String.init) ?? ""
        let form: Hero365Sound.Form =
            switch kind {
            case "opus", "ogg", "webm", "": kind == "webm" ? .other("audio/webm") : .opus
            case "pcm", "pcm16", "l16", "raw": .pcm(stated)
            case "wav", "wave", "x-wav": .wav
            default: .other(type.bounded(toBytes: longestName))
            }
        var isFinal = false
        if case .bool(let value)? = fields["is_final"] { isFinal = value }
        return .audio(Hero365Sound(form, bytes), sequence: fields["sequence"]?.intValue, isFinal: isFinal)
    }

    private static func bytes(ofBase64 text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { Base64.bytes(UnsafeRawBufferPointer($0)) }
    }

    private static func milliseconds(_ value: Double, _ most: Double) -> Duration {
        .milliseconds(value.isFinite ? Int(min(max(0, value), most)) : 0)
    }
}
