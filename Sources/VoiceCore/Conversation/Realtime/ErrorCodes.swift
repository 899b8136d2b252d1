internal import VoiceBase

/// OpenAI's error codes, also used by other services of the protocol.
///
/// They occur in `error` events, in the details of a failed response, in the reason of a close frame (`<type>.<code>`) and
/// in the body of an HTTP refusal, always with the same meaning.
extension ErrorClass {
    private static let codes: [String: ErrorClass] = [
        "invalid_api_key": .account,
        "insufficient_quota": .account,
        "account_deactivated": .account,
        "billing_hard_limit_reached": .account,
        "billing_not_active": .account,
        "insufficient_credits": .account,
        "beta_api_shape_disabled": .configuration,
        "missing_model": .configuration,
        "invalid_model": .configuration,
        "model_not_found": .configuration,
        "model_not_supported": .configuration,
        "model_deprecated": .configuration,
        "unsupported_model": .configuration,
        "DeploymentNotFound": .configuration,
        "OperationNotSupported": .configuration,
        "OpperationNotSupported": .configuration,
        "session_expired": .expired,
        "session_limit_reached": .full,
        "rate_limit_exceeded": .limited,
        "inference_rate_limit_exceeded": .limited,
        "rate_limit_error": .limited,
        "server_error": .service,
        "internal_error": .service,
        "conversation_already_has_active_response": .activeResponse,
        "function_call_output_pending": .outputsMissing,
        "response_cancel_not_active": .noActiveResponse,
        "cannot_update_voice": .settings,
        "item_truncate_invalid_item_id": .race,
        "item_delete_invalid_item_id": .race,
        "item_retrieve_invalid_item_id": .race,
        "input_audio_buffer_commit_empty": .race,
    ]

    init(_ error: ServerError) {
        if let known = error.code.flatMap({ Self.codes[$0] }) {
            self = known
            return
        }
        let isAboutSession = error.param?.hasPrefix("session") == true
        switch error.code {
        case "missing_required_parameter" where isAboutSession, "unknown_parameter" where isAboutSession,
            "invalid_value" where isAboutSession:
            self = .settings
        case "invalid_value" where error.message.contains("already shorter"):
            self = .race
        case nil where error.message.contains("Only model output audio"):
            self = .race
        // Servers without codes, or with their own.
        case _ where error.message.lowercased().contains("already has an active response"):
            self = .activeResponse
        case _ where error.message.lowercased().contains("no active response"):
            self = .noActiveResponse
        case _ where error.message.lowercased().contains("function call outputs are pending"):
            self = .outputsMissing
        default:
            let said = [error.code ?? "", error.type, error.message].joined(separator: "\n")
            self = Self.said(said) ?? Self.codes[error.type] ?? .other
        }
    }

    /// The meaning of a server's text, if its code is unknown.
    private static func said(_ text: String) -> ErrorClass? {
        switch StatedReason(text) {
        case .credit, .key: .account
        case .expired: .expired
        case .rate: .limited
        case nil: nil
        }
    }

    /// - Parameter code: an error code alone, such as the reason of a failed response.
    init(code: String?) {
        self = code.flatMap { Self.codes[$0] } ?? .other
    }

    /// - Parameter closeReason: `<type>.<code>`, as in a close frame.
    package init(closeReason: String) {
        let code = closeReason.split(separator: ".").last.map(String.init)
        self.init(code: code)
        if self == .other { self = Self.said(closeReason) ?? .other }
    }

    /// - Parameter body: the body of an HTTP refusal; account codes may occur with any status. Only permanent
    ///   refusals are read from it; all others are judged by the status.
    package init(body: String, status: Int? = nil) {
        let named = Self.codes.filter { $0.value.isFatal && body.contains("\"\($0.key)\"") }
        if named.isEmpty {
            self = Self.said("\(status ?? 0)\n" + body) == .account ? .account : .other
        } else {
            self = named.values.contains(.account) ? .account : .configuration
        }
    }
}

/// A server that refuses the model it was asked for.
package enum ModelRefusal {
    private static let refusing = [
        "not ", "n't ", "no ", "unknown", "invalid", "unsupported", "denied", "deprecated", "retired", "discontinued",
        "end of life", "shut down",
    ]
    private static let passing = ["overload", "temporar", "rate limit", "loading", "later", "busy", "capacity"]

    /// The setting to change, with the server's text; nil if the text does not refuse the model. Servers word it
    /// differently, so any text counts that names this model and a fault of it, unless the fault will pass.
    package static func line(_ text: String, model: String?) -> String? {
        let lower = text.lowercased()
        func says(_ words: [String]) -> Bool { words.contains { lower.contains($0) } }
        guard let model = model?.lowercased(), !model.isEmpty, lower.contains(model), says(["model", "deployment"]),
            says(refusing), !says(passing)
        else { return nil }
        return "set realtime.model to a model of this service (\(text))"
    }
}
