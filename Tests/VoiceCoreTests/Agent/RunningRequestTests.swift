import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceNetwork
@testable import VoiceReply

/// Operations on the current request and on the last one. The replies are the server's own.
struct RunningRequestTests {
    @Test func remarkIsAddedToTheRunningRequest() async throws {
        let transport = ScriptedJarvisTransport { request, _ in
            request.route.hasSuffix("interrupt") ? .whole(.json(#"{"action":"interject"}"#)) : .held(.content("Both."))
        }
        let client = try client(transport)
        #expect(await client.add("and the weather") == .notAddable, "nothing is at work yet")
        let answer = Task { await client.ask("what is on?") }
        while transport.requests.isEmpty { await Task.yield() }
        #expect(await client.add("and the weather") == nil)
        let sent = transport.requests("POST /v1/sessions/voice-1/interrupt").map(\.text)
        #expect(sent == [#"{"delivery":"steer","message":"and the weather"}"#])
        transport.open()
        #expect(await answer.value.spoken == "Both.")
    }

    @Test func lateRemarkIsReportedAsLate() async throws {
        let transport = ScriptedJarvisTransport { request, _ in
            request.route.hasSuffix("interrupt")
                ? .whole(.error(409, "conflict_error", "session has no active stream")) : .held(.content("Yes."))
        }
        let client = try client(transport)
        let answer = Task { await client.ask("a") }
        while transport.requests.isEmpty { await Task.yield() }
        #expect(await client.add("b") == .notAddable)
        transport.open()
        _ = await answer.value
    }

    /// "And the weather" right behind the request: the server has not begun with it yet.
    @Test func earlyRemarkIsOfferedAgain() async throws {
        let offers = Mutex(0)
        let transport = ScriptedJarvisTransport { request, _ in
            guard request.route.hasSuffix("interrupt") else { return .held(.content("Both.")) }
            let offer = offers.withLock {
                $0 += 1
                return $0
            }
            return offer < 3
                ? .whole(.error(409, "conflict_error", "session has no active stream"))
                : .whole(.json(#"{"action":"interject"}"#))
        }
        let client = try client(transport)
        let answer = Task { await client.ask("what is on?") }
        while transport.requests.isEmpty { await Task.yield() }
        #expect(await client.add("and the weather") == nil)
        #expect(transport.requests("POST /v1/sessions/voice-1/interrupt").count == 3)
        transport.open()
        #expect(await answer.value.spoken == "Both.")
    }

    @Test func progressIsAskedBesideTheRun() async throws {
        let stream = """
            data: {"generation":3,"text":"Nearly ","type":"text_delta"}\n
            data: {"generation":3,"text":"","type":"done"}\n
            data: {"generation":3,"result":{"response":"**Nearly** there."},"type":"done"}\n

            """
        let transport = ScriptedJarvisTransport { request, _ in
            guard request.route.hasSuffix("side-question") else { return .held(.content("Yes.")) }
            return .whole(
                .success(HTTPResponse(status: 200, contentType: "text/event-stream", body: Array(stream.utf8)))
            )
        }
        let client = try client(transport)
        #expect(await client.progress() == nil)
        let answer = Task { await client.ask("a") }
        while transport.requests.isEmpty { await Task.yield() }
        #expect(await client.progress() == "Nearly there.")
        #expect(transport.routes.contains("POST /api/sessions/voice-1/side-question"))
        transport.open()
        _ = await answer.value
    }

    @Test func withoutTheProgressRouteTheToolIsReported() async throws {
        let created = "id: 1\nevent: response.created\ndata: {\"response\":{\"id\":\"resp_1\"}}\n\n"
        let tool = """
            id: 2\nevent: response.tool_exec.start\n\
            data: {"call_id":"c","tool_name":"gmail_search","tool_info":"(x)"}\n\n
            """
        let transport = ScriptedJarvisTransport { request, _ in
            switch request.route {
            case "POST /v1/responses": .stream([created, tool], .silent)
            default: .whole(.status(404))
            }
        }
        let client = try client(transport) { $0.api = .responses }
        let answer = Task { await client.ask("a") }
        while client.activity == nil { await Task.yield() }
        #expect(client.activity == "reading your mail")
        #expect(await client.progress()?.contains("at the moment it is reading your mail") == true)
        answer.cancel()
        _ = await answer.value
    }

    @Test func forgettingTheLastTurnIncludesItsRemarks() async throws {
        let server = StoredConversation(["older", "a", "and b"])
        let transport = ScriptedJarvisTransport { request, _ in server.answer(request) }
        let client = try client(transport)
        let answer = Task { await client.ask("a") }
        while transport.requests.isEmpty { await Task.yield() }
        #expect(await client.add("and b") == nil)
        transport.open()
        _ = await answer.value
        #expect(await client.forgetLast() == .forgotten)
        #expect(server.turns == ["older"])
        #expect(await client.lastReply == nil)
        #expect(await client.forgetLast() == .nothing, "and nothing before it")
        #expect(server.turns == ["older"])
    }

    @Test func turnOfAnotherClientIsNotForgotten() async throws {
        let server = StoredConversation(["a", "typed in the browser"])
        let transport = ScriptedJarvisTransport { request, _ in server.answer(request) }
        transport.open()
        let client = try client(transport)
        _ = await client.ask("a")
        #expect(await client.forgetLast() == .nothing)
        #expect(server.turns.count == 2)
    }

    private func client(
        _ transport: ScriptedJarvisTransport,
        _ change: (inout Configuration.Jarvis) -> Void = { _ in }
    ) throws -> JarvisClient {
        var settings = Configuration().jarvis
        settings.preamble = .off
        change(&settings)
        return JarvisClient(
            base: try #require(ServerURL("http://127.0.0.1:8080/ui")),
            token: nil,
            settings: settings,
            transport: transport,
            environment: TestTime().environment(),
            logger: LineLog().logger
        )
    }
}

/// A conversation as the server stores it, and the server's answers about it.
private final class StoredConversation: Sendable {
    private let stored: Mutex<[String]>

    init(_ turns: [String]) { stored = Mutex(turns) }

    var turns: [String] { stored.withLock { $0 } }

    func answer(_ request: HTTPRequest) -> ScriptedJarvisTransport.Reply {
        let turns = turns
        let head = 10 + 2 * turns.count
        if request.route.hasSuffix("interrupt") { return .whole(.json("{}")) }
        if request.route.hasSuffix("state") {
            return .whole(.json(#"{"active_run":false,"lastResponseId":"resp_msg_\#(head)","transcript_rev":7}"#))
        }
        if request.route.hasSuffix("messages") {
            let last = turns.last ?? ""
            let user = #"{"id":\#(head - 1),"role":"user","parts":[{"type":"text","text":"\#(last)"}]}"#
            return .whole(.json(#"{"messages":[\#(user),{"id":\#(head),"role":"assistant","parts":[]}]}"#))
        }
        if request.route.hasSuffix("undo") {
            guard request.text == #"{"expected_head_id":\#(head),"expected_rev":7}"# else {
                return .whole(.error(409, "conflict_error", "transcript changed; refresh and try again"))
            }
            stored.withLock { _ = $0.popLast() }
            return .whole(.json(#"{"ok":true}"#))
        }
        return .held(.content("Yes."))
    }
}
