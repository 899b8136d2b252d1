import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

/// Tables of wake words: what an assistant takes from its table, and what from the rest of the file.
struct AssistantTests {
    private func load(_ text: String, _ files: [String: String] = [:]) throws -> (Configuration, Secrets) {
        let reader = FileReader.stub(files.merging(["/c": text]) { $1 }.mapValues { Array($0.utf8) })
        let values = try ConfigurationLoader(environment: [:], files: reader).load(path: "/c").values
        let environment = ["OPENAI_API_KEY": "sk-1", "JARVIS_TOKEN": "of-the-box"]
        return (values, try Secrets(configuration: values, environment: environment, files: reader))
    }

    private func problem(_ text: String) -> String? {
        do {
            let (values, secrets) = try load(text)
            _ = try DaemonSettings(values, secrets: secrets, logger: LineLog().logger)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func tableOverridesOnlyItsOwnKeys() throws {
        let (values, secrets) = try load(
            """
            [realtime]
            voice = "cedar"
            [jarvis]
            url = "http://nas:8080/ui"
            timeout_s = 77
            [words.okay_nabu]
            name = "Nabu"
            url = "http://nas:9090/ui"
            token_file = "/t"
            language = "de"
            [words."hey jarvis"]
            voice = "marin"
            """,
            ["/t": "of-nabu"]
        )
        let (jarvis, nabu) = (values.assistants[0], values.assistants[1])
        #expect([jarvis.word, nabu.word] == ["hey jarvis", "okay nabu"])
        #expect([jarvis.name, nabu.name] == ["Jarvis", "Nabu"])
        #expect(nabu.configuration.jarvis.url == "http://nas:9090/ui")
        #expect(nabu.configuration.jarvis.timeoutS == 77)
        #expect(nabu.configuration(for: RealtimeService.self).realtime.voice == "cedar")
        #expect(nabu.configuration(for: RealtimeService.self).realtime.language == "de")
        #expect(nabu.session == "okay nabu", "another agent knows nothing of the box's conversation")
        #expect(secrets.token(of: nabu).secret == Secret("of-nabu"))
        #expect(jarvis.configuration.jarvis.url == "http://nas:8080/ui")
        #expect(jarvis.configuration(for: RealtimeService.self).realtime.voice == "marin")
        #expect(jarvis.session == nil, "the same agent, the same conversation")
        #expect(secrets.token(of: jarvis).secret == Secret("of-the-box"))
    }

    @Test func theTokenOfTheBoxIsNotSentToAnotherAddress() throws {
        let (values, secrets) = try load("[words.alexa]\nurl = \"http://elsewhere:1/ui\"")
        #expect(secrets.token(of: values.assistants[0]).secret == nil)
    }

    private func settings(_ text: String, _ files: [String: String] = [:]) throws -> DaemonSettings {
        let (values, secrets) = try load(text, files)
        return try DaemonSettings(values, secrets: secrets, logger: LineLog().logger)
    }

    private static let words = "[activation]\nwake_words = \"hey jarvis, okay nabu, alexa\"\n"

    @Test func slashAtTheEndMakesNoOtherAgent() throws {
        let text = "[jarvis]\nurl = \"http://nas:1/ui\"\n[words.okay_nabu]\nurl = \"http://NAS:1/ui/\""
        let (values, secrets) = try load(text)
        #expect(values.assistants[0].session == nil)
        #expect(secrets.token(of: values.assistants[0]).secret == Secret("of-the-box"))
    }

    @Test func tableWithoutEffectIsNamed() throws {
        let table = "[words.okay_nabu]\nvoice = \"cedar\"\nlanguage = \"de\""
        let push = try settings(Self.words.replacing("]\n", with: "]\nmode = \"push\"\n") + table).notices
        #expect(push.contains { $0.hasPrefix("[words.okay_nabu] has no effect: in activation.mode") })
        let other = try settings("[service]\nuse = [\"datagrid\", \"openai\"]\n" + Self.words + table).notices
        #expect(!other.contains { $0.contains("has no effect") }, "the substitute has a language")
    }

    @Test func tokenThatTheUnitDoesNotLoadHasItsOwnRemedy() throws {
        let path = "/etc/jarvis-voiced/jarvis-token-alexa"
        let files = FileReader { (wanted, _) throws(FileReader.Fault) in
            guard wanted == path else { throw .absent }
            throw .system(13)
        }
        var values = Configuration()
        values.words["alexa"] = .init()
        values.words["alexa"]?.url = "http://elsewhere:1/ui"
        #expect {
            try Secrets(configuration: values, environment: ["NOTIFY_SOCKET": "/n"], files: files)
        } throws: {
            "\($0)".contains("chown jarvis-voiced") && !"\($0)".contains("LoadCredential")
        }
    }

    @Test func agentWithoutATokenIsNamed() throws {
        let notices = try settings(Self.words + "[words.alexa]\nurl = \"http://elsewhere:1/ui\"").notices
        #expect(notices.contains { $0.hasPrefix("no token for words.alexa.url: set words.alexa.token_file") })
    }

    @Test(arguments: [("of-both", 2), ("of-alexa", 3)])
    func wordsShareAConversationIfTheirTokensAreTheSame(token: String, count: Int) throws {
        let table = "url = \"http://nas:1/ui\"\nsession = \"child\"\n"
        let text = """
            \(Self.words)[words.okay_nabu]
            \(table)token_file = "/a"
            [words.alexa]
            \(table)token_file = "/b"
            """
        let agents = try settings(text, ["/a": "of-both", "/b": token]).agents
        #expect(agents.count == count)
        #expect(agents.flatMap(\.words).sorted() == ["alexa", "okay nabu"])
    }

    /// The client of an agent keeps its address until a restart, so no token for another may reach it.
    @Test(arguments: [
        ("http://nas:2/ui", "/a", "child", true), ("http://nas:2/ui/", "/a", "child", true),
        ("http://nas:3/ui", "/a", "child", false), ("http://nas:1/ui", "", "child", false),
        ("http://nas:2/ui", "/b", "child", false), ("http://nas:2/ui", "/a", "other", false),
    ])
    func newTokenGoesToTheSameAgentOnly(url: String, file: String, session: String, isRenewed: Bool) throws {
        func made(_ url: String, _ file: String, _ session: String, _ token: String) throws -> DaemonSettings {
            try settings(
                """
                [jarvis]
                url = "http://nas:1/ui"
                \(Self.words)[words.okay_nabu]
                url = "\(url)"
                token_file = "\(file)"
                session = "\(session)"
                """,
                ["/a": token, "/b": "of-b"]
            )
        }
        let nabu = try #require(made("http://nas:2/ui", "/a", "child", "old").agents.last)
        #expect(try made(url, file, session, "new").renewed(nabu)?.token == (isRenewed ? Secret("new") : nil))
    }

    @Test func newTokenOfTheBoxIsNotSentToItsOldAddress() throws {
        let own = try settings("[jarvis]\nurl = \"http://nas:1/ui\"").agents[0]
        #expect(try settings("[jarvis]\nurl = \"http://nas:1/ui/\"").renewed(own) != nil)
        #expect(try settings("[jarvis]\nurl = \"http://elsewhere:1/ui\"").renewed(own) == nil)
    }

    @Test func messagesNameTheAssistantAndItsTable() throws {
        let (values, _) = try load("[words.okay_nabu]\nname = \"Nabu\"\nurl = \"http://nas:9090/ui\"")
        let nabu = AgentName(values.assistants[0])
        let offline = JarvisFailure.offline(detail: "refused")
        #expect(JarvisAnswer(failure: offline, of: nabu).spoken == "Nabu appears to be offline right now.")
        #expect(
            nabu.told(offline.logLine)
                == "Nabu cannot be reached (refused): check words.okay_nabu.url and that the server runs"
        )
        let sign = HealthSigns.Agent(JarvisTrouble(failure: .authentication), of: nabu)
        #expect(sign.text == "Nabu refuses the token of this box")
        #expect(sign.fix == "correct words.okay_nabu.token_file")
        #expect(AgentName().told(offline.logLine) == offline.logLine)
    }

    @Test func voiceKnowsItsName() throws {
        let text = Self.words + "[words.okay_nabu]\nname = \"Nabu\"\ninstructions = \"Short sentences.\""
        let service = try #require(try settings(text).assistants[0].services[0] as? RealtimeService)
        let told = service.settings.instructions
        #expect(told.contains("You are the voice of Nabu") && !told.contains("voice of Jarvis"))
        #expect(told.contains("ask_jarvis") && told.hasSuffix("Short sentences."))
    }

    @Test func voiceBelongsToThePreferredService() throws {
        let (values, _) = try load("[service]\nuse = [\"openai\", \"local\"]\n[words.alexa]\nvoice = \"cedar\"")
        #expect(values.assistants[0].configuration(for: RealtimeService.self).realtime.voice == "cedar")
        #expect(values.assistants[0].configuration(for: LocalService.self).local.voice == "")
    }

    @Test(arguments: [
        (
            "[words.alexa]\nvoice = \"cedar\"",
            "[words.alexa]: \"alexa\" is not a wake word of this box (hey jarvis): add it to activation.wake_words, or "
                + "remove the table"
        ),
        (
            "[words.hey_jarvis]\nvoise = \"cedar\"",
            "/c:2: unknown key words.hey_jarvis.voise: the table of a wake word takes name, url, token_file, session, "
                + "instructions, voice, language"
        ),
        (
            "[words]\nvoice = \"cedar\"",
            "/c:2: words.voice belongs in the table of a wake word, for instance [words.hey_jarvis]"
        ),
        (
            "[words.hey_jarvis]\nvoice = \"cedar\"\n[words.\"Hey Jarvis\"]\nvoice = \"marin\"",
            "/c:3: words.Hey Jarvis names a word that has a table already: a blank, \"_\" and capitals are the same"
        ),
        ("[words.hey_jarvis]\nvoice = 3", "/c:2: words.hey_jarvis.voice must be a line of text, got 3"),
    ])
    func invalidTableIsRefusedWithTheFix(text: String, wanted: String) {
        #expect(problem(text) == wanted)
    }

    @Test func aChangedTableIsNamedAndNeedsARestart() throws {
        let (old, _) = try load("[words.okay_nabu]\nvoice = \"cedar\"")
        let (new, _) = try load("[words.okay_nabu]\nvoice = \"marin\"")
        #expect(ConfigurationChange(from: old, to: new).afterRestart == ["words.okay_nabu"])
    }
}
