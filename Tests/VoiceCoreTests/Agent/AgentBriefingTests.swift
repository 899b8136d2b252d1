import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceNetwork
@testable import VoiceReply

/// What the agent is told about its voice, and when.
struct AgentBriefingTests {
    @Test func preambleIsShortAndStatesTheRules() {
        let words = AgentBriefing.preamble.split(whereSeparator: \.isWhitespace)
        #expect(words.count <= 60, "\(words.count) words")
        for fact in ["read aloud", "under 100 words", "no Markdown", "\"url\"", "\"reason\"", "podcast"] {
            #expect(AgentBriefing.preamble.contains(fact), "\(fact)")
        }
    }

    @Test func theTextForAgentsIsTheSameInBothFiles() throws {
        func read(_ name: String) throws -> String { try ProjectFiles.text("docs/examples/\(name)") }
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

    @Test func preamblePrecedesTheFirstQuestionOfEachConversation() async throws {
        let transport = ScriptedJarvisTransport([.content("Yes.")])
        let client = try client(transport)
        for query in ["a", "b"] { _ = await client.ask(query) }
        await client.startFresh()
        _ = await client.ask("c")
        #expect(Self.asked(transport) == [AgentBriefing.preamble + "\n\na", "b", AgentBriefing.preamble + "\n\nc"])
    }

    @Test func preambleIsRepeatedAfterAFailedFirstQuestion() async throws {
        let transport = ScriptedJarvisTransport([.status(500), .content("Yes.")])
        let client = try client(transport)
        for query in ["a", "b"] { _ = await client.ask(query) }
        #expect(Self.asked(transport)[1] == AgentBriefing.preamble + "\n\nb")
    }

    @Test func agentThatShowsTheMarkGetsNoPreamble() async throws {
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

    @Test func agentWithVoiceCapabilityGetsNoPreamble() async throws {
        let health = #"{"status":"ok","version":"v1","capabilities":["api","voice-box"]}"#
        let transport = ScriptedJarvisTransport { request, _ in
            .whole(request.method == "GET" ? .json(health) : .content("Yes."))
        }
        let client = try client(transport)
        await client.checkAtStart()
        _ = await client.ask("a")
        #expect(Self.asked(transport) == ["a"])
    }

    /// How an agent shows that it has the prompt.
    enum Sign: CaseIterable {
        case none, mark, health
    }

    private static let styles: [Configuration.Jarvis.API] = [.chat, .responses, .openai]

    /// For every API, setting and agent: at most 60 words, in one question of a conversation, and never to an agent
    /// that has shown that it has the prompt.
    @Test(arguments: styles, [Configuration.Jarvis.Preamble.auto, .always, .off])
    func thePreambleIsSentOnceOrNotAtAll(
        api: Configuration.Jarvis.API,
        setting: Configuration.Jarvis.Preamble
    ) async throws {
        for sign in Sign.allCases {
            let transport = Self.agent(api, sign)
            let client = try client(transport) {
                $0.api = api
                $0.preamble = setting
            }
            await client.checkAtStart()
            for conversation in 1...2 {
                let before = Self.questions(transport).count
                for query in ["a", "b", "c"] { #expect(await client.ask(query).spoken == "Yes.") }
                await client.startFresh()
                let asked = Self.questions(transport).dropFirst(before)
                let reported = asked.count { $0.hasPrefix(AgentBriefing.preamble) }
                // The plain API has no health answer.
                let saysSo = sign == .health && api != .openai || sign == .mark && conversation == 2
                #expect(reported == (setting == .off || setting == .auto && saysSo ? 0 : 1), "\(sign), \(conversation)")
                for (question, query) in zip(asked, ["a", "b", "c"]) {
                    let words = question.split(whereSeparator: \.isWhitespace).count
                    #expect(words - 1 <= 60, "\(words) words")
                    #expect(question.hasSuffix(query))
                }
            }
        }
    }

    /// A history kept by the client contains the preamble once, however long the conversation becomes; a restart, which
    /// forgets the history, sends it anew.
    @Test func localHistoryKeepsThePreamble() async throws {
        let transport = Self.agent(.openai, .none)
        let saved = SavedJarvisSession(id: "voice-saved", previous: nil, usedAt: 1_795_208_889)
        let client = try client(transport, store: JarvisSessionStore(load: { saved }, save: { _ in })) {
            $0.api = .openai
        }
        for number in 1...15 { _ = await client.ask("question \(number)") }
        let bodies = transport.requests("POST /v1/chat/completions").map(\.text)
        #expect(bodies.count == 15)
        for body in bodies { #expect(body.ranges(of: "A voice box passes this on").count == 1) }
    }

    @Test func forgettingTheFirstTurnRepeatsThePreamble() async throws {
        let transport = Self.agent(.openai, .none)
        let client = try client(transport) { $0.api = .openai }
        _ = await client.ask("a")
        #expect(await client.forgetLast() == .forgotten)
        for query in ["b", "c"] { _ = await client.ask(query) }
        #expect(Self.questions(transport) == [AgentBriefing.preamble + "\n\na", AgentBriefing.preamble + "\n\nb", "c"])
    }

    /// An agent that answers everything with "Yes.".
    private static func agent(_ api: Configuration.Jarvis.API, _ sign: Sign) -> ScriptedJarvisTransport {
        let words = (sign == .mark ? AgentBriefing.mark : "") + "Yes."
        let abilities = sign == .health ? #"["api","voice-box"]"# : #"["api"]"#
        let health = "{\"status\":\"ok\",\"version\":\"v1\",\"capabilities\":\(abilities)}"
        return ScriptedJarvisTransport { request, _ in
            switch request.route {
            case "GET /healthz": .whole(.json(health))
            case "POST /v1/chat/completions": .whole(.content(words))
            case "POST /v1/responses":
                .stream([
                    "event: response.output_text.delta\ndata: {\"sequence_number\":1,\"delta\":\"\(words)\"}\n\n",
                    "event: response.completed\ndata: {\"sequence_number\":2,\"response\":{\"id\":\"resp_msg_1\"}}\n\n",
                ])
            default: .whole(.json("{}"))
            }
        }
    }

    /// The new question in each request.
    private static func questions(_ transport: ScriptedJarvisTransport) -> [String] {
        transport.requests.filter { $0.method == "POST" }.compactMap { request in
            let body = try? JSONDecoder().decode(JSONValue.self, from: Data(request.body))
            if let input = body?["input"]?.stringValue { return input }
            guard case .array(let messages)? = body?["messages"] else { return nil }
            return messages.last?["content"]?.stringValue
        }
    }

    @Test(arguments: [(Configuration.Jarvis.Preamble.always, true), (.off, false)])
    func ownerDecidesAboutThePreamble(setting: Configuration.Jarvis.Preamble, isBriefed: Bool) async throws {
        let transport = ScriptedJarvisTransport([.content("<!-- voice -->Yes.")])
        let client = try client(transport) { $0.preamble = setting }
        _ = await client.ask("a")
        await client.startFresh()
        _ = await client.ask("b")
        #expect(Self.asked(transport).allSatisfy { $0.hasPrefix(AgentBriefing.preamble) == isBriefed })
    }

    /// The last user message of each request.
    private static func asked(_ transport: ScriptedJarvisTransport) -> [String] {
        transport.requests("POST /v1/chat/completions").compactMap { request in
            let body = try? JSONDecoder().decode(JSONValue.self, from: Data(request.body))
            guard case .array(let messages)? = body?["messages"] else { return nil }
            return messages.last?["content"]?.stringValue
        }
    }

    private func client(
        _ transport: ScriptedJarvisTransport,
        store: JarvisSessionStore = .none,
        _ change: (inout Configuration.Jarvis) -> Void = { _ in }
    ) throws -> JarvisClient {
        var settings = Configuration().jarvis
        change(&settings)
        return JarvisClient(
            base: try #require(ServerURL("http://127.0.0.1:8080/ui")),
            token: nil,
            settings: settings,
            transport: transport,
            store: store,
            environment: TestTime().environment(),
            logger: LineLog().logger
        )
    }
}
