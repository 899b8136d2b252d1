import Testing

@testable import VoiceCore

struct LinkFailureTests {
    @Test(arguments: [
        (
            WebSocketClosure.closed(code: 3000, reason: "invalid_request_error.invalid_api_key"),
            LinkFailure.Kind.permanent
        ),
        (.closed(code: 4000, reason: "invalid_request_error.missing_model"), .permanent),
        (.closed(code: 1001, reason: "Your session hit the maximum duration of 60 minutes."), .expired),
        (.closed(code: 1001, reason: "going away"), .transient), (.closed(code: 1011, reason: ""), .transient),
        (.failed(.reset("x")), .transient), (.failed(.timedOut(.silence(.seconds(12)))), .transient),
        (.failed(.badURL), .permanent),
        (.failed(.cannotResolve(host: "h")), .transient),
    ])
    func everyEndMeansSomething(closure: WebSocketClosure, kind: LinkFailure.Kind) {
        #expect(LinkFailure(closure).kind == kind)
    }

    @Test(arguments: [(401, LinkFailure.Kind.permanent), (404, .permanent), (429, .transient), (503, .transient)])
    func aStatusInPlaceOfTheHandshake(status: Int, kind: LinkFailure.Kind) {
        let refusal = WebSocketRefusal(status: status, reason: "", retryAfter: nil, body: "")
        #expect(LinkFailure(.refused(refusal)).kind == kind)
    }
}
