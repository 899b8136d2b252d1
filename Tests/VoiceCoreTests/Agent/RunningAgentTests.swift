import Logging
import Synchronization
import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceNetwork

/// The client against a server on loopback that behaves as documented for the agent.
struct RunningAgentTests {
    @Test func narrationIsNotSpokenAndTheThreadIsContinued() async throws {
        try await Self.stage([.say("Let me look. "), .useTool("shell"), .say("Two "), .say("meetings.")]) {
            client,
            agent in
            #expect(await client.ask("a").spoken == "Two meetings.")
            #expect(await client.ask("b").spoken == "Two meetings.")
            // A slow machine may request the session state in between.
            #expect(agent.routes.filter { $0.hasPrefix("POST") } == ["POST /v1/responses", "POST /v1/responses"])
            #expect(agent.requests.last?.json?["previous_response_id"]?.string?.hasPrefix("resp_msg_") == true)
        }
    }

    @Test func discardedAttemptIsNotHeard() async throws {
        try await Self.stage([.say("Two mee"), .discard, .say("Three meetings.")]) { client, _ in
            #expect(await client.ask("a").spoken == "Three meetings.")
        }
    }

    @Test func aRunOutlivesItsConnection() async throws {
        try await Self.stage([.say("Two "), .cut, .wait(milliseconds: 30), .say("meetings.")]) { client, agent in
            #expect(await client.ask("a").spoken == "Two meetings.")
            #expect(agent.routes.contains { $0.hasSuffix("/events") })
            #expect(agent.routes.filter { $0 == "POST /v1/responses" }.count == 1)
        }
    }

    @Test func lostFramesAreReplacedByTheSnapshot() async throws {
        let steps = [AgentStep.say("One "), .cut] + Array(repeating: .say("more "), count: 20)
        try await Self.stage(steps) { client, agent in
            agent.keepFrames(3)
            #expect(await client.ask("a").spoken.hasPrefix("One more more"))
            #expect(agent.routes.contains { $0.hasPrefix("GET /v1/responses/resp_run") && !$0.hasSuffix("events") })
        }
    }

    @Test func aRestartInTheMiddleIsSurvived() async throws {
        try await Self.stage([.say("Two "), .hold, .say("meetings.")]) { client, agent in
            let answer = Task { await client.ask("a") }
            try await Self.untilSent("Two ", by: agent)
            await agent.restart()
            agent.proceed()
            #expect(await answer.value.spoken == "Two meetings.")
            #expect(agent.routes.filter { $0 == "POST /v1/responses" }.count == 2)
        }
    }

    @Test func restartAfterToolsIsReported() async throws {
        try await Self.stage([.useTool("mail"), .hold, .say("Sent.")]) { client, agent in
            let answer = Task { await client.ask("a") }
            try await Self.untilSent("tool_exec.end", by: agent)
            await agent.restart()
            agent.proceed()
            #expect(await answer.value.failure == .lost)
            #expect(agent.routes.filter { $0 == "POST /v1/responses" }.count == 1)
        }
    }

    /// Restarts the server after every part of a run that has a side effect, with and without tool events.
    @Test(arguments: [true, false])
    func restartAtAnyPointRunsAToolOnceAtMost(hidesTools: Bool) async throws {
        let steps = [AgentStep.say("Doing it. "), .useTool("shell"), .say("It is done.")].flatMap(\.expanded)
        for cut in 0...steps.count {
            let script = steps.prefix(cut) + [.hold] + steps.dropFirst(cut)
            try await Self.stage(Array(script)) { client, agent in
                if hidesTools { agent.hideTools() }
                let answer = Task { await client.ask("a") }
                try await Self.until { agent.isHolding }
                await agent.restart()
                agent.proceed()
                let heard = await answer.value
                #expect(agent.effects <= 1, "cut after \(cut) parts")
                #expect(heard.failure == .lost || heard.spoken == "It is done.", "cut after \(cut) parts: \(heard)")
                #expect((heard.failure == nil) == (cut < 2), "before the tool is called it is asked again")
            }
        }
    }

    @Test func restartedDaemonEndsItsOwnOpenQuestion() async throws {
        let steps = [AgentStep.approve(command: "rm -rf *", in: "/srv/box"), .say("Done.")]
        let agent = RunningAgent(token: "topsecret") {
            $0.json?["input"]?.string == "clean up" ? steps : [.say("Yes.")]
        }
        let port = try await agent.start()
        let saved = Mutex<SavedJarvisSession?>(nil)
        let store = JarvisSessionStore(
            load: { saved.withLock { $0 } },
            save: { session in saved.withLock { $0 = session } }
        )
        try await NetworkThread.with { network in
            let first = try Self.client(network, port, store)
            #expect(await first.ask("hello").spoken == "Yes.")
            #expect(await first.ask("clean up").told.contains("rm -rf *"))
            // The client dies here: no one ends the agent's run.
            let second = try Self.client(network, port, store)
            #expect(await second.ask("hello again").spoken.hasSuffix("so it was ended. Yes."))
            #expect(agent.effects == 0)
            let third = try Self.client(network, port, store)
            await third.checkAtStart()
            #expect(await third.ask("hello again").spoken == "Yes.")
        }
        await agent.stop()
    }

    @Test func cancelReachesTheServerBeforeTheNextQuestion() async throws {
        try await Self.stage([.say("Two "), .hold, .say("meetings.")]) { client, agent in
            let answer = Task { await client.ask("a") }
            try await Self.untilSent("Two ", by: agent)
            // It was sent; the client must have read the run's id.
            try await Task.sleep(for: .milliseconds(50))
            #expect(await client.cancelRequest())
            #expect(await answer.value.failure == .cancelled)
            agent.proceed()
            #expect(await client.ask("b").spoken == "Two meetings.")
            #expect(agent.routes.contains { $0.hasSuffix("/cancel") })
        }
    }

    @Test func aQuestionOfTheAgentIsAnswered() async throws {
        let prompt: SimulatedJSON = [
            "call_id": "c1",
            "questions": [["question": "Which calendar?", "options": [["label": "Work"], ["label": "Home"]]]],
        ]
        try await Self.stage([.ask(prompt), .say("Done.")]) { client, agent in
            #expect(await client.ask("a").told.contains(#""Which calendar?" The options are: "Work"; "Home"."#))
            #expect(await client.answer(["home"], heard: 1).spoken == "Done.")
            #expect(agent.replies == [["call_id": "c1", "answers": [["question_index": 0, "selected": "Home"]]]])
        }
    }

    @Test func aPermissionIsGivenOrDenied() async throws {
        let prompt: SimulatedJSON = [
            "approval_id": "appr_1", "title": "Shell Command Request", "path": "echo hi", "is_shell": true,
            "is_write": false,
            "options": [
                ["index": 0, "label": "Allow this specific command", "choice": "command"],
                ["index": 1, "label": "Allow once", "choice": "once"], ["index": 2, "label": "Deny", "choice": "deny"],
            ],
        ]
        try await Self.stage([.approve(prompt), .say("Done.")]) { client, agent in
            #expect(await client.ask("a").told.contains("echo hi"))
            #expect(await client.approve("echo hi there", true, heard: 1).failure == .otherCommand)
            #expect(agent.replies.isEmpty)
            #expect(await client.approve("echo hi", true, heard: 1).spoken == "Done.")
            #expect(agent.replies == [["approval_id": "appr_1", "choice": 1]])
            #expect(agent.effects == 1)
        }
    }

    @Test func aFailureOfTheModelIsNotSpoken() async throws {
        let message = "Fake API error (status 400): upstream says bad request"
        try await Self.stage([.fail(type: "invalid_request_error", message: message)]) { client, _ in
            let answer = await client.ask("a")
            #expect(answer.failure == .runFailed(detail: message))
            #expect(!answer.spoken.contains("upstream"))
        }
    }

    @Test func theServerIsCheckedByItsHealth() async throws {
        try await Self.stage([]) { client, _ in
            #expect(await client.check() == .success(JarvisHealth(version: "v0.0.403", agent: "stand-in")))
            #expect(await client.ask("a").failure == .emptyReply)
        }
    }

    private static func untilSent(_ text: String, by agent: RunningAgent) async throws {
        try await until { agent.hasSent(text) }
    }

    private static func until(_ condition: () -> Bool) async throws {
        for _ in 0..<30_000 where !condition() { try await Task.sleep(for: .milliseconds(1)) }
    }

    private static func stage(
        _ steps: [AgentStep],
        _ body: @Sendable @escaping (JarvisClient, RunningAgent) async throws -> Void
    ) async throws {
        let agent = RunningAgent(token: "topsecret") { _ in steps }
        let port = try await agent.start()
        try await NetworkThread.with { network in
            try await body(try client(network, port), agent)
        }
        await agent.stop()
    }

    private static func client(
        _ network: NetworkThread,
        _ port: Int,
        _ store: JarvisSessionStore = .none
    ) throws -> JarvisClient {
        var settings = Configuration().jarvis
        settings.api = .responses
        return JarvisClient(
            base: try #require(ServerURL("http://127.0.0.1:\(port)/ui")),
            token: Secret("topsecret"),
            settings: settings,
            transport: network,
            store: store,
            logger: LineLog().logger
        )
    }
}
