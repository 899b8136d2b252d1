import Testing

@testable import VoiceBase

/// Refusals in the words of many servers.
struct StatedReasonTests {
    @Test(arguments: [
        "Your account has exhausted its quota for this month", "You have run out of credits.",
        "Your subscription has expired.",
        "Account suspended due to unpaid invoice", "You have used up your free tier. Please upgrade your plan.",
        "Arrearage: Access denied, please make sure your account is in good standing.", "Monthly limit reached",
        "You have reached your specified API usage limits.", "Budget has been exceeded! Current cost: 10.2",
        "Insufficient Balance", "Your credit balance is too low", "This organization has been disabled.",
        "Your account is not active, please check your billing details",
    ])
    func usedUpAccountIsRecognised(text: String) {
        #expect(StatedReason.credit.isIn(text.lowercased()))
    }

    @Test(arguments: [
        "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'", "Rate limit reached",
        "Too Many Requests",
        "You exceeded your current quota. Please retry in 34s.", "The tool schema of `billing_report` is invalid",
        "failed to reach the billing service", "Your account has no such model", "the session has expired",
    ])
    func otherTextsAreNotAUsedUpAccount(text: String) {
        #expect(!StatedReason.credit.isIn(text.lowercased()))
    }

    @Test(arguments: [
        "Too many concurrent requests", "ThrottlingException: slow down",
        "Service tier capacity exceeded for this model.",
        "Server is busy, please try again", "RESOURCE_EXHAUSTED", "Rate-limited; retry after 3 s",
        "The model is overloaded",
    ])
    func rateLimitIsRecognised(text: String) {
        #expect(StatedReason.rate.isIn(text.lowercased()))
    }

    @Test(arguments: [
        "Your prepaid balance is empty", "Not enough credits", "You have reached your spending cap",
        "Your free trial expired",
        "Subscription expired", "Your card was declined.", "not enough funds", "Your balance is negative",
        "You exceeded your current quota, please check your plan and billing details.", "Wallet balance depleted",
        "429 insufficient_quota", "429: You exceeded your current quota, please check your plan",
        #"{"error":{"message":"Out of credits","type":"x"}}"#, "policy violation: quota exceeded",
    ])
    func accountWithoutCreditIsNamed(text: String) { #expect(StatedReason(text) == .credit) }

    /// These come back with time.
    @Test(arguments: [
        "429\nQuota exceeded.", "Resource has been exhausted (e.g. check quota).",
        "Quota exceeded for x.example/generate_content_requests_per_minute_per_project with base model: y",
        "you've reached your hourly usage limit, please upgrade", "Daily quota exceeded; upgrade your plan",
        "exceeded the number of parallel sessions", "too many open sessions (limit exceeded)",
        "Weekly allowance used up",
        "Simultaneous connections limit reached", "This model is currently experiencing high demand",
        "We are at capacity",
        "Too many connections", "Service busy", "Too many tokens, please wait before trying again.",
    ])
    func limitThatPassesIsARate(text: String) { #expect(StatedReason(text) == .rate) }

    @Test(arguments: [
        "API key not valid. Please pass a valid API key.", "API key expired", "key revoked", "No API key provided",
        "You didn't provide an API key.", "Invalid authentication credentials", "invalid x-api-key", "Forbidden",
        "403 Forbidden", "PERMISSION_DENIED", "Invalid token", "Your access token has expired",
        "Permission denied: no access to this project",
    ])
    func refusedKeyIsNamed(text: String) { #expect(StatedReason(text) == .key) }

    @Test(arguments: [
        "Your session has expired. Please sign in to your account again.", "Session lifetime exceeded",
        "Max session length reached", "SESSION_TIMEOUT", "The connection hit its maximum lifetime",
    ])
    func endOfASessionIsNamed(text: String) { #expect(StatedReason(text) == .expired) }

    /// Parts of words, words of different sentences, and names of tools are not what a service says of the account.
    @Test(arguments: [
        "load balancer exhausted retries", "tool 'bank_account' exceeded its time limit",
        "The plan exceeded the context window",
        "trial servers are out of memory", "Thinking budget exceeded: 2048 tokens",
        "credit_card: the field exceeded 20 characters", "The planner ran out of ideas for your account page",
        "invalid token '}' in JSON at position 5", "tool send_mail: permission denied by the user",
        "Permission denied by the user", "Forbidden characters in the tool name", "max tokens is invalid",
        "The line is busy", "connection timed out",
        "Too many tool calls", "session_limit_reached: All 1 session slots are in use.", "The session is new",
    ])
    func textAboutSomethingElseNamesNoReason(text: String) { #expect(StatedReason(text) == nil) }

    @Test func keyAndEndOfASessionAreRecognised() {
        #expect(StatedReason.key.isIn("authentication_error: bad key") && StatedReason.key.isIn("unauthorized"))
        #expect(!StatedReason.key.isIn("the key of the object is missing"))
        #expect(StatedReason.expired.isIn("your session hit the maximum duration of 60 minutes."))
        #expect(!StatedReason.expired.isIn("the session is new"))
    }
}
