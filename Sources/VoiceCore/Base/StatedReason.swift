/// What servers say of why they refuse: the words and codes of voice services, of agents and of the models behind them, which
/// share one trade and its phrases.
///
/// A reason is a thing and what is wrong with it, in any order ("quota ... exhausted"), or a phrase or code that says both.
package enum StatedReason {
    /// The account is out of credit, or closed; no pause changes that.
    case credit
    /// Too many requests.
    case rate
    /// The key is wrong, or may not do this.
    case key
    /// The session has lasted as long as it may.
    case expired

    /// - Parameter text: in lower case; messages, codes and types, in one text.
    package func isIn(_ text: String) -> Bool {
        func says(_ words: [String]) -> Bool { words.contains { text.contains($0) } }
        switch self {
        case .credit:
            guard StatedPause.read(text) == nil, !says(Self.spans) else { return false }
            return says(Self.creditPhrases) || says(Self.accounts) && says(Self.spent)
        case .rate: return says(Self.ratePhrases)
        case .key: return says(Self.keyPhrases)
        case .expired: return says(Self.expiredPhrases)
        }
    }

    /// A quota of these comes back with time.
    private static let spans = [
        "per second", "per min", "per hour", "per day", "requests per", "tokens per", "rate limit", "rate_limit",
        "too many requests", "concurren",
    ]

    private static let creditPhrases = [
        "insufficient funds", "insufficient_credit", "insufficient credit", "insufficient balance",
        "insufficient_balance",
        "payment required", "payment_required", "spending limit", "key limit exceeded", "current quota",
        "billing details", "billing_error", "your billing", "billing account", "good standing", "recharge", "top up",
        "arrearage", "\u{4F59}\u{989D}\u{4E0D}\u{8DB3}",
    ]
    private static let accounts = [
        "quota", "credit", "balance", "budget", "subscription", " plan", "free tier", "trial", "usage limit",
        "monthly limit",
        "account", "organization", "allowance",
    ]
    private static let spent = [
        "exceeded", "exhausted", "run out", "ran out", "out of ", "used up", "used all", "too low", "no credits",
        "more credits",
        "all available", "suspended", "overdue", "unpaid", "has expired", "limit reached", "have reached",
        "has been disabled",
        "upgrade",
    ]
    private static let ratePhrases = [
        "rate limit", "rate_limit", "rate-limit", "ratelimit", "too many requests", "too_many_requests",
        "too many concurrent",
        "resource_exhausted", "resource exhausted", "overloaded", "requests per minute", "tokens per min",
        "current quota",
        "throttl", "capacity exceeded", "over capacity", "server is busy", "server_busy", "slow down", "queue is full",
    ]
    private static let keyPhrases = [
        "authentication_error", "authentication failed", "invalid api key", "invalid_api_key", "incorrect api key",
        "unauthorized", "unauthenticated", "permission_denied", "permission denied", "invalid token",
    ]
    private static let expiredPhrases = [
        "session has expired", "session expired", "session_expired", "session timed out", "session_timeout",
        "maximum duration",
    ]
}
