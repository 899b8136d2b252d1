import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceNetwork

/// What servers and providers say instead of an answer.
struct ServerErrorTests {
    private func failure(_ status: Int, _ message: String, code: String? = nil, type: String? = nil) -> JarvisFailure {
        var error: [String: JSONValue] = ["message": .string(message)]
        error["code"] = code.map(JSONValue.string)
        error["type"] = type.map(JSONValue.string)
        let body = Array(JSONValue.object(["error": .object(error)]).encoded.utf8)
        return JarvisReply.failure(of: HTTPResponse(status: status, contentType: "application/json", body: body))
    }

    @Test(arguments: [
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens. Please reduce the "
            + "length of the messages.",
        "This endpoint's maximum context length is 16384 tokens. However, you requested about 94307 tokens (94307 of text input).",
        "the request exceeds the available context size, try increasing it",
        "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
        "Context size has been exceeded.",
        "Requested tokens (2285) exceed context window of 2048",
        "Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of "
            + "only 4096 tokens, which is not enough.",
        "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)",
        "The decoder prompt (length 17772) is longer than the maximum model length of 16384.",
        "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000",
        "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
        "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`",
        "too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs",
        "Input is too long for requested model.", "prompt too long; exceeded max context length by 12 tokens",
        "the input length exceeds the context length", "Range of input length should be [1, 30720]",
        "Your request exceeded model token limit: 8192", "Your input exceeds the context window of this model.",
        "Input validation error: `inputs` must have less than 1024 tokens. Given: 2050",
        "The total number of tokens in the request exceeds the limit (8192).", "max_total_tokens (8193) exceeded",
        "error in rag: Conversation history too long", "The request body is too large: 12 MB",
        "litellm.ContextWindowExceededError: litellm.BadRequestError: stop",
        "OpenAI API error (status 400): This model's maximum context length is 4097 tokens. However, you requested 4120 tokens "
            + "(3120 in the messages, 1000 in the completion).",
    ])
    func recognisesAnOverlongConversation(message: String) {
        for status in [400, 413, 422, 500] { #expect(failure(status, message) == .tooLong) }
    }

    @Test(arguments: [
        (400, "context_length_exceeded"), (400, "exceed_context_size_error"), (413, "tokens_limit_reached"),
        (400, "string_above_max_length"), (413, "request_too_large"),
    ])
    func recognisesTheCodesOfLength(status: Int, code: String) {
        #expect(failure(status, "No.", code: code) == .tooLong)
        #expect(failure(status, "No.", type: code) == .tooLong)
    }

    @Test func recognisesARequestAboveTheLimitPerMinute() {
        let text =
            "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 31538."
        #expect(failure(429, text, code: "rate_limit_exceeded") == .tooLong)
    }

    @Test(arguments: [
        (400, "Invalid input: temperature must not be greater than 2."), (500, "context deadline exceeded"),
        (400, "max_tokens is too large: 100000. This model supports at most 16384 completion tokens."),
        (400, "messages: at least one message is required"),
        (500, "the prompt file exceeded its time limit: timed out"),
        (400, "The tool schema of `billing_report` is invalid"), (500, "failed to reach the billing service"),
        (500, "load balancer exhausted retries"), (500, "tool 'bank_account' exceeded its time limit"),
        (500, "trial servers are out of memory"),
    ])
    func otherErrorsAreLeftUnchanged(status: Int, message: String) {
        #expect(failure(status, message) == .serverError(status: status, detail: message))
    }

    @Test(
        arguments: [
            (429, "You exceeded your current quota, please check your plan and billing details.", "insufficient_quota"),
            (402, "This request requires more credits, or fewer max_tokens.", nil),
            (400, "Your credit balance is too low to access the Anthropic API.", nil),
            (402, "Insufficient Balance", nil),
            (403, "Your team has either used all available credits or reached its monthly spending limit.", nil),
            (
                429, "Your account is not active, please check your billing details on our website.",
                "billing_not_active"
            ),
            (400, "provider error (status 429): You exceeded your current quota, please check your plan", nil),
        ] as [(Int, String, String?)]
    )
    func namesAnAccountWithoutCredit(status: Int, message: String, code: String?) {
        let failure = failure(status, message, code: code)
        #expect(failure == .noCredit)
        #expect(failure.spokenSentence == "Jarvis cannot answer: the account of its model has no credit left.")
        #expect(failure.logLine.contains("top it up"))
    }

    @Test(
        arguments: [
            (429, "Rate limit reached for gpt-4o. Please try again in 18.642s.", Duration.milliseconds(18_642)),
            (400, "provider error (status 429): Rate limit reached, please try again in 20s.", .seconds(20)),
            (429, "You exceeded your current quota. Please retry in 34s.", .seconds(34)), (529, "Overloaded", nil),
            (429, "Too Many Requests", nil), (400, "Too many concurrent requests", nil),
            (429, "Request was throttled. Expected available in 12 seconds.", .seconds(12)),
            (503, "Server is busy, please try again in a moment", nil),
        ] as [(Int, String, Duration?)]
    )
    func namesARateLimitWithItsPause(status: Int, message: String, pause: Duration?) {
        #expect(failure(status, message) == .limited(pause: pause))
    }

    /// The status tells a quota of requests from one of money.
    @Test(arguments: [
        (429, "Resource has been exhausted (e.g. check quota)."), (429, "Quota exceeded."),
        (400, "Too many tokens, please wait before trying again."), (503, "This model is at capacity."),
        (403, "You have reached your hourly usage limit, please upgrade"), (500, "too many open sessions"),
    ])
    func limitThatPassesIsNotCalledMissingCredit(status: Int, message: String) {
        #expect(failure(status, message) == .limited(pause: nil))
    }

    @Test func numericCodeInAReplyThatHadBegunIsItsStatus() throws {
        let body: JSONValue = ["error": ["code": 429, "message": "Quota exceeded."]]
        #expect(JarvisFailure(try #require(ServerError(body))) == .limited(pause: nil))
        let paid: JSONValue = ["error": ["code": 402, "message": "Not enough credits."]]
        #expect(JarvisFailure(try #require(ServerError(paid))) == .noCredit)
    }

    @Test(arguments: [
        (404, "No endpoints found for foo/bar:free."), (404, "No model matches the given name"),
        (400, "The model foo was shut down on 2026-01-01"), (404, "Model foo has reached its end of life"),
        (404, "The model foo was discontinued"), (400, "Model foo is no longer served"),
        (404, "could not find model foo"),
    ])
    func namesAMissingModel(status: Int, message: String) {
        #expect(failure(status, message) == .unknownModel)
    }

    @Test(
        arguments: [
            (#"{"error":{"type":"rate_limit_error","message":"x","retry_after":7}}"#, .seconds(7)),
            (#"{"retry_after_ms":700,"message":"slow"}"#, .milliseconds(700)),
            (#"{"error":{"message":"x","details":[{"retryDelay":"8s"}]}}"#, .seconds(8)),
        ] as [(String, Duration)]
    )
    func readsAPauseInAnyFieldOfTheBody(body: String, pause: Duration) {
        let response = HTTPResponse(status: 429, contentType: "application/json", body: Array(body.utf8))
        #expect(JarvisReply.failure(of: response) == .limited(pause: pause))
    }

    @Test func readsTheErrorOfTheProviderBehindAProxy() {
        let raw = #"{\"error\":{\"message\":\"This model's maximum context length is 8192 tokens\"}}"#
        let body = #"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"\#(raw)"}}}"#
        let response = HTTPResponse(status: 400, contentType: "application/json", body: Array(body.utf8))
        #expect(JarvisReply.failure(of: response) == .tooLong)
        let google = #"[{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}]"#
        let list = HTTPResponse(status: 429, contentType: "application/json", body: Array(google.utf8))
        #expect(JarvisReply.failure(of: list) == .limited(pause: nil))
    }

    @Test func thePauseOfTheHeaderCounts() {
        let response = HTTPResponse(status: 429, headers: [("Retry-After", "40")])
        #expect(JarvisReply.failure(of: response) == .limited(pause: .seconds(40)))
        #expect(JarvisFailure.limited(pause: .seconds(40)).spokenSentence.hasSuffix("Please ask again in 40 seconds."))
        #expect(JarvisFailure.limited(pause: .seconds(900)).spokenSentence.hasSuffix("in about 15 minutes."))
    }

    /// Whatever may have been carried out is not reported as not reachable, and the user is not told to ask again.
    @Test(arguments: [502, 504, 408, 500, 520, 524])
    func failureAfterToolsDoesNotSuggestARepeat(status: Int) {
        let failure = JarvisReply.failure(of: HTTPResponse(status: status))
        #expect(!failure.spokenSentence.contains("again") && !failure.spokenSentence.contains("offline"))
        #expect(!JarvisFailure.lost.spokenSentence.contains("again"))
    }

    @Test(arguments: [
        ("http://h:8080/ui", Configuration.Jarvis.API.chat, false), ("http://h:8080/agent/ui", .responses, false),
        ("http://h:8080", .chat, true), ("http://h:8080/v1", .openai, false),
    ])
    func advisesTheBasePathOnlyWhereItIsMissing(url: String, api: Configuration.Jarvis.API, isMissing: Bool) {
        var settings = Configuration().jarvis
        settings.url = url
        settings.api = api
        #expect(settings.addressAdvice.contains("must end with") == isMissing)
    }
}
