import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceNetwork

/// A Home Assistant whose WebSockets follow a script: the messages after the question, one list for each connection.
private final class ScriptedHome: JarvisTransport {
    struct Connection: Sendable {
        var messages: [String]
        /// Whether it takes the token.
        var accepts = true
        /// Whether it ends after the messages; otherwise nothing more comes.
        var ends = false
    }

    private struct State {
        var sent: [String] = []
        var requests: [HTTPRequest] = []
        var closed = 0
    }

    private let connections: [Connection]
    private let rest: JarvisResponse
    private let state = Mutex((opened: 0, State()))

    /// - Parameters:
    ///   - connections: without any, there is no WebSocket.
    ///   - rest: the reply of the REST API.
    init(_ connections: [Connection], rest: JarvisResponse = .status(404)) {
        (self.connections, self.rest) = (connections, rest)
    }

    /// What the client has sent over its WebSockets.
    var sent: [String] { state.withLock { $0.1.sent } }
    var questions: [String] { sent.filter { $0.contains("assist_pipeline/run") } }
    var requests: [HTTPRequest] { state.withLock { $0.1.requests } }
    var closed: Int { state.withLock { $0.1.closed } }

    func exchange(_ request: HTTPRequest) async -> JarvisResponse {
        state.withLock { $0.1.requests.append(request) }
        return rest
    }

    func open(_ request: HTTPRequest) async -> Result<any JarvisReplyStream, JarvisFailure> {
        .failure(.offline(detail: "no streams"))
    }

    func connect(_ request: WebSocketRequest) async -> Result<any JarvisSocket, JarvisFailure> {
        let number = state.withLock { state in
            state.opened += 1
            return state.opened - 1
        }
        guard !connections.isEmpty else { return .failure(.wrongBasePath(hint: "status 404")) }
        #expect(request.url == "ws://192.168.1.5:8123/api/websocket" && request.staysNear)
        return .success(Socket(self, connections[min(number, connections.count - 1)]))
    }

    private final class Socket: JarvisSocket {
        private let home: ScriptedHome
        private let script: Connection
        private let waiting: Mutex<[String]>
        private let end = Promise<JarvisFailure>()

        init(_ home: ScriptedHome, _ script: Connection) {
            (self.home, self.script) = (home, script)
            waiting = Mutex([#"{"type":"auth_required","ha_version":"2026.11.0"}"#])
        }

        func next() async -> Result<[UInt8], JarvisFailure> {
            if let message = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                return .success(Array(message.utf8))
            }
            if script.ends { return .failure(.cutOff(detail: "reset")) }
            let failure = await withTaskCancellationHandler {
                await end.wait()
            } onCancel: {
                end.give(.cancelled)
            }
            return .failure(failure)
        }

        func send(_ text: String) {
            home.state.withLock { $0.1.sent.append(text) }
            waiting.withLock { waiting in
                if !text.contains("\"auth\"") {
                    waiting += script.messages
                } else {
                    waiting.append(
                        script.accepts ? #"{"type":"auth_ok"}"# : #"{"type":"auth_invalid","message":"Invalid"}"#
                    )
                }
            }
        }

        func close() {
            home.state.withLock { $0.1.closed += 1 }
            end.give(.cutOff(detail: "closed"))
        }
    }
}

/// Messages of Home Assistant 2026.11, cut.
private enum Said {
    static let result = #"{"id":1,"type":"result","success":true,"result":null}"#
    static let start = event("intent-start", #"{"engine":"conversation.rig_agent","conversation_id":"voice-1"}"#)
    static let runEnd = event("run-end", "null")

    static func event(_ type: String, _ data: String) -> String {
        #"{"id":1,"type":"event","event":{"type":"\#(type)","data":\#(data)}}"#
    }

    static func delta(_ delta: String) -> String { event("intent-progress", #"{"chat_log_delta":\#(delta)}"#) }

    static func output(_ text: String, type: String = "action_done", id: String = "01M8") -> String {
        #"{"response":{"speech":{"plain":{"speech":"\#(text)"}},"response_type":"\#(type)"},"conversation_id":"\#(id)"}"#
    }

    static func end(_ text: String, type: String = "action_done", id: String = "01M8") -> String {
        event("intent-end", #"{"intent_output":\#(output(text, type: type, id: id))}"#)
    }

    static func error(_ code: String) -> String { event("error", #"{"code":"\#(code)","message":"never spoken"}"#) }

    static func answer(_ text: String, id: String = "01M8") -> ScriptedHome.Connection {
        .init(messages: [result, start, end(text, id: id), runEnd])
    }
}

struct HomeAssistantTests {
    private func client(
        _ home: ScriptedHome,
        time: TestTime = TestTime(),
        token: Secret? = Secret("topsecret"),
        _ change: (inout Configuration.Jarvis) -> Void = { _ in }
    ) throws -> JarvisClient {
        var settings = Configuration().jarvis
        settings.api = .homeAssistant
        change(&settings)
        return JarvisClient(
            base: try #require(ServerURL("http://192.168.1.5:8123")),
            token: token,
            settings: settings,
            boxName: "Kitchen",
            transport: home,
            environment: time.environment(),
            logger: LineLog().logger
        )
    }

    @Test func preferredPipelineGetsTheUsersWordsAlone() async throws {
        let home = ScriptedHome([Said.answer("Turned on the light")])
        let client = try client(home) { $0.preamble = .always }
        let answer = await client.ask("turn on the lamp", context: "(music is playing)", inParts: false).answer()
        #expect(answer.spoken == "Turned on the light" && answer.failure == nil)
        #expect(
            home.sent == [
                #"{"access_token":"topsecret","type":"auth"}"#,
                #"{"conversation_id":"voice-1","end_stage":"intent","id":1,"input":{"text":"turn on the lamp"},"#
                    + #""start_stage":"intent","timeout":1800,"type":"assist_pipeline/run"}"#,
            ]
        )
        #expect(home.closed == 1 && home.requests.isEmpty)
    }

    @Test func nextQuestionUsesTheIdOfTheAnswer() async throws {
        let home = ScriptedHome([Said.answer("Yes.", id: "01M8AAA"), Said.answer("No.", id: "01M8BBB")])
        let client = try client(home)
        for _ in 0..<3 { _ = await client.ask("a") }
        await client.startFresh()
        _ = await client.ask("a")
        let ids = home.questions.map { $0.firstMatch(of: /"conversation_id":"([^"]*)"/).map { String($0.output.1) } }
        #expect(ids == ["voice-1", "01M8AAA", "01M8BBB", "voice-2"])
    }

    @Test func sentencesAreSpokenBeforeTheAnswerEnds() async throws {
        let home = ScriptedHome([
            .init(messages: [
                Said.result, Said.start, Said.delta(#"{"role":"assistant"}"#),
                Said.delta(#"{"content":"One is here. "}"#),
                Said.delta(#"{"content":"Two is there. And "}"#), Said.delta(#"{"content":"three."}"#),
                Said.end("One is here. Two is there. And three."), Said.runEnd,
            ])
        ])
        var parts: [AgentPart] = []
        for await part in try await client(home).ask("count", context: nil, inParts: true) { parts.append(part) }
        let said = parts.compactMap { if case .says(let text) = $0 { text } else { nil } }
        #expect(said == ["One is here.", "Two is there."])
        guard case .ended(let answer)? = parts.last else {
            Issue.record("no end")
            return
        }
        #expect(answer.spoken == "And three.")
    }

    @Test func textBeforeAToolIsNotPartOfTheAnswer() {
        var run = HomeAssistantRun("q", conversation: nil, token: Secret("t")!)
        func hear(_ message: String) -> HomeAssistantRun.Step { run.handle(Array(message.utf8)) }
        #expect(hear(Said.delta(#"{"role":"assistant","content":"Let me see."}"#)) == .words)
        #expect(hear(Said.delta(#"{"tool_calls":[{"tool_name":"x"}]}"#)) == .none)
        #expect(
            hear(Said.delta(#"{"role":"tool_result","tool_result":{"content":"secret"},"content":"secret"}"#))
                == .segmentEnded
        )
        #expect(run.segment == "")
        #expect(hear(Said.delta(#"{"role":"assistant"}"#)) == .none)
        #expect(hear(Said.delta(#"{"thinking_content":"hm"}"#)) == .none)
        #expect(hear(Said.delta(#"{"content":"It is on."}"#)) == .words)
        #expect(hear(Said.end("")) == .finished(.answered("It is on.", conversation: "01M8")))
    }

    @Test func busyConversationIsRetriedThenReplaced() async throws {
        let busy = ScriptedHome.Connection(messages: [Said.result, Said.start, Said.error("intent-busy"), Said.runEnd])
        let soon = ScriptedHome([busy, busy, Said.answer("Yes.")])
        #expect(await (try client(soon)).ask("a").spoken == "Yes.")
        #expect(soon.questions.count == 3 && soon.questions.allSatisfy { $0.contains("voice-1") })

        let stubborn = ScriptedHome(Array(repeating: busy, count: 11) + [Said.answer("At last.", id: "01NEW")])
        let client = try client(stubborn)
        #expect(await client.ask("a").spoken == "At last.")
        #expect(stubborn.questions.last?.contains("conversation_id") == false)
        _ = await client.ask("b")
        #expect(stubborn.questions.last?.contains("01NEW") == true)
    }

    @Test func conversationOfAnotherUserIsReplaced() async throws {
        let foreign = ScriptedHome.Connection(messages: [Said.result, Said.error("intent-unauthorized"), Said.runEnd])
        let home = ScriptedHome([foreign, Said.answer("Yes.")])
        #expect(await (try client(home)).ask("a").spoken == "Yes.")
        #expect(home.questions.map { $0.contains("conversation_id") } == [true, false])
        #expect(await (try client(ScriptedHome([foreign]))).ask("a").failure == .authentication)
    }

    /// These come as answers like any other, from the REST API.
    @Test(arguments: [
        ("This conversation is busy with another message", HomeAssistantRun.Outcome.busy), ("Unauthorized", .foreign),
        ("(no response)", .failed(.emptyReply)), ("  ", .failed(.emptyReply)),
        ("the model cannot be reached", .answered("the model cannot be reached", conversation: "01M8")),
    ])
    func statusSentencesAreNeverSpoken(text: String, outcome: HomeAssistantRun.Outcome) throws {
        let output = Said.output(text, type: "error")
        let value = try #require(OutsideJSON.decode(JSONValue.self, from: output.utf8, atMost: 4096))
        #expect(HomeAssistantRun.outcome(of: value) == outcome)
    }

    @Test func agentMayUseTheSameWords() throws {
        let output = Said.output("Unauthorized", type: "query_answer")
        let value = try #require(OutsideJSON.decode(JSONValue.self, from: output.utf8, atMost: 4096))
        #expect(HomeAssistantRun.outcome(of: value) == .answered("Unauthorized", conversation: "01M8"))
    }

    @Test func reasonMayFollowTheEndOfARun() async throws {
        let late = ScriptedHome([.init(messages: [Said.result, Said.start, Said.runEnd, Said.error("timeout")])])
        #expect(await (try client(late)).ask("a").failure == .serverLimit)

        let time = TestTime()
        let never = ScriptedHome([.init(messages: [Said.result, Said.start, Said.runEnd])])
        let client = try client(never, time: time)
        let answer = Task { await client.ask("a") }
        await time.pass(.seconds(1))
        #expect(await answer.value.failure == .emptyReply)
    }

    @Test func sentQuestionIsNotRepeated() async throws {
        let home = ScriptedHome(
            [.init(messages: [Said.result, Said.start], ends: true)], rest: .json(Said.output("No."))
        )
        guard case .cutOff? = await (try client(home)).ask("a").failure else {
            Issue.record("asked again")
            return
        }
        #expect(home.questions.count == 1 && home.requests.isEmpty)
        let crash = ScriptedHome([.init(messages: [Said.result, Said.start, Said.error("intent-failed"), Said.runEnd])])
        guard case .runFailed? = await (try client(crash)).ask("a").failure else {
            Issue.record("no failure")
            return
        }
        #expect(crash.questions.count == 1)
    }

    @Test func restAPIAnswersWithoutAWebSocket() async throws {
        let home = ScriptedHome([], rest: .json(Said.output("Turned on the light")))
        let client = try client(home)
        #expect(await client.ask("turn on the lamp").spoken == "Turned on the light")
        #expect(await client.ask("and off").spoken == "Turned on the light")
        let bodies = home.requests.map(\.text)
        #expect(
            bodies == [
                #"{"conversation_id":"voice-1","text":"turn on the lamp"}"#,
                #"{"conversation_id":"01M8","text":"and off"}"#,
            ]
        )
        #expect(
            home.requests.allSatisfy { $0.url == "http://192.168.1.5:8123/api/conversation/process" && !$0.mayRepeat }
        )
        #expect(home.requests.allSatisfy { $0.header("Authorization") == "Bearer topsecret" })
    }

    @Test func wrongTokenIsSentOnce() async throws {
        let home = ScriptedHome([.init(messages: [], accepts: false)])
        #expect(await (try client(home)).ask("a").failure == .authentication)
        #expect(home.sent.count == 1 && home.requests.isEmpty)
        let without = ScriptedHome([Said.answer("Yes.")])
        #expect(await (try client(without, token: nil)).ask("a").failure == .authentication)
        #expect(without.sent.isEmpty)
    }

    @Test func stopClosesTheConnection() async throws {
        let home = ScriptedHome([.init(messages: [Said.result, Said.start])])
        let client = try client(home)
        let answer = Task { await client.ask("a") }
        while home.questions.isEmpty { await Task.yield() }
        #expect(await client.cancelRequest())
        #expect(await answer.value.failure == .cancelled)
        while home.closed == 0 { await Task.yield() }
    }

    @Test(arguments: [
        (#"{"message":"API running."}"#, 200, nil), ("401: Unauthorized", 401, JarvisFailure.authentication),
        ("<html>", 200, .wrongBasePath(hint: "something else answered at /api/")),
    ])
    func checkAsksNoQuestion(body: String, status: Int, failure: JarvisFailure?) async throws {
        let home = ScriptedHome([], rest: .json(body, status: status))
        let result = await (try client(home)).check()
        #expect(result == failure.map { .failure($0) } ?? .success(nil))
        #expect(home.requests.map(\.url) == ["http://192.168.1.5:8123/api/"])
    }
}
