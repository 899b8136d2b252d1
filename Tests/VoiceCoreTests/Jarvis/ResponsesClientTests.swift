import Testing

@testable import VoiceCore

/// The client on `/v1/responses`, against servers that stop, stall, forget and ask back.
struct ResponsesClientTests {
    private static let post = "POST /v1/responses"
    private static let events = "GET /v1/responses/resp_1/events"

    @Test func anAnswerComesInPiecesAndIsContinued() async throws {
        let transport = ScriptedJarvisTransport { _, number in
            .stream([
                Self.created, Self.delta("Two "), Self.delta("meetings.", 3), Self.completed(4, "resp_msg_\(number)"),
            ])
        }
        let client = try client(transport)
        #expect(await client.ask("a").spoken == "Two meetings.")
        #expect(await client.ask("b").spoken == "Two meetings.")
        let bodies = transport.requests(Self.post).map(\.text)
        #expect(bodies[0] == #"{"input":"a","stream":true}"#)
        #expect(bodies[1] == #"{"input":"b","previous_response_id":"resp_msg_0","stream":true}"#)
        let keys = transport.requests.compactMap { $0.header("Idempotency-Key") }
        #expect(Set(keys).count == 2)
        #expect(transport.requests.allSatisfy { $0.header("session_id") == "voice-1" })
        await client.startFresh()
        _ = await client.ask("c")
        #expect(transport.requests.last?.text == #"{"input":"c","stream":true}"#)
    }

    @Test(arguments: [ScriptedJarvisTransport.Reply.End.complete, .broken])
    func aLostConnectionIsMadeAnew(end: ScriptedJarvisTransport.Reply.End) async throws {
        let transport = ScriptedJarvisTransport { request, number in
            if request.method == "POST" { return .stream([Self.created, Self.delta("Two ")], end) }
            return number == 0
                ? .whole(.failed(.couldNotConnect("refused")))
                : .stream([Self.delta("Two "), Self.delta("meetings.", 3), Self.completed(4)])
        }
        #expect(await (try client(transport)).ask("a").spoken == "Two meetings.")
        #expect(transport.routes == [Self.post, Self.events, Self.events])
        #expect(transport.requests.last?.url.hasSuffix("?after=2") == true)
    }

    @Test func aStreamWithoutASignOfLifeIsJoinedAnew() async throws {
        let time = TestTime()
        let transport = ScriptedJarvisTransport { request, _ in
            request.method == "POST"
                ? .stream([Self.created, ": ping\n\n"], .silent)
                : .stream([Self.delta("Yes."), Self.completed(3)])
        }
        let client = try client(transport, time: time)
        let answer = Task { await client.ask("a") }
        // Not the patience with a step that did come.
        while transport.silentStreams == 0 { await Task.yield() }
        await time.pass(.seconds(30))
        #expect(await answer.value.spoken == "Yes.")
    }

    @Test func aRunThatNeverEndsIsGivenUpAndCancelled() async throws {
        let time = TestTime()
        let transport = ScriptedJarvisTransport { request, _ in
            request.route.hasSuffix("/cancel") ? .whole(.json("{}")) : .stream([Self.created, ": ping\n\n"], .broken)
        }
        let client = try client(transport, time: time)
        let answer = Task { await client.ask("a") }
        while transport.requests.count < 10 { await Task.yield() }
        await time.pass(.seconds(120))
        #expect(await answer.value.failure == .timedOut)
        while transport.requests("POST /v1/responses/resp_1/cancel").isEmpty { await Task.yield() }
        #expect(transport.requests(Self.post).count == 1, "the run is joined again, not begun again")
    }

    @Test func aRepeatedQuestionJoinsTheRunThatItBegan() async throws {
        let transport = ScriptedJarvisTransport { _, number in
            number == 0
                ? .whole(.failed(.connectionLost("reset")))
                : .stream([Self.created, Self.delta("Yes."), Self.completed(3)])
        }
        #expect(await (try client(transport)).ask("a").spoken == "Yes.")
        let keys = transport.requests(Self.post).map { $0.header("Idempotency-Key") }
        #expect(keys.count == 2)
        #expect(Set(keys).count == 1)
    }

    @Test func aServerThatWasRestartedIsAskedAgainOnlyWhenNothingWasDone() async throws {
        for usedTools in [false, true] {
            let tool = usedTools ? [Self.event("response.tool_exec.start", 2, #""tool_name":"shell""#)] : []
            let transport = ScriptedJarvisTransport { request, number in
                switch request.route {
                case Self.post where number == 0: .stream([Self.created] + tool)
                case Self.post: .stream([Self.created, Self.delta("Yes."), Self.completed(3)])
                default: .whole(.status(404))
                }
            }
            let answer = await (try client(transport)).ask("a")
            #expect(answer.failure == (usedTools ? .lost : nil))
            #expect(transport.requests(Self.post).count == (usedTools ? 1 : 2))
        }
    }

    @Test func eventsThatAreNoLongerKeptAreReplacedByTheSnapshot() async throws {
        let snapshot = """
            {"status":"completed","continuation_response_id":"resp_msg_3",\
            "recovery":{"messages":[{"role":"assistant","content":"Two meetings."}]}}
            """
        let transport = ScriptedJarvisTransport { request, number in
            switch request.route {
            case Self.post: number == 0 ? .stream([Self.created]) : .stream([Self.delta("B."), Self.completed(3)])
            case Self.events: .whole(.json(#"{"snapshot_required":true}"#, status: 409))
            default: .whole(.json(snapshot))
            }
        }
        let client = try client(transport)
        #expect(await client.ask("a").spoken == "Two meetings.")
        _ = await client.ask("b")
        #expect(transport.requests.last?.text.contains("resp_msg_3") == true)
    }

    @Test func aBusySessionIsWaitedFor() async throws {
        let transport = ScriptedJarvisTransport { request, number in
            switch request.route {
            case Self.post where number == 0:
                .stream([Self.created, Self.event("response.failed", 2, #""error":{"type":"conflict_error"}"#)])
            case Self.post: .stream([Self.created, Self.delta("Yes."), Self.completed(3)])
            default: .whole(.json("{\"active_run\":\(number < 2),\"lastResponseId\":\"resp_msg_8\"}"))
            }
        }
        #expect(await (try client(transport)).ask("a").spoken == "Yes.")
        #expect(transport.requests.last?.text.contains("resp_msg_8") == true)
        #expect(transport.requests("GET /v1/sessions/voice-1/state").count == 3)
    }

    @Test func aStaleThreadIsPickedUpWhereTheServerHasIt() async throws {
        let stale = #"previous_response_id \"resp_msg_1\" is stale; latest is \"resp_msg_8\""#
        let transport = ScriptedJarvisTransport { request, number in
            switch request.route {
            case Self.post where number == 1: .whole(.error(409, "conflict_error", stale))
            case Self.post: .stream([Self.created, Self.delta("Yes."), Self.completed(3, "resp_msg_1")])
            default: .whole(.json(#"{"active_run":false,"lastResponseId":"resp_msg_8"}"#))
            }
        }
        let client = try client(transport)
        _ = await client.ask("a")
        #expect(await client.ask("b").spoken == "Yes.")
        #expect(transport.requests.last?.text.contains("resp_msg_8") == true)
    }

    @Test func aQuestionTakenBackIsCancelledOnTheServer() async throws {
        let transport = ScriptedJarvisTransport { request, _ in
            request.route == Self.post ? .stream([Self.created, Self.delta("Tw")], .silent) : .whole(.json("{}"))
        }
        let client = try client(transport)
        let answer = Task { await client.ask("a") }
        while transport.requests.isEmpty { await Task.yield() }
        // The run's id is in the head of the reply, so it is known as soon as anything is.
        for _ in 0..<100 { await Task.yield() }
        #expect(await client.cancelRequest())
        #expect(await answer.value.failure == .cancelled)
        while transport.requests("POST /v1/responses/resp_1/cancel").isEmpty { await Task.yield() }
    }

    @Test(
        arguments: [
            (.status(401), .authentication), (.status(404), .wrongBasePath(hint: "status 404")),
            (.status(415), .serverError(status: 415, detail: "")), (.status(503), .offline(detail: "status 503")),
            (.content("Yes."), .badReply(detail: "no event stream")),
            (.failed(.couldNotConnect("refused")), .offline(detail: "refused")),
            (.failed(.untrusted("self-signed")), .untrusted(detail: "self-signed")),
            (
                .response(JarvisHTTPResponse(status: 200, contentType: "text/html; charset=utf-8")),
                .wrongBasePath(hint: "a web page answered")
            ),
            (
                .response(JarvisHTTPResponse(status: 307, contentType: nil, location: "/ui/?token=x")),
                .wrongBasePath(hint: "redirect to /ui/")
            ),
        ] as [(JarvisHTTPResult, JarvisFailure)]
    )
    func whatIsNoStreamIsNamed(result: JarvisHTTPResult, failure: JarvisFailure) async throws {
        let transport = ScriptedJarvisTransport { _, _ in .whole(result) }
        #expect(await (try client(transport)).ask("a").failure == failure)
        #expect(transport.requests.count == 1)
    }

    private static let created = event("response.created", 1, #""response":{"id":"resp_1"}"#)

    private static func delta(_ text: String, _ number: Int = 2) -> String {
        event("response.output_text.delta", number, "\"delta\":\"\(text)\"")
    }

    private static func completed(_ number: Int, _ id: String = "resp_msg_1") -> String {
        event("response.completed", number, "\"response\":{\"id\":\"\(id)\"}") + "data: [DONE]\n\n"
    }

    private static func event(_ name: String, _ number: Int, _ fields: String) -> String {
        "id: \(number)\nevent: \(name)\ndata: {\"sequence_number\":\(number),\(fields)}\n\n"
    }

    private func client(_ transport: ScriptedJarvisTransport, time: TestTime = TestTime()) throws -> JarvisClient {
        var settings = Configuration().jarvis
        settings.api = .responses
        return JarvisClient(
            base: try #require(ServerURL("http://127.0.0.1:8080/ui")),
            token: Secret("topsecret"),
            settings: settings,
            transport: transport,
            surroundings: time.surroundings(),
            logger: LineLog().logger
        )
    }
}
