import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceNetwork

struct JarvisReplyTests {
    @Test func contentCountsWithAnyFinishReason() {
        let body = """
            {"id":"x","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant",\
            "content":"Two \\u003cb\\u003e meetings.","tool_calls":[{"id":"c"}]}}],"usage":{}}
            """
        #expect(content(200, "application/json; charset=utf-8", body) == .success("Two <b> meetings."))
    }

    @Test(
        arguments: [
            (200, "text/html; charset=utf-8", "<html>", .wrongBasePath(hint: "a web page answered")),
            (200, "text/plain", "hello", .badReply(detail: "content type text/plain")),
            (200, nil, "", .badReply(detail: "no content type")),
            (200, "application/json", "{", .badReply(detail: "not the JSON of a chat completion")),
            (200, "application/json", "[1]", .badReply(detail: "not the JSON of a chat completion")),
            (200, "application/json", "{}", .badReply(detail: "no choices")),
            (200, "application/json", "{\"choices\":[]}", .badReply(detail: "no choices")),
            (200, "application/json", "{\"choices\":[{\"message\":{\"content\":\" \\n\"}}]}", .emptyReply),
            (200, "application/json", "{\"choices\":[{\"message\":{\"content\":null}}]}", .emptyReply),
            (200, "application/json", "{\"error\":{\"message\":\"boo\"}}", .runFailed(detail: "boo")),
            (307, nil, "", .wrongBasePath(hint: "redirect to /ui/")),
            (
                400, "application/json", "{\"error\":{\"message\":\"sk-1 is wrong\",\"type\":\"x\"}}",
                .serverError(status: 400, detail: "sk-1 is wrong")
            ),
            (
                400, "application/json",
                "{\"error\":{\"message\":\"context canceled\",\"type\":\"invalid_request_error\"}}", .lost
            ),
            (401, "application/json", "{\"error\":{\"message\":\"no\",\"type\":\"invalid_api_key\"}}", .authentication),
            (404, "text/plain", "404 page not found", .wrongBasePath(hint: "status 404")),
            (405, "application/json", "{}", .wrongBasePath(hint: "status 405")),
            (408, "application/json", "{}", .serverLimit),
            (409, "application/json", "{\"error\":{\"message\":\"session is busy\"}}", .busy),
            (500, "text/plain", "oops", .serverError(status: 500, detail: "oops")),
            (502, "text/html", "nginx", .cutOff(detail: "status 502")),
            (520, "text/html", "cloudflare", .cutOff(detail: "status 520")),
            (521, "text/html", "cloudflare", .offline(detail: "status 521")),
            (503, "text/plain", "no available server", .offline(detail: "status 503")),
            (
                503, "text/plain", "upstream connect error or disconnect/reset before headers",
                .cutOff(detail: "status 503")
            ),
            (504, "text/html", "nginx", .serverLimit),
            (402, "application/json", "{\"error\":{\"message\":\"Payment Required\"}}", .noCredit),
            (413, "text/html", "nginx", .tooLong),
            (429, "application/json", "{}", .limited(pause: nil)),
        ] as [(Int, String?, String, JarvisFailure)]
    )
    func everyErrorOfTheServerIsRecognised(status: Int, type: String?, body: String, failure: JarvisFailure) {
        #expect(content(status, type, body) == .failure(failure))
    }

    @Test(
        arguments: [
            (.cannotConnect("refused"), .offline(detail: "no connection: refused")),
            (.cannotResolve(host: "x"), .offline(detail: HTTPFailure.cannotResolve(host: "x").description)),
            (.timedOut(.connecting), .offline(detail: "the connection took too long to open")),
            (.timedOut(.reply), .timedOut), (.replyTooLarge(limit: 1), .tooLarge), (.cancelled, .cancelled),
            (.reset("x"), .cutOff(detail: "the connection broke: x")),
            (
                .reset("alert certificate required"),
                .untrusted(detail: "the connection broke: alert certificate required")
            ),
            (.tls("expired"), .untrusted(detail: "TLS failed: expired")),
            (
                .exposed(host: "example.com", address: "192.0.2.7"),
                .insecure(host: "example.com", address: "192.0.2.7")
            ),
        ] as [(HTTPFailure, JarvisFailure)]
    )
    func failuresOfHTTPAreFailuresOfTheAgent(http: HTTPFailure, failure: JarvisFailure) {
        #expect(JarvisFailure(http) == failure)
        #expect(JarvisReply.content(of: .failure(failure)) == .failure(failure))
    }

    /// Without a clock no certificate is valid; the breaker does not open for that, as the next question may be answered.
    @Test func tlsFailureBeforeTheClockIsSetNamesTheClock() {
        let failure = JarvisFailure(.tls("not yet valid"), now: ClockInstant(wall: 60, uptime: .zero))
        #expect(failure == .noClock && !failure.isServerTrouble)
    }

    @Test func brokenHealthCheckMeansOffline() {
        #expect(JarvisHealth.read(.failure(.cutOff(detail: "reset"))) == .failure(.offline(detail: "reset")))
        #expect(JarvisHealth.read(.failure(.timedOut)) == .failure(.timedOut))
    }

    @Test func textOfTheProviderIsNeitherSpokenNorLogged() {
        let failure = JarvisFailure.serverError(status: 400, detail: "sk-1 is wrong")
        #expect(!failure.spokenSentence.contains("sk-1"))
        #expect(!failure.logLine.contains("sk-1"))
        #expect(failure.providerText == "sk-1 is wrong")
    }

    @Test func failureSentencesNameTheFailure() {
        #expect(JarvisFailure.timedOut.spokenSentence == "I wasn't able to reach Jarvis, the request timed out.")
        #expect(JarvisFailure.offline(detail: "x").spokenSentence == "Jarvis appears to be offline right now.")
        #expect(
            JarvisFailure.cutOff(detail: "x").spokenSentence
                == "Jarvis was cut off while working on that; it may have done part of it."
        )
        #expect(
            JarvisFailure.authentication.spokenSentence
                == "Authentication to Jarvis failed; the token may need updating."
        )
    }

    /// A completion in whatever form, whether it was asked for or not.
    @Test(
        arguments: [
            (
                "application/json",
                #"{"choices":[{"message":{"content":[{"type":"text","text":"It is "},{"type":"text","text":"ten."}]}}]}"#
            ),
            (
                "application/json",
                #"{"choices":[{"message":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},"#
                    + #"{"type":"text","text":"It is ten."}]}}]}"#
            ),
            // What a model declines with is its answer.
            ("application/json", #"{"choices":[{"message":{"content":null,"refusal":"It is ten."}}]}"#),
            ("application/json", #"{"choices":[{"message":{"content":[{"type":"refusal","refusal":"It is ten."}]}}]}"#),
            (
                "text/event-stream",
                "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n: ping\n\n"
                    + "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"Hm.\"}}]}\n\n"
                    + "data: {\"choices\":[{\"delta\":{\"content\":\"It is \"}}]}\n\n"
                    + "data: {\"choices\":[{\"delta\":{\"content\":\"ten.\"},\"finish_reason\":\"stop\"}]}\n\n"
                    + "data: {\"choices\":[],\"usage\":{}}\n\ndata: [DONE]\n\n"
            ),
            ("application/json", "data: {\"choices\":[{\"delta\":{\"content\":\"It is ten.\"}}]}"),
            ("text/plain", #"{"choices":[{"message":{"content":"It is ten."}}]}"#),
            ("application/octet-stream", #"{"choices":[{"message":{"content":"It is ten."}}]}"#),
            (nil, #"{"choices":[{"message":{"content":"It is ten."}}]}"#),
            (
                "application/x-ndjson",
                #"{"message":{"content":"It is "},"done":false}"# + "\n"
                    + #"{"message":{"content":"ten."},"done":true}"#
            ),
        ] as [(String?, String)]
    )
    func everyFormOfACompletionIsRead(type: String?, body: String) {
        #expect(content(200, type, body) == .success("It is ten."))
    }

    @Test(
        arguments: [
            (
                200, #"{"choices":[{"message":{"content":null,"reasoning_content":"Hm."},"finish_reason":"stop"}]}"#,
                .onlyThoughts(reachedLimit: false)
            ),
            (
                200, #"{"choices":[{"message":{"content":null,"reasoning":"Hm."},"finish_reason":"length"}]}"#,
                .onlyThoughts(reachedLimit: true)
            ),
            (
                200, #"{"choices":[{"message":{"content":"<think>Hm. So"},"finish_reason":"length"}]}"#,
                .onlyThoughts(reachedLimit: true)
            ),
            (
                200, #"{"choices":[{"message":{"content":""},"finish_reason":"length"}]}"#,
                .onlyThoughts(reachedLimit: true)
            ),
            (
                200,
                #"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"1"}]},"finish_reason":"tool_calls"}]}"#,
                .toolNotRun
            ),
            (200, #"{"error":"boo"}"#, .runFailed(detail: "boo")),
            (200, #"{"detail":[{"loc":["body"],"msg":"boo"}]}"#, .runFailed(detail: "boo")),
            (200, #"data: {"error":{"message":"boo"}}"#, .runFailed(detail: "boo")),
            (400, #"{"error":"boo"}"#, .serverError(status: 400, detail: "boo")),
            (422, #"{"detail":"boo"}"#, .serverError(status: 422, detail: "boo")),
            (422, #"{"detail":[{"loc":["body"],"msg":"boo"}]}"#, .serverError(status: 422, detail: "boo")),
            (500, #"{"object":"error","message":"boo"}"#, .serverError(status: 500, detail: "boo")),
            (
                404, #"{"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error"}}"#,
                .unknownModel
            ),
            (404, #"{"error":"model 'x' not found"}"#, .unknownModel),
            (404, #"{"object":"error","message":"The model `x` does not exist."}"#, .unknownModel),
            (404, #"{"error":{"message":"No.","code":"model_not_found"}}"#, .unknownModel),
            (404, #"{"detail":"Not Found"}"#, .wrongBasePath(hint: "status 404")),
            (
                403,
                #"{"error":{"message":"Project `p` does not have access to model `x`","code":"model_not_found"}}"#,
                .unknownModel
            ),
            (403, #"{"error":{"message":"Country not supported"}}"#, .authentication),
            (
                500, #"{"error":"the tool has not found the model railway"}"#,
                .serverError(status: 500, detail: "the tool has not found the model railway")
            ),
            (503, #"{"error":{"message":"Loading model","type":"unavailable_error"}}"#, .offline(detail: "status 503")),
            (
                200, #"{"choices":[{"message":{"content":"","tool_calls":[{"id":"1"}]},"finish_reason":"stop"}]}"#,
                .emptyReply
            ),
        ] as [(Int, String, JarvisFailure)]
    )
    func replyWithoutAnAnswerNamesTheFailure(status: Int, body: String, failure: JarvisFailure) {
        #expect(content(status, "application/json", body) == .failure(failure))
    }

    @Test func theTokenLimitIsNamed() {
        #expect(JarvisFailure.onlyThoughts(reachedLimit: true).spokenSentence.contains("token limit"))
        #expect(JarvisFailure.onlyThoughts(reachedLimit: true).logLine.contains("token limit"))
        #expect(!JarvisFailure.unknownModel.logLine.contains("jarvis.url"))
    }

    @Test func longWordsOfTheProviderAreShortened() {
        let text = String(repeating: "x", count: 5000)
        guard case .failure(let failure) = content(400, "application/json", "{\"error\":{\"message\":\"\(text)\"}}")
        else {
            Issue.record("no failure")
            return
        }
        #expect((failure.providerText ?? "").count <= 203)
    }

    @Test func bytesAtRandomDoNoHarm() {
        var random = SeededGenerator(seed: 3)
        let valid = Array("{\"choices\":[{\"message\":{\"content\":\"Two \\u00e9 meetings.\"}}]}".utf8)
        for _ in 0..<2000 {
            var bytes = valid
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let response = HTTPResponse(status: 200, contentType: "application/json", body: bytes)
            _ = JarvisReply.content(of: .success(response))
        }
    }

    private func content(_ status: Int, _ type: String?, _ body: String) -> Result<String, JarvisFailure> {
        let location = status == 307 ? "/ui/?token=x" : nil
        return JarvisReply.content(
            of: .success(
                HTTPResponse(status: status, contentType: type, location: location, body: Array(body.utf8))
            )
        )
    }
}
