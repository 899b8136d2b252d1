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
