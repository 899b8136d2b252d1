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

    @Test func keyAndEndOfASessionAreRecognised() {
        #expect(StatedReason.key.isIn("authentication_error: bad key") && StatedReason.key.isIn("unauthorized"))
        #expect(!StatedReason.key.isIn("the key of the object is missing"))
        #expect(StatedReason.expired.isIn("your session hit the maximum duration of 60 minutes."))
        #expect(!StatedReason.expired.isIn("the session is new"))
    }
}
