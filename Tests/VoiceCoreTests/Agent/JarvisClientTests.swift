import Logging
import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceNetwork
@testable import VoiceReply

struct JarvisClientTests {
    @Test func anAnswerIsMadeForTheEar() async throws {
        let client = try client(ScriptedJarvisTransport([.content("**Two** meetings.")]))
        let answer = await client.ask("what's on today?")
        #expect(answer.spoken == "Two meetings.")
        #expect(answer.full == "Two meetings.")
        #expect(answer.failure == nil)
        #expect(await client.lastReply?.full == "Two meetings.")
    }

    @Test func questionsShareASessionUntilItIsRenewed() async throws {
        let transport = ScriptedJarvisTransport([.content("Yes.")])
        let client = try client(transport)
        _ = await client.ask("a")
        _ = await client.ask("b")
        await client.startFresh()
        _ = await client.ask("c")
        let sessions = transport.requests.map { request in request.headers.first { $0.name == "session_id" }?.value }
        #expect(sessions == ["voice-1", "voice-1", "voice-2"])
    }

    @Test func aBusyServerIsAskedOnceMore() async throws {
        let transport = ScriptedJarvisTransport([.status(409), .content("Yes.")])
        #expect(await (try client(transport)).ask("a").spoken == "Yes.")
        #expect(transport.requests("POST /v1/chat/completions").count == 2)
        let stubborn = ScriptedJarvisTransport([.status(409)])
        #expect(await (try client(stubborn)).ask("a").failure == .busy)
        #expect(stubborn.requests("POST /v1/chat/completions").count == 2)
    }

    @Test func theQuestionIsRepeatedWhenTheSessionIsIdle() async throws {
        let transport = ScriptedJarvisTransport { request, number in
            if request.method == "GET" { return .whole(.json("{\"active_run\":\(number < 3)}")) }
            return .whole(number == 0 ? .status(409) : .content("Yes."))
        }
        #expect(await (try client(transport)).ask("a").spoken == "Yes.")
        #expect(transport.requests("GET /v1/sessions/voice-1/state").count == 4)
        #expect(transport.routes.last == "POST /v1/chat/completions")
    }

    @Test func failingServerIsNotAskedAgainSoon() async throws {
        let transport = ScriptedJarvisTransport([.failure(.timedOut)])
        let client = try client(transport)
        for _ in 0..<3 { #expect(await client.ask("a").failure == .timedOut) }
        for _ in 0..<2 { #expect(await client.ask("a").failure == .resting(seconds: 30)) }
        #expect(transport.requests.count == 3)
    }

    @Test func trialBeginsWithACheckOfTheServer() async throws {
        let time = TestTime(short: .seconds(60))
        let transport = ScriptedJarvisTransport { request, number in
            guard request.method == "GET" else { return .whole(number < 3 ? .failure(.timedOut) : .content("Yes.")) }
            return .whole(number == 0 ? .failure(.offline(detail: "refused")) : .json(Self.health))
        }
        let client = try client(transport, time: time)
        for _ in 0..<3 { #expect(await client.ask("a").failure == .timedOut) }
        await time.sleep(.seconds(31))
        #expect(await client.ask("a").failure == .offline(detail: "refused"), "not asked: the server is not there")
        #expect(transport.requests("POST /v1/chat/completions").count == 3)
        await time.sleep(.seconds(60))
        #expect(await client.ask("a").spoken == "Yes.")
    }

    @Test func checkNoticesLossAndReturnOfTheAgent() async throws {
        let time = TestTime(short: .seconds(60))
        let transport = ScriptedJarvisTransport { _, number in
            switch number {
            case 0: .whole(.failure(.cancelled))
            case 1: .whole(.failure(.offline(detail: "refused")))
            default: .whole(.json(Self.health))
            }
        }
        let client = try client(transport, time: time)
        await client.look()
        #expect(transport.requests.isEmpty, "the start has just looked")
        await time.sleep(.seconds(10))
        await client.look()
        #expect(await client.trouble == nil)
        await client.look()
        #expect(await client.trouble?.failure == .offline(detail: "refused"), "a check cut off is made again")
        await time.sleep(.seconds(10))
        await client.look()
        #expect(await client.trouble == nil)
        #expect(transport.requests.count == 3)
    }

    private static let health = "{\"status\":\"ok\",\"version\":\"v1\",\"agent\":\"butler\"}"

    @Test func versionInTheHealthReplyVerifiesTheToken() async throws {
        for (reply, expected) in [
            (.json(Self.health), .success(JarvisHealth(version: "v1", agent: "butler"))),
            (.json("{\"status\":\"ok\"}"), .failure(.authentication)),
            (.json("{}"), .failure(.wrongBasePath(hint: "something else answered at /healthz"))),
            (
                .success(HTTPResponse(status: 200, contentType: "text/html", body: Array("<html>".utf8))),
                .failure(.wrongBasePath(hint: "something else answered at /healthz"))
            ),
            (
                .success(HTTPResponse(status: 307, contentType: nil, location: "/ui/")),
                .failure(.wrongBasePath(hint: "redirect to /ui/"))
            ),
            (.failure(.offline(detail: "refused")), .failure(.offline(detail: "refused"))),
        ] as [(JarvisResponse, Result<JarvisHealth?, JarvisFailure>)] {
            let client = try client(ScriptedJarvisTransport { _, _ in .whole(reply) })
            #expect(await client.check() == expected)
        }
    }

    @Test func clientHasItsOwnTimeLimit() async throws {
        let time = TestTime()
        let transport = ScriptedJarvisTransport([.content("Late.")], isOpen: false)
        let client = try client(transport, time: time)
        let answer = Task { await client.ask("a") }
        await time.pass(.seconds(120))
        #expect(await answer.value.failure == .timedOut)
        while transport.cancelled == 0 { await Task.yield() }
    }

    @Test func requestUnderWayCanBeCancelled() async throws {
        let transport = ScriptedJarvisTransport([.content("Yes.")], isOpen: false)
        let client = try client(transport)
        #expect(await !client.cancelRequest())
        let first = Task { await client.ask("first") }
        while transport.requests.isEmpty { await Task.yield() }
        #expect(await client.cancelRequest())
        #expect(await first.value.failure == .cancelled)
        while transport.cancelled == 0 { await Task.yield() }
        transport.open()
        #expect(await client.ask("second").spoken == "Yes.")
    }

    @Test func moreContinuesAfterTheCut() async throws {
        let sentences = (1...60).map { "This is sentence number \($0) of the answer." }
        let transport = ScriptedJarvisTransport([.content(sentences.joined(separator: " "))])
        let client = try client(transport)
        var heard = [await client.ask("a").spoken]
        while let more = await client.readOn() { heard.append(more) }
        #expect(heard.count > 2)
        #expect(heard.dropLast().allSatisfy { $0.hasSuffix(SpeechShaper.offer) })
        let whole = heard.map { $0.replacing(" " + SpeechShaper.offer, with: "") }.joined(separator: " ")
        #expect(whole == sentences.joined(separator: " "))
        #expect(transport.requests.count == 1)
        _ = await client.ask("b")
        await client.startFresh()
        #expect(await client.readOn() == nil)
    }

    @Test func aPlainEndpointIsSentTheConversation() async throws {
        let transport = ScriptedJarvisTransport([.content("One."), .content("Two."), .content("Three.")])
        let client = try client(transport, base: "http://127.0.0.1:8080/ui/v1") {
            $0.api = .openai
            $0.model = "small"
        }
        _ = await client.ask("a")
        _ = await client.ask("b")
        await client.startFresh()
        _ = await client.ask("c")
        #expect(transport.requests.allSatisfy { $0.header("session_id") == nil })
        let last = "{\"messages\":[{\"content\":\"c\",\"role\":\"user\"}],\"model\":\"small\",\"stream\":false}"
        #expect(transport.requests.last?.text == last)
        let second = """
            {"messages":[{"content":"a","role":"user"},{"content":"One.","role":"assistant"},\
            {"content":"b","role":"user"}],"model":"small","stream":false}
            """
        #expect(transport.requests[1].text == second)
    }

    @Test func failureIsSpokenAndNotRetried() async throws {
        let transport = ScriptedJarvisTransport([.status(401)])
        let answer = await (try client(transport)).ask("a")
        #expect(answer.spoken == "Authentication to Jarvis failed; the token may need updating.")
        #expect(answer.full == nil)
        #expect(transport.requests.count == 1)
    }

    @Test func markupAloneIsAnEmptyReply() async throws {
        #expect(await (try client(ScriptedJarvisTransport([.content("---")]))).ask("a").failure == .emptyReply)
    }

    @Test func plainAddressOutsideTheHomeIsRefused() async throws {
        let transport = ScriptedJarvisTransport([.failure(.insecure(host: "example.com", address: "192.0.2.7"))])
        let answer = await (try client(transport, base: "http://example.com/ui")).ask("a")
        #expect(answer.failure == .insecure(host: "example.com", address: "192.0.2.7"))
        #expect(answer.failure?.logLine.contains("jarvis.allow_plain_http") == true)
        #expect(transport.requests.map(\.staysNear) == [true])
    }

    @Test func fourthWaitingQuestionIsRefused() async throws {
        let transport = ScriptedJarvisTransport([.content("Yes.")], isOpen: false)
        let client = try client(transport)
        let answers = await withTaskGroup(of: JarvisAnswer.self) { group in
            for _ in 0..<4 { group.addTask { await client.ask("a") } }
            // Only the refused question can end while the gate is closed.
            var answers = [await group.next()].compactMap { $0 }
            #expect(transport.requests.count <= 1)
            transport.open()
            for await answer in group { answers.append(answer) }
            return answers
        }
        #expect(answers.first?.failure == .tooManyQuestions)
        #expect(answers.dropFirst().allSatisfy { $0.spoken == "Yes." })
        #expect(transport.requests.count == 3)
    }

    @Test func aCancelledQuestionLeavesTheQueue() async throws {
        let transport = ScriptedJarvisTransport([.content("Yes.")], isOpen: false)
        let client = try client(transport)
        let first = Task { await client.ask("first") }
        while transport.requests.isEmpty { await Task.yield() }
        let second = Task { await client.ask("second") }
        second.cancel()
        #expect(await second.value.failure == .cancelled)
        transport.open()
        #expect(await first.value.spoken == "Yes.")
        #expect(await client.ask("third").spoken == "Yes.")
        #expect(transport.requests.count == 2)
    }

    @Test func logHoldsNeitherTokenNorConversation() async throws {
        let log = LineLog()
        for result in [JarvisResponse.content("A private answer."), .status(401), .status(500), .failure(.timedOut)] {
            _ = await (try client(ScriptedJarvisTransport([result]), logger: log.logger)).ask("a private question")
        }
        #expect(log.lines.count == 4)
        for line in log.lines { #expect(!line.contains("private") && !line.contains("topsecret")) }
    }

    private func client(
        _ transport: ScriptedJarvisTransport,
        base: String = "http://127.0.0.1:8080/ui",
        time: TestTime = TestTime(),
        logger: Logger? = nil,
        _ change: (inout Configuration.Jarvis) -> Void = { _ in }
    ) throws -> JarvisClient {
        var settings = Configuration().jarvis
        settings.preamble = .off
        change(&settings)
        return JarvisClient(
            base: try #require(ServerURL(base)), token: Secret("topsecret"), settings: settings, transport: transport,
            environment: time.environment(), logger: logger ?? LineLog().logger
        )
    }
}
