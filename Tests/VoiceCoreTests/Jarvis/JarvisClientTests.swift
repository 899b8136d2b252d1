import Logging
import Testing

@testable import VoiceCore

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
        #expect(transport.requests.count == 2)
        let stubborn = ScriptedJarvisTransport([.status(409)])
        #expect(await (try client(stubborn)).ask("a").failure == .busy)
        #expect(stubborn.requests.count == 2)
    }

    @Test func aServerInTroubleIsNotWaitedForAgainAndAgain() async throws {
        let transport = ScriptedJarvisTransport([.failed(.timedOut)])
        let client = try client(transport)
        for _ in 0..<5 { #expect(await client.ask("a").failure == .timedOut) }
        #expect(transport.requests.count == 3)
    }

    @Test func aFailureIsSpokenAndNothingElseIsRepeated() async throws {
        let transport = ScriptedJarvisTransport([.status(401)])
        let answer = await (try client(transport)).ask("a")
        #expect(answer.spoken == "Authentication to Jarvis failed; the token may need updating.")
        #expect(answer.full == nil)
        #expect(transport.requests.count == 1)
    }

    @Test func markupAloneIsAnEmptyReply() async throws {
        #expect(await (try client(ScriptedJarvisTransport([.content("---")]))).ask("a").failure == .emptyReply)
    }

    @Test func aTokenIsNotSentIntoTheOpen() async throws {
        let transport = ScriptedJarvisTransport([.content("Yes.")])
        let answer = await (try client(transport, base: "http://example.com/ui")).ask("a")
        #expect(answer.failure == .insecure(host: "example.com"))
        #expect(transport.requests.isEmpty)
    }

    @Test func questionsWaitForEachOtherAndTheFourthIsTurnedAway() async throws {
        let transport = ScriptedJarvisTransport([.content("Yes.")], isOpen: false)
        let client = try client(transport)
        let answers = await withTaskGroup(of: JarvisAnswer.self) { group in
            for _ in 0..<4 { group.addTask { await client.ask("a") } }
            // The one that is turned away is the only one that can end while the gate is closed.
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

    @Test func noLineHoldsTheTokenOrTheConversation() async throws {
        let log = LineLog()
        for result in [JarvisHTTPResult.content("A private answer."), .status(401), .status(500), .failed(.timedOut)] {
            _ = await (try client(ScriptedJarvisTransport([result]), logger: log.logger)).ask("a private question")
        }
        #expect(log.lines.count == 4)
        for line in log.lines { #expect(!line.contains("private") && !line.contains("topsecret")) }
    }

    private func client(
        _ transport: ScriptedJarvisTransport,
        base: String = "http://127.0.0.1:8080/ui",
        logger: Logger? = nil
    ) throws -> JarvisClient {
        let ids = TextSource(["1", "2", "3"])
        return JarvisClient(
            base: try #require(ServerURL(base)),
            token: Secret("topsecret"),
            settings: Configuration().jarvis,
            transport: transport,
            surroundings: .init(now: { .zero }, sleep: { _ in }, makeID: { ids.next() }),
            logger: logger ?? LineLog().logger
        )
    }
}
