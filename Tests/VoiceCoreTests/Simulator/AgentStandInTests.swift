import Testing
import VoiceSimulator

struct AgentStandInTests {
    private func post(
        _ path: String = "/ui/v1/chat/completions",
        token: String = "secret",
        session: String? = "voice-1",
        type: String = "application/json",
        body: String = #"{"messages":[{"role":"user","content":"what is on?"}],"stream":false}"#
    ) -> String {
        "POST \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nContent-Type: \(type)\r\n"
            + (session.map { "session_id: \($0)\r\n" } ?? "") + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func get(_ path: String, token: String? = nil) -> String {
        "GET \(path) HTTP/1.1\r\nHost: x\r\n" + (token.map { "Authorization: Bearer \($0)\r\n" } ?? "") + "\r\n"
    }

    private func agent(_ outcome: AgentBehaviour.Outcome = .reply("Two meetings.")) -> AgentStandIn {
        AgentStandIn(token: "secret") { _ in AgentBehaviour(outcome) }
    }

    @Test func answersAQuestionAndKeepsTheHistory() async throws {
        let agent = agent()
        let connection = try RawConnection(port: try await agent.start())
        for _ in 0..<2 {
            try connection.write(post())
            let reply = try #require(try connection.response())
            #expect(reply.status == 200)
            #expect(reply.headers["content-type"] == "application/json")
            #expect(reply.headers["x-session-id"] == nil)
            let choice = SimulatedJSON(text: reply.body)?["choices"]?.array?.first
            #expect(choice?["message"]?["content"] == "Two meetings.")
            #expect(choice?["finish_reason"] == "stop")
        }
        #expect(agent.history(session: "voice-1").map(\.role) == ["user", "assistant", "user", "assistant"])
        #expect(agent.requests.count == 2)
        #expect(agent.requests[0].query == "what is on?")
        #expect(agent.requests[0].header("SESSION_ID") == "voice-1")
        try connection.write(
            post(body: #"{"messages":[{"role":"system","content":"x"},{"role":"user","content":"y"}]}"#)
        )
        _ = try connection.response()
        #expect(agent.history(session: "voice-1").map(\.role) == ["system", "user", "assistant"])
        try connection.write(post(session: nil))
        #expect(try connection.response()?.headers["x-session-id"] != nil)
        await agent.stop()
    }

    @Test func mistakesGetTheDocumentedAnswers() async throws {
        let agent = agent()
        let connection = try RawConnection(port: try await agent.start())
        let cases: [(String, Int, String)] = [
            (post(token: "wrong"), 401, "invalid_api_key"),
            (post(type: "text/plain"), 415, "invalid_request_error"),
            (post(body: "{"), 400, "invalid_request_error"),
            (post(body: #"{"messages":[]}"#), 400, "invalid_request_error"),
            (post(body: #"{"messages":[{"role":"robot","content":"x"}]}"#), 400, "unsupported role"),
            (post("/v1/chat/completions"), 307, ""),
            (get("/ui/v1/chat/completions"), 405, "method not allowed"),
            (post("/ui/"), 405, "method not allowed"),
            (get("/ui/v1/nothing"), 200, "<!doctype html>"),
            (get("/ui/healthz"), 200, #"{"status":"ok"}"#),
            (get("/ui/healthz", token: "secret"), 200, "version"),
        ]
        for (request, status, part) in cases {
            try connection.write(request)
            let reply = try #require(try connection.response())
            #expect(reply.status == status)
            #expect(part.isEmpty || reply.body.contains(part))
        }
        await agent.stop()
    }

    @Test(arguments: [
        (AgentBehaviour.Outcome.busy, 409, "conflict_error"),
        (.status(400, type: "invalid_request_error", message: "upstream"), 400, "upstream"),
        (.plain(502, "bad gateway"), 502, "bad gateway"),
        (.html, 200, "<!doctype html>"),
        (.redirect("/ui/"), 307, ""),
        (.emptyReply, 200, #""content":"""#),
        (.notJSON, 200, "this is not"),
        (.replyAfterTools("Done."), 200, #""finish_reason":"tool_calls""#),
    ])
    func failuresLookAsDocumented(_ outcome: AgentBehaviour.Outcome, _ status: Int, _ part: String) async throws {
        let agent = agent(outcome)
        let connection = try RawConnection(port: try await agent.start())
        try connection.write(post())
        let reply = try #require(try connection.response())
        #expect(reply.status == status)
        #expect(part.isEmpty || reply.body.contains(part))
        await agent.stop()
    }

    @Test func truncatedAndHugeRepliesAreSent() async throws {
        let agent = agent(.cutMidBody)
        let port = try await agent.start()
        let cut = try RawConnection(port: port)
        try cut.write(post())
        let half = try #require(try cut.response())
        #expect(half.body.utf8.count < Int(half.headers["content-length"] ?? "") ?? 0)
        agent.setBehaviour { _ in .init(.cut) }
        let nothing = try RawConnection(port: port)
        try nothing.write(post())
        #expect(try nothing.response() == nil)
        agent.setBehaviour { _ in .init(.huge(3_000_000)) }
        let huge = try RawConnection(port: port)
        try huge.write(post())
        #expect(try huge.response().map { $0.body.utf8.count > 3_000_000 } == true)
        await agent.stop()
    }

    @Test func leavingClientIsNoticedAndItsTurnForgotten() async throws {
        let agent = agent(.silence)
        let port = try await agent.start()
        do {
            let leaving = try RawConnection(port: port)
            try leaving.write(post())
            while agent.requests.isEmpty { await Task.yield() }
        }
        while agent.requests[0].disconnectedEarly == false { await Task.yield() }
        #expect(agent.requests[0].answered == nil)
        agent.setBehaviour { _ in .init(.reply("Yes."), delayMilliseconds: 1) }
        let next = try RawConnection(port: port)
        try next.write(post())
        #expect(try next.response()?.status == 200)
        #expect(agent.history(session: "voice-1").map(\.role) == ["user", "assistant"])
        await agent.stop()
    }
}
