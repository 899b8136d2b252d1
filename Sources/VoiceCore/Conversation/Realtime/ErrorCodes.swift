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
        "beta_api_shape_disabled": .configuration,
        "missing_model": .configuration,
        "invalid_model": .configuration,
        "model_not_found": .configuration,
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
            self = Self.codes[error.type] ?? .other
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
        if self == .other, closeReason.contains("maximum duration") { self = .expired }
    }

    /// - Parameter body: the body of an HTTP refusal; account codes may occur with any status.
    package init(body: String) {
        let named = Self.codes.filter { $0.value.isFatal && body.contains("\"\($0.key)\"") }
        self = named.values.contains(.account) ? .account : named.isEmpty ? .other : .configuration
    }
}

extension ServerError {
    /// Whether a server refuses the model, in whatever words: its text names this model, and what is wrong with it.
    func isRefusal(ofModel model: String) -> Bool {
        let text = message.lowercased()
        guard text.contains("model"), text.contains(model.lowercased()) else { return false }
        return [
            "not found", "not exist", "unknown", "invalid", "not supported", "unsupported", "no access",
            "not available",
        ]
        .contains { text.contains($0) } || text.contains("not have access") || text.contains("no such")
    }
}
