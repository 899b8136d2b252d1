import Testing

@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

struct LinkFailureTests {
    @Test(
        arguments: [
            (3000, "invalid_request_error.invalid_api_key", LinkFailure.Kind.permanent), (3000, "", .permanent),
            (3003, "", .permanent), (4000, "invalid_request_error.missing_model", .permanent),
            (4000, "invalid_request_error.beta_api_shape_disabled", .permanent), (4000, "", .permanent),
            (4000, "server_error.internal_error", .transient),
            (4000, "invalid_request_error.session_expired", .expired),
            (1001, "Your session hit the maximum duration of 60 minutes.", .expired), (1001, "going away", .transient),
            (1000, "", .transient), (1005, "", .transient), (1008, "", .transient),
            (1008, "invalid_request_error.insufficient_quota", .permanent), (1011, "", .transient),
            (1012, "", .transient),
            (1013, "", .transient), (1013, "requests.rate_limit_exceeded", .limited), (1015, "", .transient),
        ] as [(UInt16, String, LinkFailure.Kind)]
    )
    func everyCloseCodeHasAMeaning(code: UInt16, reason: String, kind: LinkFailure.Kind) {
        #expect(LinkFailure(.closed(code: code, reason: reason)).kind == kind)
    }

    @Test(arguments: [
        (WebSocketFailure.reset("x"), LinkFailure.Kind.transient),
        (.timedOut(.silence(.seconds(12))), .transient), (.badURL, .permanent), (.cannotResolve(host: "h"), .transient),
        (.cannotConnect("refused"), .transient), (.tls("the clock may be wrong"), .transient),
    ])
    func brokenConnectionIsTransient(failure: WebSocketFailure, kind: LinkFailure.Kind) {
        #expect(LinkFailure(.failed(failure)).kind == kind)
    }

    @Test(arguments: [
        (200, LinkFailure.Kind.permanent), (301, .permanent), (400, .permanent), (401, .permanent), (403, .permanent),
        (404, .permanent), (408, .transient), (409, .transient), (425, .transient), (429, .limited), (500, .transient),
        (502, .transient), (503, .transient), (504, .transient),
    ])
    func statusInsteadOfAHandshakeHasAKind(status: Int, kind: LinkFailure.Kind) {
        let refusal = WebSocketRefusal(status: status, reason: "", retryAfter: nil, body: "")
        #expect(LinkFailure(.refused(refusal)).kind == kind)
    }

    @Test(arguments: [
        WebSocketClosure.closed(code: 1011, reason: "400: Invalid model name passed in model=gpt-x. Call `/v1/models`"),
        .closed(code: 1008, reason: "model gpt-x not found"),
        .refused(WebSocketRefusal(status: 403, reason: "Forbidden", retryAfter: nil, body: "no access to model gpt-x")),
    ])
    func namesTheSettingIfTheModelIsRefused(closure: WebSocketClosure) {
        let failure = LinkFailure(closure, model: "gpt-x")
        #expect(failure.kind == .permanent)
        #expect(failure.reason.contains("realtime.model"))
    }

    @Test(arguments: [
        (
            400, #"{"error":{"message":"The model `gpt-x` has been deprecated.","code":"model_not_found"}}"#,
            "The model `gpt-x` has been deprecated."
        ),
        (
            404, #"{"error":{"code":"DeploymentNotFound","message":"The API deployment does not exist."}}"#,
            "does not exist"
        ),
        (400, #"{"detail":[{"msg":"model gpt-x is unknown here"}]}"#, "model gpt-x is unknown here"),
        (403, "no access to model gpt-x", "no access to model gpt-x"),
    ])
    func namesTheReasonInTheBodyOfARefusedHandshake(status: Int, body: String, reason: String) {
        let refusal = WebSocketRefusal(status: status, reason: "Bad Request", retryAfter: nil, body: body)
        let failure = LinkFailure(.refused(refusal), model: "gpt-x")
        #expect(failure.kind == .permanent)
        #expect(failure.reason.contains(reason) && failure.reason.contains("realtime.model"))
    }

    @Test func bareRefusalNamesTheSettingToCheck() {
        for body in ["", "Forbidden", "<html>Forbidden</html>"] {
            let refusal = WebSocketRefusal(status: 403, reason: "Forbidden", retryAfter: nil, body: body)
            let failure = LinkFailure(.refused(refusal), advice: "set realtime.model")
            #expect(
                failure.reason == "the server refused the WebSocket with HTTP status 403 Forbidden: set realtime.model"
            )
        }
        let refusal = WebSocketRefusal(status: 403, reason: "Forbidden", retryAfter: nil, body: "Country not supported")
        #expect(LinkFailure(.refused(refusal), advice: "x").reason.hasSuffix("403 Forbidden: Country not supported"))
    }

    @Test func keyInABodyIsNotInTheReason() {
        let body = #"{"error":{"message":"Incorrect API key provided: sk-proj-abc123."}}"#
        let refusal = WebSocketRefusal(status: 401, reason: "Unauthorized", retryAfter: nil, body: body)
        #expect(!LinkFailure(.refused(refusal)).reason.contains("abc123"))
    }

    @Test func pauseInTheTextOfARefusalIsKept() {
        let refusal = WebSocketRefusal(status: 429, reason: "", retryAfter: nil, body: "Please try again in 20s.")
        #expect(LinkFailure(.refused(refusal)).retryAfter == .seconds(20))
    }

    @Test func usedUpQuotaIsNotARateLimit() {
        let body = #"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota."}}"#
        let refusal = WebSocketRefusal(status: 429, reason: "", retryAfter: nil, body: body)
        #expect(LinkFailure(.refused(refusal)).kind == .permanent)
    }

    @Test func requestedPauseIsKept() {
        let refusal = WebSocketRefusal(status: 429, reason: "", retryAfter: 20, body: "")
        #expect(LinkFailure(.refused(refusal)).retryAfter == .seconds(20))
    }

    @Test(
        arguments: [
            (4003, "insufficient balance", .permanent, nil), (4001, "Unauthorized", .permanent, nil),
            (4401, "", .permanent, nil),
            (4429, "", .limited, nil), (1008, "policy violation: quota exceeded", .permanent, nil),
            (4029, "rate limit exceeded, retry in 7s", .limited, .seconds(7)),
            (1013, "try again in 5s", .transient, .seconds(5)),
            (1011, "internal error", .transient, nil),
        ] as [(UInt16, String, LinkFailure.Kind, Duration?)]
    )
    func readsTheMeaningOfAClosureInItsWords(code: UInt16, reason: String, kind: LinkFailure.Kind, pause: Duration?) {
        let failure = LinkFailure(.closed(code: code, reason: reason))
        #expect(failure.kind == kind && failure.retryAfter == pause)
    }

    @Test func refusalForWantOfCreditIsPermanent() {
        let refusal = WebSocketRefusal(
            status: 429,
            reason: "Too Many Requests",
            retryAfter: nil,
            body: #"{"error":{"message":"You exceeded your current quota, check your plan."}}"#
        )
        #expect(LinkFailure(.refused(refusal)).kind == .permanent)
    }

    /// The words of a refusal mean the same as those of an `error` event, and the status tells what passes.
    @Test(arguments: [
        (429, "Quota exceeded.", LinkFailure.Kind.limited), (429, "Daily quota exceeded; upgrade your plan", .limited),
        (500, #"{"error":{"message":"API key expired"}}"#, .permanent),
        (503, "Your prepaid balance is empty", .permanent),
        (503, "invalid token '}' in JSON at position 5", .transient),
        (503, "load balancer exhausted retries", .transient),
    ])
    func wordsOfARefusalDecideItsKind(status: Int, body: String, kind: LinkFailure.Kind) {
        let refusal = WebSocketRefusal(status: status, reason: "", retryAfter: nil, body: body)
        #expect(LinkFailure(.refused(refusal)).kind == kind)
    }
}
