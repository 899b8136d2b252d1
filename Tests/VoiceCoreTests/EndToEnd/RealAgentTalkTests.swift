import FoundationEssentials
import Glibc
import Testing

@testable import StageSupport
@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceCore
@testable import VoiceNetwork

extension EndToEnd {
    /// The client against the real agent server: what the user hears of its prompts, what may be said meanwhile, and
    /// what remains at the server.
    @Suite(.enabled(if: RealAgent.isAtHand), .serialized)
    struct RealAgentTalkTests {
        @Test func commandWithItsFolderIsApprovedElsewhere() async throws {
            let news = NewsBox()
            try await Self.talk(news: news) { client, files in
                let asked = await client.ask("run echo hi")
                #expect(
                    asked.told.contains("run this command: \"echo hi\"\nIt would run in the folder \"\(files)\"\n")
                )
                #expect(!asked.told.contains("A yes holds"))
                // The command is allowed in another window.
                let session = await client.sessionID
                let state = try #require(await client.connection.state(of: session))
                let reply = try #require(state.prompts.first?.permission(for: "echo hi"))
                _ = await client.transport.exchange(client.request.reply(reply, session: session))
                try await until { news.all.count == 3 }
                guard case .answered(let answer, _)? = news.all.last else { return #expect(Bool(false)) }
                #expect(answer.spoken.contains("The tool said"))
                #expect(await client.approve("echo hi", true, heard: client.prompts).failure == .nothingPending)
            }
        }

        @Test func readWriteAndGrantAreWordedApart() async throws {
            try await Self.talk { client, files in
                let read = await client.ask("read the file letter.txt")
                #expect(read.told.contains("read the file: \"\(files)/letter.txt\"\n"))
                #expect(
                    await client.approve("\(files)/letter.txt", true, heard: client.prompts).spoken.hasPrefix(
                        "The file says"
                    )
                )
                let write = await client.ask("write the file notes.txt")
                #expect(write.told.contains("write the file: \"\(files)/notes.txt\"\n"))
                _ = await client.approve("", false, heard: client.prompts)
                let grant = await client.ask("workspace")
                #expect(grant.told.contains("read and change everything in the folder: \"\(files)\"\n"))
                #expect(grant.told.contains("as long as this conversation with Jarvis lives"))
                #expect(
                    await client.approve(files, true, heard: client.prompts).spoken.contains(
                        "persisted with this session"
                    ),
                    "so it is"
                )
            }
        }

        @Test func silenceDeniesAndTheEndIsReported() async throws {
            let news = NewsBox()
            try await Self.talk(["jarvis.human_timeout_s=10"], news: news) { client, files in
                _ = await client.ask("quietly run echo no")
                try await until { news.all.count == 3 }
                guard case .answered(let answer, let query)? = news.all.last else { return #expect(Bool(false)) }
                #expect(query == "quietly run echo no" && answer.failure == nil)
                #expect(await client.ask("say: free again").spoken == "free again")
            }
        }

        @Test(arguments: [Configuration.Jarvis.API.chat, .responses])
        func remarksProgressAndForgettingWork(api: Configuration.Jarvis.API) async throws {
            try await Self.talk(["jarvis.api=\(api)"]) { client, files in
                _ = await client.ask("say: one")
                let answer = Task { await client.ask("slow 3") }
                try await until { await client.progress()?.isEmpty == false }
                #expect(await client.add("say: and the weather is fine") == nil)
                #expect(await answer.value.spoken.contains("and the weather is fine"))
                #expect(await client.add("too late") == .notAddable)
                #expect(await client.ask("count my questions").spoken.hasPrefix("You have asked 4 questions"))
                #expect(await client.forgetLast() == .forgotten)
                #expect(await client.forgetLast() == .nothing)
                #expect(await client.ask("count my questions").spoken.hasPrefix("You have asked 4 questions"))
            }
        }

        @Test func requestUnderWayIsForgotten() async throws {
            try await Self.talk { client, files in
                _ = await client.ask("say: one")
                let answer = Task { await client.ask("slow 20") }
                try await until { await client.progress() != nil }
                try await Task.sleep(for: .milliseconds(500))
                #expect(await client.forgetLast() == .forgotten)
                _ = await answer.value
                #expect(await client.ask("count my questions").spoken.hasPrefix("You have asked 2 questions"))
            }
        }

        @Test func theToolAtWorkIsNamed() async throws {
            try await Self.talk { client, files in
                _ = await client.ask("command of 3 seconds")
                let answer = Task { await client.approve("sleep 3", true, heard: client.prompts) }
                try await until { client.activity == "running a command" }
                _ = await answer.value
                #expect(client.activity == nil)
            }
        }

        @Test func thePreambleReachesTheServer() async throws {
            try await Self.talk(["jarvis.preamble=auto"]) { client, files in
                let counted = await client.ask("count my questions").spoken
                #expect(counted.hasPrefix("You have asked 1 questions. The first was: (A voice box passes this on"))
                #expect(await client.ask("say: <!-- voice -->hello").spoken == "hello")
            }
        }

        private func until(_ isSo: () async -> Bool) async throws {
            for _ in 0..<400 {
                if await isSo() { return }
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(Bool(false), "it did not come to that")
        }

        /// Runs a conversation with a separate server and these additional settings.
        private static func talk(
            _ overrides: [String] = [],
            news: NewsBox = NewsBox(),
            _ body: @Sendable @escaping (JarvisClient, _ files: String) async throws -> Void
        ) async throws {
            let loader = ConfigurationLoader(environment: [:], files: .stub([:]))
            let settings = try loader.load(
                path: nil, overrides: ["jarvis.api=responses", "jarvis.preamble=off"] + overrides
            ).values.jarvis
            let agent = try RealAgent()
            let facts = agent.facts
            try await NetworkThread.with { network in
                let client = JarvisClient(
                    base: try #require(ServerURL(facts.url)),
                    token: Secret(facts.token),
                    settings: settings,
                    transport: network,
                    onNews: { news.add($0) },
                    logger: LineLog().logger
                )
                try await body(client, facts.dir)
            }
            withExtendedLifetime(agent) {}
        }
    }
}
