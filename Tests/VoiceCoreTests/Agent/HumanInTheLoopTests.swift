import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceNetwork
@testable import VoiceReply

/// Runs that ask the user, through the client.
struct HumanInTheLoopTests {
    private static let question = #""call_id":"c","questions":[{"question":"Which?","options":[{"label":"Work"}]}]"#
    private static let approval =
        #""approval_id":"a","path":"echo hi","is_shell":true,"options":[{"index":1,"choice":"once"},{"index":2,"choice":"deny"}]"#

    @Test func answerOfTheUserReturnsToTheAgent() async throws {
        let transport = Self.transport("response.ask_user.prompt", Self.question)
        let client = try client(transport)
        let asked = await client.ask("a")
        #expect(asked.failure == nil)
        #expect(asked.told.contains(#""Which?" The options are: "Work"."#))
        #expect(await client.approve("echo hi", true, heard: 1).failure == .nothingPending)
        #expect(await client.answer(["work"], heard: 1).spoken == "Done.")
        let sent = transport.requests("POST /v1/sessions/voice-1/ask_user").map(\.text)
        #expect(sent == [#"{"answers":[{"question_index":0,"selected":"Work"}],"call_id":"c"}"#])
        #expect(await client.answer(["work"], heard: 1).failure == .nothingPending)
        #expect(await client.ask("b").told.contains("Which?"), "the next question has its turn")
    }

    @Test func agentThatWaitsForTheUserIsNotAway() async throws {
        let client = try client(Self.transport("response.ask_user.prompt", Self.question))
        await client.checked(.offline(detail: "refused"))
        #expect(await client.trouble != nil)
        _ = await client.ask("a")
        #expect(await client.trouble == nil)
    }

    @Test func timeOfTheUserDoesNotCountForTheLimit() async throws {
        let time = TestTime()
        let client = try client(Self.transport("response.ask_user.prompt", Self.question), time: time) {
            $0.timeoutS = 61
            $0.humanTimeoutS = 600
        }
        _ = await client.ask("a")
        await time.sleep(.seconds(4))
        #expect(await client.answer(["x"], heard: 1).spoken == "Done.")
    }

    @Test func permissionIsGivenOnlyForTheVeryCommand() async throws {
        let transport = Self.transport("response.approval.prompt", Self.approval)
        let client = try client(transport)
        #expect(await client.ask("a").told.contains(#"run this command: "echo hi""#))
        #expect(await client.approve("echo", true, heard: 1).failure == .otherCommand)
        let other = await client.approve("echo hi; rm x", true, heard: 1)
        #expect(other.failure == .otherCommand && other.failure?.leavesPrompt == true)
        #expect(transport.requests("POST /v1/sessions/voice-1/approval").isEmpty)
        #expect(await client.approve("echo hi", true, heard: 1).spoken == "Done.")
        let sent = transport.requests("POST /v1/sessions/voice-1/approval").map(\.text)
        #expect(sent == [#"{"approval_id":"a","choice":1}"#])
    }

    /// A model that answers for the user, or answers another question than the one the user heard.
    @Test(arguments: [nil, 0, 2]) func modelCannotAnswerForTheUser(heard: Int?) async throws {
        let transport = Self.transport("response.approval.prompt", Self.approval)
        let asked = try client(transport)
        _ = await asked.ask("a")
        let answer = await asked.approve("echo hi", true, heard: heard)
        #expect(answer.spoken.hasPrefix(JarvisPrompt.unheard) && answer.spoken.hasSuffix("Done."))
        let sent = transport.requests("POST /v1/sessions/voice-1/approval").map(\.text)
        #expect(sent == [#"{"approval_id":"a","cancelled":true}"#])
        let questions = Self.transport("response.ask_user.prompt", Self.question)
        let second = try client(questions)
        _ = await second.ask("a")
        #expect(await second.answer(["work"], heard: heard).spoken.hasPrefix(JarvisPrompt.unheard))
        let dismissed = questions.requests("POST /v1/sessions/voice-1/ask_user").map(\.text)
        #expect(dismissed == [#"{"call_id":"c","cancelled":true}"#])
    }

    @Test func spokenNoDenies() async throws {
        let transport = Self.transport("response.approval.prompt", Self.approval)
        let client = try client(transport)
        _ = await client.ask("a")
        #expect(await client.approve("whatever", false, heard: 1).spoken == "Done.")
        let sent = transport.requests("POST /v1/sessions/voice-1/approval").map(\.text)
        #expect(sent == [#"{"approval_id":"a","cancelled":true}"#])
    }

    @Test func silenceDenies() async throws {
        let time = TestTime()
        let transport = Self.transport("response.approval.prompt", Self.approval)
        let client = try client(transport, time: time)
        _ = await client.ask("a")
        await time.pass(.seconds(60))
        while transport.requests("POST /v1/sessions/voice-1/approval").isEmpty { await Task.yield() }
        let sent = transport.requests("POST /v1/sessions/voice-1/approval").map(\.text)
        #expect(sent == [#"{"approval_id":"a","cancelled":true}"#])
        #expect(await client.approve("echo hi", true, heard: 1).failure == .nothingPending)
    }

    @Test func answerIsReportedAfterSilence() async throws {
        let time = TestTime()
        let news = NewsBox()
        let client = try client(Self.transport("response.approval.prompt", Self.approval), time: time, news: news)
        let asked = await client.ask("a")
        let prompt = try #require(asked.prompt)
        #expect(news.all == [.asks(prompt)] && prompt.number == 1)
        #expect(prompt.characters > 0 && prompt.characters <= asked.told.unicodeScalars.count)
        await time.pass(.seconds(60))
        while news.all.count < 3 { await Task.yield() }
        #expect(news.all[1] == .settled)
        guard case .answered(let answer, let query) = news.all[2] else { return #expect(Bool(false)) }
        #expect(answer.spoken == "Done." && query == "a")
    }

    @Test func permissionGivenElsewhereContinuesTheRun() async throws {
        let news = NewsBox()
        let log = LineLog()
        let transport = Self.transport("response.approval.prompt", Self.approval)
        let client = try client(transport, news: news, log: log)
        #expect(await client.ask("a").told.contains("echo hi"))
        // The user says yes in another window: the run continues.
        transport.open()
        while news.all.count < 3 { await Task.yield() }
        guard case .answered(let answer, _) = news.all[2] else { return #expect(Bool(false)) }
        #expect(answer.spoken == "Done.")
        #expect(transport.requests("POST /v1/sessions/voice-1/approval").isEmpty)
        #expect(log.lines.contains { $0.contains("answered elsewhere") })
        #expect(!log.lines.contains { $0.contains("the user allowed") })
        #expect(await client.approve("echo hi", true, heard: 1).failure == .nothingPending)
    }

    @Test(arguments: [200, 409])
    func permissionIsLoggedOnlyIfTheServerTookIt(status: Int) async throws {
        let log = LineLog()
        let transport = Self.transport("response.approval.prompt", Self.approval, replyStatus: status)
        let client = try client(transport, log: log)
        _ = await client.ask("a")
        let yes = Task { await client.approve("echo hi", true, heard: 1) }
        while transport.requests("POST /v1/sessions/voice-1/approval").isEmpty { await Task.yield() }
        transport.open()
        #expect(await yes.value.spoken == "Done.")
        #expect(log.lines.contains { $0.contains("the user allowed an action") } == (status == 200))
        #expect(log.lines.contains { $0.contains("answered elsewhere") } == (status == 409))
    }

    @Test func ownerMayDenyEveryPermission() async throws {
        let transport = Self.transport("response.approval.prompt", Self.approval)
        let client = try client(transport) { $0.approval = .deny }
        #expect(await client.ask("a").spoken == "Done.")
        let sent = transport.requests("POST /v1/sessions/voice-1/approval")
        #expect(sent.map(\.text) == [#"{"approval_id":"a","cancelled":true}"#])
    }

    @Test func newQuestionCancelsTheWaitingRun() async throws {
        let transport = Self.transport("response.ask_user.prompt", Self.question)
        let client = try client(transport)
        _ = await client.ask("a")
        _ = await client.ask("b")
        while transport.requests("POST /v1/responses/resp_1/cancel").isEmpty { await Task.yield() }
        #expect(transport.requests("POST /v1/responses").count == 2)
    }

    @Test func refusedAnswerCanBeGivenAgain() async throws {
        let transport = Self.transport("response.ask_user.prompt", Self.question, refusals: 1)
        let client = try client(transport)
        _ = await client.ask("a")
        #expect(await client.answer(["x"], heard: 1).failure == .unfitAnswer)
        #expect(await client.answer(["work"], heard: 1).spoken == "Done.")
    }

    @Test func chatShowsItsQuestionsInTheStateOfTheSession() async throws {
        let time = TestTime()
        let state = #"{"active_run":true,"pending_ask_user":{"call_id":"c","questions":[{"question":"Which?"}]}}"#
        let transport = ScriptedJarvisTransport { request, _ in
            if request.method == "GET" { return .whole(.json(state)) }
            return request.route.hasSuffix("ask_user") ? .whole(.json("{}")) : .held(.content("Done."))
        }
        let client = try client(transport, time: time) { $0.api = .chat }
        let asked = Task { await client.ask("a") }
        await time.pass(.seconds(5))
        #expect(await asked.value.told.contains("Which?"))
        let answered = Task { await client.answer(["the second"], heard: 1) }
        while transport.requests("POST /v1/sessions/voice-1/ask_user").isEmpty { await Task.yield() }
        transport.open()
        #expect(await answered.value.spoken == "Done.")
    }

    /// Tools that run side by side ask side by side.
    @Test(.timeLimit(.minutes(1))) func promptBesideAnotherIsAskedAfterIt() async throws {
        let news = NewsBox()
        let log = LineLog()
        let transport = Self.asking([Self.approval, Self.otherApproval])
        let client = try client(transport, news: news, log: log)
        #expect(await client.ask("a").told.contains("echo hi"))
        #expect(await client.approve("echo ho", true, heard: 1).failure == .otherCommand)
        let second = await client.approve("echo hi", true, heard: 1)
        #expect(second.told.contains("echo ho") && second.prompt?.number == 2)
        #expect(Self.decisions(transport) == [#"{"approval_id":"a","choice":1}"#])
        #expect(await client.approve("echo ho", true, heard: 2).spoken == "Done.")
        #expect(
            Self.decisions(transport) == [#"{"approval_id":"a","choice":1}"#, #"{"approval_id":"b","choice":1}"#]
        )
        #expect(!log.lines.contains { $0.contains("answered elsewhere") })
    }

    @Test(.timeLimit(.minutes(1))) func yesToOnePromptIsNoneToTheNext() async throws {
        let transport = Self.asking([Self.approval, Self.otherApproval])
        let client = try client(transport)
        _ = await client.ask("a")
        _ = await client.approve("echo hi", true, heard: 1)
        #expect(await client.approve("echo ho", true, heard: 1).spoken.hasPrefix(JarvisPrompt.unheard))
        #expect(Self.decisions(transport).last == #"{"approval_id":"b","cancelled":true}"#)
    }

    @Test(.timeLimit(.minutes(1))) func silenceDeniesOnePromptAfterTheOther() async throws {
        let time = TestTime()
        let news = NewsBox()
        let transport = Self.asking([Self.approval, Self.otherApproval])
        let client = try client(transport, time: time, news: news)
        _ = await client.ask("a")
        await time.pass(.seconds(60))
        while news.prompts.count < 2 { await Task.yield() }
        #expect(Self.decisions(transport) == [#"{"approval_id":"a","cancelled":true}"#])
        await time.pass(.seconds(60))
        while Self.decisions(transport).count < 2 { await Task.yield() }
        #expect(Self.decisions(transport).last == #"{"approval_id":"b","cancelled":true}"#)
    }

    @Test(.timeLimit(.minutes(1))) func nextPromptIsAskedOnceTheFirstIsAnsweredElsewhere() async throws {
        let news = NewsBox()
        let log = LineLog()
        let transport = Self.asking([Self.approval, Self.otherApproval], open: [Self.otherApproval])
        let client = try client(transport, news: news, log: log)
        #expect(await client.ask("a").told.contains("echo hi"))
        while news.prompts.count < 2 { await Task.yield() }
        #expect(log.lines.contains { $0.contains("answered elsewhere") })
        #expect(await client.approve("echo hi", true, heard: 1).spoken.hasPrefix(JarvisPrompt.unheard))
        #expect(Self.decisions(transport) == [#"{"approval_id":"b","cancelled":true}"#])
    }

    @Test(.timeLimit(.minutes(1))) func refusedPromptLeavesTheOneBeforeIt() async throws {
        let unheard = Self.otherApproval.replacing("echo ho", with: String(repeating: "x", count: 400))
        let transport = Self.asking([Self.approval, unheard])
        let client = try client(transport)
        _ = await client.ask("a")
        while Self.decisions(transport).isEmpty { await Task.yield() }
        #expect(await client.approve("echo hi", true, heard: 1).spoken == "Done.")
        #expect(
            Self.decisions(transport) == [#"{"approval_id":"b","cancelled":true}"#, #"{"approval_id":"a","choice":1}"#]
        )
    }

    @Test(.timeLimit(.minutes(1))) func promptsBeyondTheLimitAreDenied() async throws {
        let prompts = (0..<12).map { Self.approval.replacing(#""a""#, with: "\"a\($0)\"") }
        let transport = Self.asking(prompts)
        let client = try client(transport)
        _ = await client.ask("a")
        while Self.decisions(transport).count < 3 { await Task.yield() }
        #expect(
            Set(Self.decisions(transport)) == Set((9..<12).map { "{\"approval_id\":\"a\($0)\",\"cancelled\":true}" })
        )
    }

    private static let otherApproval = approval.replacing(#""a""#, with: #""b""#).replacing("echo hi", with: "echo ho")

    private static func decisions(_ transport: ScriptedJarvisTransport) -> [String] {
        transport.requests("POST /v1/sessions/voice-1/approval").map(\.text)
    }

    /// A run that asks for these permissions, and continues once those that wait are decided.
    ///
    /// - Parameter open: what waits at the server, if not all of them.
    private static func asking(_ prompts: [String], open: [String]? = nil) -> ScriptedJarvisTransport {
        let created = "id: 1\nevent: response.created\ndata: {\"response\":{\"id\":\"resp_1\"}}\n\n"
        let asked = prompts.enumerated().map { number, prompt in
            "id: \(number + 2)\nevent: response.approval.prompt\ndata: {\(prompt)}\n\n"
        }
        let end = """
            id: 98\nevent: response.output_text.delta\ndata: {"delta":"Done."}\n\n\
            id: 99\nevent: response.completed\ndata: {}\n\n
            """
        let waiting = (open ?? prompts).map { "{\($0)}" }.joined(separator: ",")
        return ScriptedJarvisTransport { request, number in
            switch request.route {
            case "POST /v1/responses": .stream([created, asked.joined()])
            case "GET /v1/responses/resp_1/events": .held(.success(stream(end)))
            case "GET /v1/sessions/voice-1/state":
                .whole(.json(#"{"active_run":true,"pending_approvals":[\#(waiting)]}"#))
            case let look where look.hasPrefix("GET"): .whole(.json("{}"))
            default: number == (open ?? prompts).count - 1 ? .opening(.json("{}")) : .whole(.json("{}"))
            }
        }
    }

    /// A run that asks, and continues once it is answered.
    private static func transport(
        _ name: String,
        _ fields: String,
        refusals: Int = 0,
        replyStatus: Int = 200
    ) -> ScriptedJarvisTransport {
        let created = "id: 1\nevent: response.created\ndata: {\"response\":{\"id\":\"resp_1\"}}\n\n"
        let prompt = "id: 2\nevent: \(name)\ndata: {\(fields)}\n\n"
        let end = """
            id: 3\nevent: response.output_text.delta\ndata: {"delta":"Done."}\n\n\
            id: 4\nevent: response.completed\ndata: {}\n\n
            """
        return ScriptedJarvisTransport { request, number in
            switch request.route {
            // The stream ends after the prompt, so the rest is only reached through another request.
            case "POST /v1/responses": .stream([created, prompt])
            case "GET /v1/responses/resp_1/events": .held(.success(stream(end)))
            case let look where look.hasPrefix("GET"): .whole(.json("{}"))
            // The run continues once the server has accepted the answer.
            default:
                if number < refusals {
                    .whole(.status(400))
                } else {
                    replyStatus == 200 ? .opening(.json("{}")) : .whole(.status(replyStatus))
                }
            }
        }
    }

    private static func stream(_ text: String) -> HTTPResponse {
        HTTPResponse(status: 200, contentType: "text/event-stream", body: Array(text.utf8))
    }

    private func client(
        _ transport: ScriptedJarvisTransport,
        time: TestTime = TestTime(),
        news: NewsBox = NewsBox(),
        log: LineLog = LineLog(),
        _ change: (inout Configuration.Jarvis) -> Void = { _ in }
    ) throws -> JarvisClient {
        var settings = Configuration().jarvis
        settings.api = .responses
        change(&settings)
        return JarvisClient(
            base: try #require(ServerURL("http://127.0.0.1:8080/ui")),
            token: Secret("topsecret"),
            settings: settings,
            transport: transport,
            environment: time.environment(ids: ["1", "2"]),
            onNews: { news.add($0) },
            logger: log.logger
        )
    }
}
