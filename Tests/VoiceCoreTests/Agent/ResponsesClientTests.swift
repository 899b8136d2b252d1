import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceNetwork

/// The client on `/v1/responses`, against servers that stop, stall, forget and ask the user.
struct ResponsesClientTests {
    private static let post = "POST /v1/responses"
    private static let state = "GET /v1/sessions/voice-1/state"
    private static let messages = "GET /v1/sessions/voice-1/messages"
    private static let answered = JarvisResponse.success(
        HTTPResponse(
            status: 200, contentType: "text/event-stream", body: Array((created + delta("Yes.") + completed(3)).utf8)
        )
    )
    private static let events = "GET /v1/responses/resp_1/events"

    @Test func streamedAnswerContinuesTheThread() async throws {
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
    func lostConnectionIsRejoined(end: ScriptedJarvisTransport.Reply.End) async throws {
        let transport = ScriptedJarvisTransport { request, number in
            if request.method == "POST" { return .stream([Self.created, Self.delta("Two ")], end) }
            return number == 0
                ? .whole(.failure(.offline(detail: "refused")))
                : .stream([Self.delta("Two "), Self.delta("meetings.", 3), Self.completed(4)])
        }
        #expect(await (try client(transport)).ask("a").spoken == "Two meetings.")
        #expect(transport.routes == [Self.post, Self.events, Self.events])
        #expect(transport.requests.last?.url.hasSuffix("?after=2") == true)
    }

    @Test func silentStreamIsRejoined() async throws {
        let time = TestTime()
        let transport = ScriptedJarvisTransport { request, _ in
            request.method == "POST"
                ? .stream([Self.created, ": ping\n\n"], .silent)
                : .stream([Self.delta("Yes."), Self.completed(3)])
        }
        let client = try client(transport, time: time)
        let answer = Task { await client.ask("a") }
        // Not the time limit of a step that did arrive.
        while transport.silentStreams == 0 { await Task.yield() }
        await time.pass(.seconds(30))
        #expect(await answer.value.spoken == "Yes.")
    }

    @Test func endlessRunIsCancelled() async throws {
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

    @Test func overlongAnswerIsReported() async throws {
        let long = "data: " + String(repeating: "x", count: 17 << 20)
        let transport = ScriptedJarvisTransport { request, _ in
            request.route.hasSuffix("/cancel") ? .whole(.json("{}")) : .stream([Self.created, long])
        }
        #expect(await (try client(transport)).ask("a").failure == .tooLarge)
    }

    @Test func repeatedQuestionJoinsItsRun() async throws {
        let transport = ScriptedJarvisTransport { request, number in
            switch request.route {
            case Self.post where number == 0: .whole(.failure(.cutOff(detail: "reset")))
            case Self.post: .stream([Self.created, Self.delta("Yes."), Self.completed(3)])
            case Self.messages: .whole(.json(#"{"messages":[]}"#))
            default: .whole(.json(#"{"active_run":false}"#))
            }
        }
        #expect(await (try client(transport)).ask("a").spoken == "Yes.")
        let keys = transport.requests(Self.post).map { $0.header("Idempotency-Key") }
        #expect(keys.count == 2)
        #expect(Set(keys).count == 1)
    }

    /// A server with hidden tools shows nothing in the stream: its stored messages decide.
    @Test(
        arguments: [
            ([], #"{"type":"text","text":"Hm."}"#, false), ([], #"{"type":"tool_call"}"#, true), ([], nil, true),
            (["response.tool_exec.start"], #"{"type":"text","text":"Hm."}"#, true),
            (["response.output_text.new_segment"], #"{"type":"text","text":"Hm."}"#, true),
            (["response.heartbeat"], #"{"type":"text","text":"Hm."}"#, true),
            (["response.approval.prompt"], #"{"type":"text","text":"Hm."}"#, true),
        ] as [([String], String?, Bool)]
    )
    func restartedServerIsAskedAgainOnlyIfNoToolRan(
        events: [String],
        part: String?,
        isLost: Bool
    ) async throws {
        let transport = ScriptedJarvisTransport { request, number in
            switch request.route {
            case Self.post where number == 0: .stream([Self.created] + events.map { Self.event($0, 2, #""x":1"#) })
            case Self.post: .stream([Self.created, Self.delta("Yes."), Self.completed(3)])
            case Self.messages:
                .whole(
                    part.map {
                        let user = #"{"role":"user","parts":[{"type":"text","text":"a"}]}"#
                        return .json("{\"messages\":[\(user),{\"role\":\"assistant\",\"parts\":[\($0)]}]}")
                    } ?? .status(404)
                )
            case Self.state: .whole(.json(#"{"active_run":false,"lastResponseId":"resp_msg_9"}"#))
            default: .whole(.status(404))
            }
        }
        let client = try client(transport)
        let answer = await client.ask("a")
        #expect(answer.failure == (isLost ? .lost : nil))
        #expect(transport.requests(Self.post).count == (isLost ? 1 : 2))
        _ = await client.ask("b")
        let last = transport.requests(Self.post).last
        #expect(last?.text.contains(isLost ? "resp_msg_9" : "resp_msg_1") == true, "the conversation goes on")
    }

    /// The server is gone twice for most of the time that an answer may take, and nothing was done.
    @Test func repeatedQuestionHasAFreshTimeLimit() async throws {
        let time = TestTime()
        let transport = ScriptedJarvisTransport { request, number in
            switch request.route {
            case Self.post where number == 0: .stream([Self.created], .silent)
            case Self.post where number == 1: .held(Self.answered)
            case Self.post: .stream([Self.created, Self.delta("Yes."), Self.completed(3)])
            case Self.messages:
                .whole(.json(#"{"messages":[{"role":"user","parts":[{"type":"text","text":"a"}]}]}"#))
            case Self.state: .whole(.json(#"{"active_run":false}"#))
            default: .whole(.status(404))
            }
        }
        let client = try client(transport, time: time) { $0.silenceS = 100 }
        let answer = Task { await client.ask("a") }
        while transport.silentStreams == 0 { await Task.yield() }
        await time.pass(.seconds(100))
        while transport.requests(Self.post).count < 2 { await Task.yield() }
        for _ in 0..<100_000 where !time.alarms.contains(where: { $0 > .seconds(210) }) { await Task.yield() }
        await time.pass(.seconds(100))
        #expect(await answer.value.spoken == "Yes.")
        #expect(transport.requests(Self.post).count == 3)
    }

    /// The run had begun, so part of it may be done.
    @Test func serverDeathDuringARunIsReportedWithinSeconds() async throws {
        let time = TestTime()
        let log = LineLog()
        let transport = ScriptedJarvisTransport { request, _ in
            request.method == "POST"
                ? .stream([Self.created, Self.delta("Two ")], .broken) : .whole(.failure(.offline(detail: "refused")))
        }
        let answer = await (try client(transport, time: time, log: log)).ask("a")
        #expect(answer.failure == .cutOff(detail: "refused"))
        #expect((.seconds(5)...(.seconds(7))).contains(time.now), "after \(time.now)")
        #expect(log.lines.count { $0.contains("cannot be reached during a request") } == 1, "at the first loss, once")
    }

    @Test func adviceToWaitLongerNeedsALiveServer() async throws {
        for isThere in [true, false] {
            let time = TestTime()
            let transport = ScriptedJarvisTransport { request, _ in
                switch request.route {
                case Self.post: .stream([Self.created], .silent)
                default: .whole(isThere ? .json(#"{"active_run":true}"#) : .failure(.offline(detail: "refused")))
                }
            }
            let client = try client(transport, time: time) { $0.timeoutS = 20 }
            let answer = Task { await client.ask("a") }
            while transport.silentStreams == 0 { await Task.yield() }
            await time.pass(.seconds(20))
            #expect(await answer.value.failure == (isThere ? .timedOut : .cutOff(detail: "refused")))
        }
    }

    @Test func unansweredRunIsEndedForTheNextQuestion() async throws {
        let time = TestTime()
        let isOver = Flag()
        let transport = ScriptedJarvisTransport { request, _ in
            switch request.route {
            case Self.post: .held(Self.answered)
            case Self.state:
                .whole(
                    .json(
                        isOver.isSet
                            ? #"{"active_run":false}"#
                            : #"{"active_run":true,"active_response_id":"old","pending_approval":{"approval_id":"x"}}"#
                    )
                )
            default:
                {
                    isOver.set()
                    return .whole(.json("{}"))
                }()
            }
        }
        let client = try client(transport, time: time)
        let answer = Task { await client.ask("a") }
        while transport.requests.isEmpty { await Task.yield() }
        await time.pass(.seconds(2))
        while !isOver.isSet { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        transport.open()
        #expect(
            await answer.value.spoken == "An earlier request was still waiting for your answer, so it was ended. Yes."
        )
        #expect(transport.requests("POST /v1/responses/old/cancel").count == 1)
        #expect(transport.requests(Self.post).count == 1)
    }

    @Test func runOfAnotherClientIsNotEnded() async throws {
        let time = TestTime()
        let transport = ScriptedJarvisTransport { request, _ in
            switch request.route {
            case Self.post: .held(Self.answered)
            default: .whole(.json(#"{"active_run":true,"active_response_id":"theirs"}"#))
            }
        }
        let client = try client(transport, time: time)
        let answer = Task { await client.ask("a") }
        while transport.requests.isEmpty { await Task.yield() }
        await time.pass(.seconds(2))
        #expect(await answer.value.failure == .busy)
        #expect(transport.requests("POST /v1/responses/theirs/cancel").isEmpty)
    }

    @Test func runOfAnEarlierStartIsEnded() async throws {
        let isOver = Flag()
        let transport = ScriptedJarvisTransport { request, _ in
            switch request.route {
            case "GET /healthz": .whole(.json(#"{"status":"ok","version":"v1"}"#))
            case "POST /v1/responses/old/cancel":
                {
                    isOver.set()
                    return .whole(.json("{}"))
                }()
            case Self.post: .stream([Self.created, Self.delta("Yes."), Self.completed(3)])
            default:
                .whole(.json("{\"active_run\":\(!isOver.isSet),\"active_response_id\":\"old\"}"))
            }
        }
        let saved = SavedJarvisSession(id: "voice-saved", previous: "resp_msg_1", usedAt: 1_795_208_889)
        let store = JarvisSessionStore(load: { saved }, save: { _ in })
        let client = try client(transport, store: store)
        await client.checkAtStart()
        #expect(isOver.isSet)
        #expect(await client.ask("a").spoken == "An earlier request was still being worked on, so it was ended. Yes.")
        #expect(await client.ask("b").spoken == "Yes.", "it is said once")
    }

    @Test func leavingWaitsForTheCancelReply() async throws {
        let isOver = Flag()
        let transport = ScriptedJarvisTransport { request, _ in
            switch request.route {
            case Self.post: .stream([Self.created], .silent)
            case "POST /v1/responses/resp_1/cancel":
                {
                    isOver.set()
                    return .whole(.json("{}"))
                }()
            default: .whole(.json("{\"active_run\":\(!isOver.isSet),\"active_response_id\":\"resp_1\"}"))
            }
        }
        let log = LineLog()
        let client = try client(transport, log: log)
        let answer = Task { await client.ask("a") }
        while transport.silentStreams == 0 { await Task.yield() }
        await client.leave()
        #expect(isOver.isSet)
        #expect(transport.routes.last == Self.state, "the last word is the server's")
        #expect(log.lines.contains { $0.contains("Jarvis has stopped") })
        #expect(await answer.value.failure == .cancelled)
        #expect(await client.ask("b").failure == .cancelled, "nothing is asked any more")
        #expect(transport.requests(Self.post).count == 1)
    }

    @Test(arguments: [true, false])
    func nextQuestionWaitsForTheCancelledRun(startsFresh: Bool) async throws {
        let transport = ScriptedJarvisTransport { request, number in
            switch request.route {
            case Self.post where number == 0: .stream([Self.created], .silent)
            case Self.post: .stream([Self.created, Self.delta("Yes."), Self.completed(3)])
            case Self.state: .whole(.json(#"{"active_run":false,"lastResponseId":"resp_msg_5"}"#))
            default: .whole(.json("{}"))
            }
        }
        let client = try client(transport)
        let first = Task { await client.ask("a") }
        while transport.silentStreams == 0 { await Task.yield() }
        if startsFresh { await client.startFresh() } else { await client.cancelRequest() }
        #expect(await client.ask("b").spoken == "Yes.")
        #expect(await first.value.failure == .cancelled)
        let routes = transport.routes
        #expect(routes == [Self.post, "POST /v1/responses/resp_1/cancel", Self.state, Self.post])
        let last = try #require(transport.requests.last)
        #expect(last.text.contains("resp_msg_5") == !startsFresh, "where the turn that was taken back left off")
        #expect(last.header("session_id") == (startsFresh ? "voice-3" : "voice-1"))
    }

    @Test func failedTurnStillAdvancesTheThread() async throws {
        let failed = #""error":{"type":"server_error"},"response":{"id":"resp_msg_7"},"response_id":"resp_1""#
        let transport = ScriptedJarvisTransport { _, number in
            number == 0
                ? .stream([Self.created, Self.event("response.failed", 2, failed)])
                : .stream([Self.created, Self.delta("Yes."), Self.completed(3)])
        }
        let client = try client(transport)
        #expect(await client.ask("a").failure == .runFailed(detail: ""))
        _ = await client.ask("b")
        #expect(transport.routes == [Self.post, Self.post])
        #expect(transport.requests.last?.text.contains("resp_msg_7") == true)
    }

    @Test func expiredEventsAreReplacedByTheSnapshot() async throws {
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

    @Test func clientWaitsForABusySession() async throws {
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

    @Test func staleThreadContinuesAtTheServersLastReply() async throws {
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

    @Test func cancelledQuestionIsCancelledOnTheServer() async throws {
        let transport = ScriptedJarvisTransport { request, _ in
            request.route == Self.post ? .stream([Self.created, Self.delta("Tw")], .silent) : .whole(.json("{}"))
        }
        let client = try client(transport)
        let answer = Task { await client.ask("a") }
        while transport.requests.isEmpty { await Task.yield() }
        // The run's id is in the head of the reply, so it is known before anything else.
        for _ in 0..<100 { await Task.yield() }
        #expect(await client.cancelRequest())
        #expect(await answer.value.failure == .cancelled)
        while transport.requests("POST /v1/responses/resp_1/cancel").isEmpty { await Task.yield() }
    }

    @Test(
        arguments: [
            (.status(401), .authentication), (.status(404), .wrongBasePath(hint: "status 404")),
            (.status(415), .serverError(status: 415, detail: "")), (.status(503), .offline(detail: "status 503")),
            (.json("{}"), .badReply(detail: "no choices")),
            (.json(#"{"error":"model 'x' not found"}"#, status: 404), .unknownModel),
            (
                .json(#"{"id":"r","status":"incomplete","output":[{"type":"reasoning","content":[]}]}"#),
                .onlyThoughts(reachedLimit: true)
            ),
            (.failure(.offline(detail: "refused")), .offline(detail: "refused")),
            (.failure(.untrusted(detail: "self-signed")), .untrusted(detail: "self-signed")),
            (
                .success(HTTPResponse(status: 200, contentType: "text/html; charset=utf-8")),
                .wrongBasePath(hint: "a web page answered")
            ),
            (
                .success(HTTPResponse(status: 307, contentType: nil, location: "/ui/?token=x")),
                .wrongBasePath(hint: "redirect to /ui/")
            ),
        ] as [(JarvisResponse, JarvisFailure)]
    )
    func replyWithoutAStreamIsNamed(result: JarvisResponse, failure: JarvisFailure) async throws {
        let transport = ScriptedJarvisTransport { _, _ in .whole(result) }
        #expect(await (try client(transport)).ask("a").failure == failure)
        #expect(transport.requests.count == 1)
    }

    /// A server that does not stream although it was asked to, or does not say that it does.
    @Test(
        arguments: [
            .content("Yes."),
            .json(
                #"{"id":"r","status":"completed","output":[{"type":"reasoning","content":[{"type":"text","text":"Hm."}]},"#
                    + #"{"type":"message","content":[{"type":"output_text","text":"Yes."}]}]}"#
            ),
            .success(
                HTTPResponse(
                    status: 200, contentType: "text/plain", body: Array((created + delta("Yes.") + completed(3)).utf8)
                )
            ),
        ] as [JarvisResponse]
    )
    func answerWithoutAStreamIsSpoken(result: JarvisResponse) async throws {
        let transport = ScriptedJarvisTransport { _, _ in .whole(result) }
        #expect(await (try client(transport)).ask("a").spoken == "Yes.")
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

    /// An event that has or has not happened.
    private final class Flag: Sendable {
        private let state = Atomic(false)
        var isSet: Bool { state.load(ordering: .acquiring) }
        func set() { state.store(true, ordering: .releasing) }
    }

    private func client(
        _ transport: ScriptedJarvisTransport,
        time: TestTime = TestTime(),
        store: JarvisSessionStore = .none,
        log: LineLog = LineLog(),
        _ change: (inout Configuration.Jarvis) -> Void = { _ in }
    ) throws -> JarvisClient {
        var settings = Configuration().jarvis
        settings.preamble = .off
        settings.api = .responses
        change(&settings)
        return JarvisClient(
            base: try #require(ServerURL("http://127.0.0.1:8080/ui")),
            token: Secret("topsecret"),
            settings: settings,
            transport: transport,
            store: store,
            environment: time.environment(),
            logger: log.logger
        )
    }
}
