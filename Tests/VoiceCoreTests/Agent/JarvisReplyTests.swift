import Testing

@testable import VoiceAgent
@testable import VoiceConversation
@testable import VoiceNetwork

struct JarvisReplyTests {
    @Test func theContentIsTakenWhateverTheFinishReason() {
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
            (500, "text/plain", "oops", .serverError(status: 500, detail: "")),
            (502, "text/html", "nginx", .offline(detail: "status 502")),
        ] as [(Int, String?, String, JarvisFailure)]
    )
    func everyFailureIsKnown(status: Int, type: String?, body: String, failure: JarvisFailure) {
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
        #expect(CurlJarvisTransport.failure(http) == failure)
        #expect(JarvisReply.content(of: .failure(failure)) == .failure(failure))
    }

    @Test func aConnectionThatBreaksUnderALookCutsNothingOff() {
        #expect(JarvisHealth.read(.failure(.cutOff(detail: "reset"))) == .failure(.offline(detail: "reset")))
        #expect(JarvisHealth.read(.failure(.timedOut)) == .failure(.timedOut))
    }

    @Test func whatTheProviderWroteIsNeitherSpokenNorInTheLine() {
        let failure = JarvisFailure.serverError(status: 400, detail: "sk-1 is wrong")
        #expect(!failure.spokenSentence.contains("sk-1"))
        #expect(!failure.logLine.contains("sk-1"))
        #expect(failure.providerText == "sk-1 is wrong")
    }

    @Test func theUserHearsWhatHappened() {
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
