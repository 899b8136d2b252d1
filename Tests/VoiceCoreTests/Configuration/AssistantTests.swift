import Testing

@testable import VoiceBase
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
        #expect([jarvis.name, nabu.name] == ["Hey Jarvis", "Nabu"])
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
        ("[words.hey_jarvis]\nvoice = 3", "/c:2: words.hey_jarvis.voice must be a line of text, got 3"),
    ])
    func invalidTableIsRefusedWithTheFix(text: String, wanted: String) {
        #expect(problem(text) == wanted)
    }

    @Test func aChangedTableIsNamedAndNeedsARestart() throws {
        let (old, _) = try load("[words.alexa]\nvoice = \"cedar\"")
        let (new, _) = try load("[words.alexa]\nvoice = \"marin\"")
        #expect(ConfigurationChange(from: old, to: new).afterRestart == ["words.alexa"])
    }
}
