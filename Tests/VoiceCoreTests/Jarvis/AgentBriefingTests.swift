import FoundationEssentials
import Testing

@testable import VoiceCore

/// What the agent is told of its mouth, and when.
struct AgentBriefingTests {
    @Test func thePreambleIsShortAndSaysWhatMatters() {
        let words = AgentBriefing.preamble.split(whereSeparator: \.isWhitespace)
        #expect(words.count <= 60, "\(words.count) words")
        for fact in ["read aloud", "under 100 words", "no Markdown", "\"url\"", "\"reason\"", "podcast"] {
            #expect(AgentBriefing.preamble.contains(fact), "\(fact)")
        }
    }

    @Test func theTextForAgentsIsTheSameInBothFiles() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/examples")
        func read(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
        }
        let text = try read("agent-prompt.txt")
        let yaml = try read("agent.yaml").split(separator: "\n", omittingEmptySubsequences: false)
        let block = yaml.drop { $0 != "  web_developer_message: |" }.dropFirst()
            .map { $0.hasPrefix("    ") ? $0.dropFirst(4) : $0 }.joined(separator: "\n")
        #expect(block == text)
        for fact in [AgentBriefing.mark, "under 100 words", "no Markdown", "titles", "\"reason\""] {
            #expect(text.contains(fact), "\(fact)")
        }
    }

    @Test func theMarkIsHeardInNoReply() throws {
        for reply in ["<!-- voice -->Two meetings.", "<!-- voice -->\n\nTwo meetings.", "Two meetings. <!-- voice -->"]
        {
            let (words, hasMark) = AgentBriefing.read(reply)
            #expect(hasMark)
            #expect(SpeechShaper().shape(words)?.spoken == "Two meetings.")
        }
        #expect(!AgentBriefing.read("Two meetings.").hasMark)
    }

    @Test func thePreambleGoesWithTheFirstQuestionOfEachConversation() async throws {
        let transport = ScriptedJarvisTransport([.content("Yes.")])
        let client = try client(transport)
        for query in ["a", "b"] { _ = await client.ask(query) }
        await client.startFresh()
        _ = await client.ask("c")
        #expect(Self.asked(transport) == [AgentBriefing.preamble + "\n\na", "b", AgentBriefing.preamble + "\n\nc"])
    }

    @Test func aFirstQuestionThatFailedIsNotCountedAsOne() async throws {
        let transport = ScriptedJarvisTransport([.status(500), .content("Yes.")])
        let client = try client(transport)
        for query in ["a", "b"] { _ = await client.ask(query) }
        #expect(Self.asked(transport)[1] == AgentBriefing.preamble + "\n\nb")
    }

    @Test func anAgentThatShowsTheMarkIsToldNoMore() async throws {
        let transport = ScriptedJarvisTransport([.content("<!-- voice -->Yes."), .content("Yes.")])
        let client = try client(transport)
        #expect(await client.ask("a").spoken == "Yes.")
        for query in ["b", "c"] {
            await client.startFresh()
            _ = await client.ask(query)
        }
        #expect(
            Self.asked(transport).dropFirst() == ["b", AgentBriefing.preamble + "\n\nc"],
            "told again once the mark is gone"
        )
    }

    @Test func anAgentThatSaysSoInItsHealthIsNotTold() async throws {
        let health = #"{"status":"ok","version":"v1","capabilities":["api","voice-box"]}"#
        let transport = ScriptedJarvisTransport { request, _ in
            .whole(request.method == "GET" ? .json(health) : .content("Yes."))
        }
        let client = try client(transport)
        await client.checkAtStart()
        _ = await client.ask("a")
        #expect(Self.asked(transport) == ["a"])
    }

    @Test(arguments: [(Configuration.Jarvis.Preamble.always, true), (.off, false)])
    func theOwnerDecides(setting: Configuration.Jarvis.Preamble, isTold: Bool) async throws {
        let transport = ScriptedJarvisTransport([.content("<!-- voice -->Yes.")])
        let client = try client(transport) { $0.preamble = setting }
        _ = await client.ask("a")
        await client.startFresh()
        _ = await client.ask("b")
        #expect(Self.asked(transport).allSatisfy { $0.hasPrefix(AgentBriefing.preamble) == isTold })
    }

    /// The user messages that were sent.
    private static func asked(_ transport: ScriptedJarvisTransport) -> [String] {
        transport.requests("POST /v1/chat/completions").compactMap { request in
            let body = try? JSONDecoder().decode(JSONValue.self, from: Data(request.body))
            guard case .array(let messages)? = body?["messages"] else { return nil }
            return messages.last?["content"]?.stringValue
        }
    }

    private func client(
        _ transport: ScriptedJarvisTransport,
        _ change: (inout Configuration.Jarvis) -> Void = { _ in }
    ) throws -> JarvisClient {
        var settings = Configuration().jarvis
        change(&settings)
        return JarvisClient(
            base: try #require(ServerURL("http://127.0.0.1:8080/ui")),
            token: nil,
            settings: settings,
            transport: transport,
            surroundings: TestTime().surroundings(),
            logger: LineLog().logger
        )
    }
}
