internal import VoiceBase
internal import VoiceConversation

/// Messages from a GPT-Live session, except audio.
package enum LiveServerEvent: Equatable, Sendable {
    /// - delegation: the kind stated by the service; nil if not stated.
    /// - ends: Unix seconds.
    case started(id: String, ends: Int?, delegation: String?)
    case heard(LiveFragment)
    case said(LiveFragment)
    /// - at: position on the timeline, in ms.
    case delegated(id: String, target: String, at: Int)
    /// A text was placed on the timeline; `request` is nil if the service does not say which.
    case placed(tone: LiveTone, request: String?)
    /// The session's clock in seconds, and how full its context is, 0 to 1.
    case usage(seconds: Double, context: Double?)
    case closed(reason: String, seconds: Double?)
    case error(LiveError)
    case info(code: String, text: String)
    /// Needs no reaction.
    case ignored(type: String)
    case unknown(type: String)
}

/// One or more words, with their position on the session's timeline in ms.
package struct LiveFragment: Equatable, Sendable {
    /// Includes its spaces.
    package var text: String
    package var start: Int
    package var end: Int

    package init(_ text: String, start: Int, end: Int) {
        self.text = text
        self.start = start
        self.end = max(start, end)
    }
}

package struct LiveError: Equatable, Sendable {
    package var type: String
    /// nil if it has none.
    package var code: String?
    package var text: String
    package var setting: String?
    /// The id of the event it answers.
    package var request: String?

    package var name: String { code ?? type }
}

/// Decodes one text message of a GPT-Live session. Unknown events and fields are not errors.
package enum LiveEventDecoder {
    /// Maximum size of an event without audio, in bytes: 64 kB, and the session's settings, which the service repeats in full.
    package static let longest = 64 << 10 + 3 * 48_000

    /// Returns nil unless the message is a JSON object with a `type` and, for a known event, its required fields.
    package static func decode(_ bytes: UnsafeRawBufferPointer) -> LiveServerEvent? {
        OutsideJSON.decode(Wire.self, from: bytes, atMost: longest).flatMap(event)
    }

    package static func decode(_ text: String) -> LiveServerEvent? {
        OutsideJSON.decode(Wire.self, from: text.utf8, atMost: longest).flatMap(event)
    }

    private static func event(_ wire: Wire) -> LiveServerEvent? {
        switch wire.type {
        case "session.started":
            guard let session = wire.session else { return nil }
            let ends = session["expires_at"]?.doubleValue.map { Int(min(max(0, $0), latestTime)) }
            let id = String((session["id"]?.stringValue ?? "").prefix(longestName))
            let delegation = session["delegation"].map { $0["type"]?.stringValue ?? ($0 == .null ? "none" : "") }
            return .started(id: id, ends: ends, delegation: delegation)
        case "session.input_transcript.delta": return fragment(wire).map { .heard($0) }
        case "session.output_transcript.delta": return fragment(wire).map { .said($0) }
        case "session.delegation.created":
            guard let id = wire.delegation?["id"]?.stringValue, !id.isEmpty, id.utf8.count <= longestName else {
                return nil
            }
            let target = wire.delegation?["target"]?.stringValue ?? "client"
            return .delegated(id: id, target: target, at: milliseconds(wire.offset))
        case "session.commentary.appended": return .placed(tone: .commentary, request: wire.request)
        case "session.thinking.appended": return .placed(tone: .thinking, request: wire.request)
        case "session.instructions.appended": return .placed(tone: .instructions, request: wire.request)
        case "session.usage.updated":
            guard let seconds = wire.seconds else { return nil }
            let ratio = wire.context?["usage_ratio"]?.doubleValue
            return .usage(seconds: seconds, context: ratio.flatMap { $0.isFinite ? min(max(0, $0), 1) : nil })
        case "session.closed": return .closed(reason: wire.reason ?? "", seconds: wire.seconds)
        case "error":
            guard let error = wire.error else { return nil }
            return .error(
                LiveError(
                    type: error["type"]?.stringValue ?? "error", code: error["code"]?.stringValue,
                    text: Redaction.withoutKeys(error["message"]?.stringValue ?? ""),
                    setting: error["param"]?.stringValue, request: error["client_event_id"]?.stringValue ?? wire.request
                )
            )
        case "info":
            return .info(
                code: wire.info?["code"]?.stringValue ?? "",
                text: Redaction.withoutKeys(wire.info?["message"]?.stringValue ?? "")
            )
        default:
            return known.contains(wire.type) ? .ignored(type: wire.type) : .unknown(type: String(wire.type.prefix(80)))
        }
    }

    private static func fragment(_ wire: Wire) -> LiveFragment? {
        guard let text = wire.delta, text.utf8.count <= longestFragment else { return nil }
        let start = milliseconds(wire.start)
        return LiveFragment(text, start: start, end: wire.end.map(milliseconds) ?? start)
    }

    /// A day, in ms: no session lasts as long.
    private static let longestSession = 86_400_000.0
    /// The last second of the year 9999, in Unix time.
    private static let latestTime = 253_402_300_799.0
    private static let longestName = 512
    private static let longestFragment = 16_384

    private static func milliseconds(_ value: Double?) -> Int {
        guard let value, value.isFinite else { return 0 }
        return Int(min(max(0, value), longestSession))
    }

    /// Known events of the protocol that need no reaction.
    private static let known: Set<String> = [
        "session.output_audio.delta", "session.input_audio.muted", "session.input_audio.unmuted", "session.updated",
        "session.output_audio.fixture.playing", "session.output_audio.fixture.played", "response.event",
    ]

    /// The fields of all events in one shape; a field of an unexpected type counts as absent.
    private struct Wire: Decodable {
        var type: String
        var session: JSONValue?
        var delta: String?
        var start: Double?
        var end: Double?
        var offset: Double?
        var delegation: JSONValue?
        var request: String?
        var seconds: Double?
        var context: JSONValue?
        var reason: String?
        var error: JSONValue?
        var info: JSONValue?

        enum CodingKeys: String, CodingKey {
            case type, session, delta, delegation, usage, reason, error, info
            case start = "start_ms"
            case end = "end_ms"
            case offset = "offset_ms"
            case request = "client_event_id"
            case context = "context_window"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            type = try fields.decode(String.self, forKey: .type)
            session = type == "session.started" ? try? fields.decode(JSONValue.self, forKey: .session) : nil
            // Audio deltas are decoded separately; here the field could be a large string for nothing.
            delta = type.hasSuffix("transcript.delta") ? try? fields.decode(String.self, forKey: .delta) : nil
            start = try? fields.decode(Double.self, forKey: .start)
            end = try? fields.decode(Double.self, forKey: .end)
            offset = try? fields.decode(Double.self, forKey: .offset)
            delegation = try? fields.decode(JSONValue.self, forKey: .delegation)
            request = try? fields.decode(String.self, forKey: .request)
            let seconds = (try? fields.decode(JSONValue.self, forKey: .usage))?["seconds"]?.doubleValue
            self.seconds = seconds.flatMap { $0.isFinite ? min(max(0, $0), 86_400) : nil }
            context = try? fields.decode(JSONValue.self, forKey: .context)
            reason = try? fields.decode(String.self, forKey: .reason)
            error = try? fields.decode(JSONValue.self, forKey: .error)
            info = try? fields.decode(JSONValue.self, forKey: .info)
        }
    }
}

/// Error codes of GPT-Live. The list is not published, so an unknown code never ends the session.
extension ErrorClass {
    private static let liveCodes: [String: ErrorClass] = [
        "invalid_api_key": .account,
        "account_deactivated": .account,
        "insufficient_quota": .account,
        "billing_hard_limit_reached": .account,
        "credit_balance_exhausted": .account,
        "model_not_found": .configuration,
        "forbidden": .configuration,
        "rate_limit_exceeded": .limited,
        "server_error": .service,
        "internal_error": .service,
    ]

    /// - Parameter isStarted: whether the session has started; before that, every error means that it will not.
    init(_ error: LiveError, isStarted: Bool) {
        let known = error.code.flatMap { Self.liveCodes[$0] }
        if isStarted {
            // An error about one event leaves the session usable.
            self = known.map { $0.isFatal && error.request == nil ? $0 : .other } ?? .other
            return
        }
        switch error.code {
        case "unknown_parameter", "invalid_value", "missing_required_parameter": self = .settings
        default: self = known ?? Self.liveCodes[error.type] ?? .service
        }
    }
}
