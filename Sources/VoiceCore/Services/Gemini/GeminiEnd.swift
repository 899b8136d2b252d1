internal import VoiceBase

/// The meaning of the end of a connection. The service has no message for errors: it closes the socket with a sentence,
/// and that sentence decides; one code stands for a spent quota, the end of the session and a crash.
package struct GeminiEnd: Equatable, Sendable {
    package enum Meaning: Equatable, Sendable {
        /// Only the user can mend it; the service is not tried again.
        case refused
        /// The quota is used up; it is renewed after a while.
        case quota
        /// The next session leaves out when an answer is to be said.
        case unscheduled
        /// The session is not resumed, or its content is at fault: the next one begins anew.
        case startOver
        case expired
        case lost
    }

    package var meaning: Meaning
    /// One line: what is wrong, and the way out.
    package var line: String

    /// How far the connection had come.
    package enum Stage: Sendable {
        /// Before the session was set up.
        case settingUp
        /// The same, of a session that resumes another.
        case resuming
        case live
    }

    private static let console = "https://aistudio.google.com/apikey"

    /// - Parameters:
    ///   - code: of the close frame, or the status of the HTTP answer in its place.
    ///   - reason: the service's sentence, in any letter case.
    package init(code: Int, reason: String, stage: Stage, model: String) {
        let said = Redaction.withoutKeys(reason).bounded(toBytes: 200)
        let text = reason.lowercased()
        func has(_ parts: String...) -> Bool { parts.contains(where: text.contains) }
        let closed = "the service closed the connection with code \(code)" + (said.isEmpty ? "" : ": \(said)")
        (meaning, line) =
            if has("location is not supported", "country, region") {
                (
                    .refused,
                    "Google does not serve a free key in this country: turn on billing for its project at \(Self.console)"
                )
            } else if has("prepay", "depleted", "billing account", "billing is", "billing has") {
                (.refused, "the credit of the key's project is used up: add some at \(Self.console)")
            } else if has("exceeded your current quota", "resource_exhausted") || code == 429 {
                (.quota, "the quota of the Gemini key is used up for now: wait, or turn on billing at \(Self.console)")
            } else if has("api key", "api_key", "permission_denied", "unregistered callers")
                || [401, 403].contains(code)
            {
                (.refused, "Google refuses the key: get one at \(Self.console) and put it into gemini.api_key_file")
            } else if has("is not found for api version", "not supported for bidigeneratecontent") || code == 404 {
                (.refused, "Google has no live model named \(model): set gemini.model")
            } else if has("scheduling is not supported") {
                (.unscheduled, "the service refuses the field \"scheduling\" of answers: connecting again without it")
            } else if has("voice"), stage != .live {
                (.refused, "the service does not accept the voice: set gemini.voice (\(said))")
            } else if has("unknown name", "invalid json payload", "is not supported for this model"), stage != .live {
                (
                    .refused,
                    "the service does not accept the settings: update jarvis-voiced, or set gemini.model (\(said))"
                )
            } else if has("safety", "prohibited", "blocklist", "policy violation") {
                (.startOver, "the service ended the conversation because of its content: ask in other words (\(said))")
            } else if has("deadline expired", "the operation was cancelled") {
                (.expired, "the session reached its maximum duration")
            } else if has("invalid argument") || code == 1007 {
                switch stage {
                case .settingUp: (.refused, "the service does not accept the settings: set gemini.model (\(said))")
                case .resuming: (.startOver, "the service does not go on with the session: another begins")
                case .live:
                    (.startOver, "the service refuses a message (\(said)): if that repeats, update jarvis-voiced")
                }
            } else if 500..<600 ~= code {
                (
                    .lost,
                    "the service has trouble of its own (status \(code)\(said.isEmpty ? "" : ": \(said)")): wait a while"
                )
            } else {
                (.lost, closed)
            }
    }
}
