import FoundationEssentials
import Logging
import Synchronization
import Testing

@testable import StageSupport
@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceNetwork
@testable import VoiceReply

extension EndToEnd {
    /// The client against the real agent server, with both of its APIs.
    @Suite(.enabled(if: RealAgent.isAtHand), .serialized)
    struct RealAgentTests {
        private static let styles: [Configuration.Jarvis.API] = [.responses, .chat]
        /// Needs no permission for its tools.
        private static let free = "--extra=--yolo"
        private static let hidden = "--suppress-server-tool-calls"

        @Test(arguments: styles)
        func turnsKeepTheirHistory(style: Configuration.Jarvis.API) async throws {
            try await Self.with { agent, network in
                let client = try agent.client(style, on: network)
                #expect(await client.ask("what is on today?").spoken.hasPrefix("You have two meetings today"))
                #expect(await client.ask("count my questions").spoken.contains("asked 2 questions"))
                await client.startFresh()
                #expect(await client.ask("count my questions").spoken.contains("asked 1 questions"))
            }
        }

        @Test func answerIsSpokenWhileItIsWritten() async throws {
            try await Self.with { agent, network in
                let client = try agent.client(.responses, on: network)
                let (sentences, answer) = await client.talk("dribble 5")
                let ended = Monotonic.now()
                #expect(sentences.map(\.words) == ["Word 1.", "Word 2.", "Word 3.", "Word 4."])
                #expect(answer.spoken == "Word 5." && answer.goesOn)
                let first = try #require(sentences.first)
                #expect(ended - first.at > .seconds(3), "the model writes a word a second")
                // The provider breaks twice, and what it wrote is withdrawn.
                let (more, other) = await client.talk("break 2")
                #expect(more.isEmpty && other.spoken == "Attempt 3 went well.")
            }
        }

        @Test func aPermissionIsGivenOrDenied() async throws {
            try await Self.with { agent, network in
                let client = try agent.client(.responses, on: network)
                let command = "date +%T.%N >> \(agent.facts.effects)"
                let first = await client.ask("side effect")
                #expect(first.told.contains(command))
                #expect(try agent.effects == 0)
                #expect(await client.approve("rm -rf /", true, heard: first.prompt?.number).failure == .otherCommand)
                #expect(await client.approve(command, false, heard: first.prompt?.number).failure == nil)
                #expect(try agent.effects == 0)
                let asked = await client.ask("side effect")
                #expect(await client.approve(command, true, heard: asked.prompt?.number).spoken == "It is done.")
                #expect(try agent.effects == 1)
            }
        }

        @Test(arguments: styles)
        func aQuestionOfTheAgentIsAnswered(style: Configuration.Jarvis.API) async throws {
            try await Self.with { agent, network in
                let client = try agent.client(style, on: network)
                let asked = await client.ask("ask me")
                #expect(asked.told.contains("Which colour do you want?"))
                #expect(await client.answer(["blue"], heard: asked.prompt?.number).spoken.contains("Blue"))
            }
        }

        /// The server dies before, during and after the work of a tool, and is back immediately.
        @Test(arguments: styles, [[free], [free, hidden]])
        func aServerRestartedInMidRunDoesNothingTwice(style: Configuration.Jarvis.API, options: [String]) async throws {
            try await Self.with(options) { agent, network in
                let client = try agent.client(style, on: network)
                let note = "echo x >> \(agent.facts.effects)"
                let during = Task { await client.ask("run \(note); sleep 3") }
                try await Self.until { try agent.effects == 1 }
                try agent.order("kill")
                try agent.order("start")
                let heard = await during.value
                #expect(style == .chat ? Self.isCutOff(heard) : heard.failure == .lost, "\(heard)")
                #expect(try agent.effects == 1)
                let after = Task { await client.ask("side effect, wait 3") }
                try await Self.until { try agent.effects == 2 }
                try await Task.sleep(for: .milliseconds(500))
                try agent.order("kill")
                try agent.order("start")
                let cut = await after.value
                #expect(style == .chat ? Self.isCutOff(cut) : cut.failure == .lost, "\(cut)")
                #expect(try agent.effects == 2)
                let before = Task { await client.ask("slow 2") }
                try await Task.sleep(for: .milliseconds(700))
                try agent.order("kill")
                try agent.order("start")
                let last = await before.value
                // By now a chat has failed three times, and the client gives the server a pause.
                guard style == .responses else { return }
                #expect(last.spoken == "That took 2 seconds.")
                #expect(await client.ask("what is on today?").spoken.contains("two meetings"))
            }
        }

        /// The ready-made text of docs/examples in the agent's own file: the server sends it once per conversation, and
        /// once the agent has shown that it has the text, the box adds nothing.
        @Test(arguments: styles)
        func readyTextReplacesThePreamble(style: Configuration.Jarvis.API) async throws {
            let text = try ProjectFiles.text("docs/examples/agent.yaml")
            try await Self.with { agent, network in
                try agent.restart(with: text)
                let client = try agent.client(style, on: network)
                for _ in 0..<3 {
                    #expect(await client.ask("say: <!-- voice -->Two meetings.").spoken == "Two meetings.")
                    #expect(await client.ask("count my questions").spoken.contains("asked 2 questions"))
                    await client.startFresh()
                }
                let requests = try agent.modelRequests().map { $0.joined(separator: "\n") }
                #expect(requests.count == 6)
                for (number, request) in requests.enumerated() {
                    #expect(request.ranges(of: "You are heard, not read.").count == 1, "request \(number)")
                    #expect(request.ranges(of: "it tells the box that you have this text.").count == 1)
                    // Before its first answer nothing is known of the agent.
                    #expect(
                        request.ranges(of: AgentBriefing.preamble).count == (number < 2 ? 1 : 0), "request \(number)"
                    )
                }
            }
        }

        /// The API without sessions: nothing can be looked up, so nothing is asked again.
        @Test func connectionLostDuringARunIsReported() async throws {
            try await Self.with([Self.free]) { agent, network in
                let client = try agent.client(.openai, on: network)
                let words = "run echo x >> \(agent.facts.effects); sleep 3"
                let heard = Task { await client.ask(words) }
                try await Self.until { try agent.effects == 1 }
                try agent.order("kill")
                try agent.order("start")
                #expect(Self.isCutOff(await heard.value))
                #expect(await client.ask("what is on today?").spoken.contains("two meetings"))
                #expect(try agent.effects == 1)
            }
        }

        @Test func daemonKilledDuringAPermissionCanAskAgain() async throws {
            try await Self.with { agent, network in
                let saved = Mutex<SavedJarvisSession?>(nil)
                let store = JarvisSessionStore(
                    load: { saved.withLock { $0 } },
                    save: { session in saved.withLock { $0 = session } }
                )
                for looksAtStart in [false, true] {
                    let first = try agent.client(.responses, on: network, store: store)
                    #expect(await first.ask("what is on today?").failure == nil)
                    #expect(await first.ask("side effect").told.contains("effects.txt"))
                    // No one ends the agent's run.
                    let second = try agent.client(.responses, on: network, store: store)
                    if looksAtStart { await second.checkAtStart() }
                    let began = Monotonic.now()
                    let heard = await second.ask("what is on today?")
                    #expect(
                        heard.spoken.hasPrefix("An earlier request was still waiting for your answer, so it was ended.")
                    )
                    #expect(heard.spoken.contains("two meetings"))
                    #expect(Monotonic.now() - began < .seconds(looksAtStart ? 1 : 5))
                    #expect(try agent.effects == 0)
                }
            }
        }

        @Test(arguments: styles)
        func cancelledRequestHasEndedAtTheServer(style: Configuration.Jarvis.API) async throws {
            try await Self.with([Self.free]) { agent, network in
                let saved = Mutex<SavedJarvisSession?>(nil)
                let store = JarvisSessionStore(
                    load: { nil },
                    save: { session in saved.withLock { $0 = session } }
                )
                let log = LineLog()
                let client = try agent.client(style, on: network, store: store, log: log)
                _ = await client.ask("what is on today?")
                let answer = Task { await client.ask("command of 9 seconds") }
                try await Self.until { saved.withLock { $0 != nil } }
                let id = try #require(saved.withLock { $0?.id })
                let connection = await client.connection
                for _ in 0..<500 where await connection.state(of: id)?.isActive != true {
                    try await Task.sleep(for: .milliseconds(10))
                }
                #expect(await client.cancelRequest())
                #expect(await answer.value.failure == .cancelled)
                let began = Monotonic.now()
                #expect(await client.ask("count my questions").spoken.contains("questions"))
                #expect(Monotonic.now() - began < .seconds(2), "the next question does not stand behind the old one")
                let last = Task { await client.ask("command of 9 seconds") }
                for _ in 0..<500 where await connection.state(of: id)?.isActive != true {
                    try await Task.sleep(for: .milliseconds(10))
                }
                let left = Monotonic.now()
                await client.leave()
                #expect(Monotonic.now() - left < .milliseconds(1200))
                #expect(await connection.state(of: id)?.isActive == false)
                #expect(await last.value.failure == .cancelled)
                #expect(log.lines.count { $0.contains("Jarvis has stopped") } == 2)
            }
        }

        @Test func missingServerIsReportedSoon() async throws {
            try await Self.with([Self.free]) { agent, network in
                let log = LineLog()
                let client = try agent.client(.responses, on: network, log: log)
                let answer = Task { await client.ask("command of 9 seconds") }
                try await Task.sleep(for: .milliseconds(700))
                try agent.order("kill")
                let began = Monotonic.now()
                guard case .cutOff? = await answer.value.failure else {
                    Issue.record("it was at work")
                    return
                }
                #expect(Monotonic.now() - began < .seconds(8))
                #expect(!log.lines.contains { $0.contains("timeout_s") })
            }
        }

        @Test(arguments: styles)
        func limitOfTheServerIsReportedAsItsOwn(style: Configuration.Jarvis.API) async throws {
            try await Self.with(["--response-timeout", "1s"]) { agent, network in
                let client = try agent.client(style, on: network)
                #expect(await client.ask("slow 4").failure == .serverLimit)
            }
        }

        private static func with(
            _ options: [String] = [],
            _ body: @Sendable @escaping (RealAgent, NetworkThread) async throws -> Void
        ) async throws {
            let agent = try RealAgent(options)
            try await NetworkThread.with { network in try await body(agent, network) }
        }

        private static func isCutOff(_ answer: JarvisAnswer) -> Bool {
            if case .cutOff? = answer.failure { true } else { false }
        }

        private static func until(_ condition: () throws -> Bool) async throws {
            for _ in 0..<1000 where try !condition() { try await Task.sleep(for: .milliseconds(10)) }
        }
    }
}
