/// What an `error` event of the server means for the session.
enum ErrorClass: Equatable {
    /// Key, quota or account: trying again changes nothing.
    case account
    /// The address or the model is wrong: trying again changes nothing.
    case configuration
    /// The session has lasted as long as it may.
    case expired
    /// A response was running already.
    case activeResponse
    /// `session.update` was rejected, whole.
    case settings
    /// Two sides acted at once; nothing is broken.
    case race
    case other

    init(_ error: ServerError) {
        let isAboutSession = error.param?.hasPrefix("session") == true
        switch error.code {
        case "invalid_api_key", "insufficient_quota", "account_deactivated", "billing_hard_limit_reached":
            self = .account
        case "beta_api_shape_disabled", "missing_model", "invalid_model", "model_not_found":
            self = .configuration
        case "session_expired":
            self = .expired
        case "conversation_already_has_active_response":
            self = .activeResponse
        case "cannot_update_voice":
            self = .settings
        case "missing_required_parameter" where isAboutSession, "unknown_parameter" where isAboutSession,
            "invalid_value" where isAboutSession:
            self = .settings
        case "response_cancel_not_active", "item_truncate_invalid_item_id", "input_audio_buffer_commit_empty":
            self = .race
        case "invalid_value" where error.message.contains("already shorter"):
            self = .race
        case nil where error.message.contains("Only model output audio"):
            self = .race
        default:
            self = .other
        }
    }
}
