import FoundationEssentials
import Testing
import VoiceActivation
import VoiceAudio

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceCore
@testable import VoiceDatagrid

struct SetupDialogTests {
    private static let devices = [
        AudioDeviceEntry(id: "hw:CARD=A,DEV=0", name: "Mic\u{1B}[2J", capture: true, playback: false, card: "A"),
        AudioDeviceEntry(id: "hw:CARD=B,DEV=0", name: "Jabra Speak", capture: true, playback: true, card: "B"),
        AudioDeviceEntry(id: "sysdefault", name: "Default", capture: true, playback: true),
    ]

    private func dialog(_ values: Configuration = .init(), stored: Set<SetupSecret> = []) throws -> SetupDialog {
        let place = SetupPlace(isRoot: true, wantsOwn: false, paths: [], exists: { _ in false })
        return SetupDialog(values, place: try #require(place), devices: Self.devices, stored: stored)
    }

    /// Answers the questions in order; returns the complaints.
    private func answer(_ dialog: inout SetupDialog, _ answers: [String]) -> [String] {
        answers.compactMap { dialog.answer($0) }
    }

    @Test func aNewBoxIsSetUp() throws {
        var dialog = try dialog()
        let complaints = answer(
            &dialog,
            ["", "", "sk-1", "http://h:8080/ui", "", "tok", "2", "yes", "jabra", "", "always", "", "yes"]
        )
        #expect(complaints == [])
        #expect(dialog.question == nil)
        #expect(dialog.isAccepted)
        #expect(
            dialog.plan.changes == [
                "jarvis.url": .text("http://h:8080/ui"), "audio.input": .text("hw:CARD=B,DEV=0"),
                "audio.output": .text("jabra"),
            ]
        )
        #expect(Set(dialog.plan.secrets.keys) == [SetupSecret(.openAI), .token])
    }

    @Test func enterKeepsTheCurrentValues() throws {
        var values = Configuration()
        values.activation.mode = .push
        values.audio.input = "Jabra"
        var dialog = try dialog(values, stored: [SetupSecret(.openAI)])
        while dialog.question != nil { #expect(dialog.answer("") == nil) }
        #expect(dialog.plan.isEmpty)
        #expect(!dialog.isAccepted)
    }

    @Test func everyQuestionCanBeSkipped() throws {
        var dialog = try dialog()
        var asked: [SetupDialog.Question] = []
        while let question = dialog.question {
            asked.append(question)
            #expect(dialog.answer("skip") == nil)
        }
        #expect(
            asked == [
                .value("service.use"), .value("realtime.url"), .secret(SetupSecret(.openAI)), .value("jarvis.url"),
                .value("jarvis.api"), .secret(.token), .device(.capture), .device(.playback), .value("activation.mode"),
                .value("box.name"),
            ]
        )
        #expect(dialog.plan.isEmpty)
    }

    @Test func asksOnlyForWhatTheServiceNeeds() throws {
        var dialog = try dialog()
        _ = dialog.answer("datagrid")
        #expect(dialog.question == .value("datagrid.url"))
        #expect(dialog.answer("") == nil)
        #expect(dialog.question == .secret(SetupSecret(.datagrid)))
        _ = dialog.answer("key")
        #expect(dialog.question == .device(.capture))
        _ = answer(&dialog, ["back", "back", "back", "local, openai"])
        #expect(dialog.question == .value("local.recogniser"))
        #expect(answer(&dialog, ["h:10300", "none", "", "sk-1"]) == [])
        #expect(dialog.question == .value("jarvis.url"))
        #expect(dialog.plan.secrets.count == 1)
    }

    @Test func ownServerIsAskedForAddressAndKindWithoutKey() throws {
        var dialog = try dialog()
        #expect(answer(&dialog, ["", "ws://10.0.0.2:8000", "speaches", ""]) == [])
        #expect(dialog.question == .value("jarvis.url"))
        #expect(dialog.plan.changes["realtime.dialect"] == .text("speaches"))
        _ = answer(&dialog, ["back", "back", "auto"])
        #expect(dialog.question == .value("realtime.model"))
        _ = dialog.answer("")
        #expect(dialog.question == .secret(SetupSecret(.openAI)))
    }

    @Test func onlyACompatibleAgentIsAskedForItsModel() throws {
        var dialog = try dialog(stored: [SetupSecret(.openAI)])
        #expect(answer(&dialog, ["", "", "", "", "openai"]) == [])
        #expect(dialog.question == .value("jarvis.model"))
        #expect(answer(&dialog, ["qwen3", "back", "back", "chat"]) == [])
        #expect(dialog.question == .secret(.token))
    }

    @Test func backAtTheFirstQuestionIsRefused() throws {
        var dialog = try dialog()
        #expect(dialog.answer("back") == "this is the first question")
    }

    @Test func unheardDeviceIsAskedForAgain() throws {
        var dialog = try dialog(stored: [SetupSecret(.openAI)])
        _ = answer(&dialog, ["", "", "", "", "", ""])
        #expect(dialog.answer("3") == "there is no number 3 in the list")
        #expect(dialog.answer("piano")?.hasPrefix("no capture device \"piano\"") == true)
        #expect(answer(&dialog, ["1", "again"]) == [])
        #expect(dialog.question == .heard(.capture))
        #expect(dialog.answer("what") == "answer yes, no (choose another one) or again")
        _ = dialog.answer("no")
        #expect(dialog.question == .device(.capture))
        #expect(dialog.plan.isEmpty)
        #expect(answer(&dialog, ["2", "y"]) == [])
        #expect(dialog.question == .device(.playback))
    }

    @Test func keyIsRequiredAndTokenOptional() throws {
        var dialog = try dialog()
        _ = answer(&dialog, ["", ""])
        #expect(dialog.answer("") == "there is none yet: paste it, or type skip")
        #expect(dialog.answer("two words") == "it must be one line of printable ASCII without blanks")
        #expect(answer(&dialog, ["sk-1", "", "", ""]) == [])
        #expect(dialog.question == .device(.capture))
    }

    @Test func refusedKeyIsTypedAgainUnlessItIsWanted() throws {
        var dialog = try dialog()
        let key = SetupSecret(.openAI)
        _ = answer(&dialog, ["", "", "sk-wrong"])
        #expect(dialog.isNew(key, typed: " sk-wrong "))
        dialog.tried(key, refusal: "Incorrect API key provided")
        #expect(dialog.question == .keep(key))
        #expect(dialog.prompt == "It does not work: Incorrect API key provided\nKeep it anyway? [no, yes] ")
        #expect(dialog.answer("") == nil)
        #expect(dialog.question == .secret(key))
        #expect(dialog.plan.secrets.isEmpty)
        _ = dialog.answer("sk-other")
        dialog.tried(key, refusal: "no route to host")
        #expect(dialog.answer("perhaps") == "answer yes or no (type it again)")
        #expect(dialog.answer("yes") == nil)
        #expect(dialog.question == .value("jarvis.url"))
        #expect(dialog.plan.secrets[key]?.revealed == "sk-other")
        // Back at the key, another one that works is not asked about.
        _ = answer(&dialog, ["back", "back", "sk-good"])
        dialog.tried(key, refusal: nil)
        #expect(dialog.question == .value("jarvis.url"))
    }

    @Test(arguments: [("back", SetupDialog.Question.value("realtime.url")), ("skip", .value("jarvis.url"))])
    func commandWordIsNotTriedAsAKey(typed: String, next: SetupDialog.Question) throws {
        var dialog = try dialog()
        _ = answer(&dialog, ["", "", typed])
        #expect(!dialog.isNew(SetupSecret(.openAI), typed: typed))
        #expect(dialog.question == next)
    }

    @Test(arguments: [
        (nil, "https://platform.openai.com/api-keys"), ("wss://api.x.ai/v1/realtime", "https://console.x.ai"),
        ("wss://kitchen.openai.azure.com/openai/v1/realtime", "Azure portal"),
        ("wss://voice.example.org", "the provider"),
    ])
    func keyQuestionSaysWhereToGetIt(url: String?, source: String) throws {
        var values = Configuration()
        if let url { values.realtime.url = url }
        var dialog = try dialog(values)
        while dialog.question != .secret(SetupSecret(.openAI)) { _ = dialog.answer("") }
        #expect(dialog.prompt.contains(source))
    }

    @Test(arguments: [
        ("jarvis.url", "homelab.lan:8080/ui", "http://homelab.lan:8080/ui"),
        ("jarvis.url", "192.168.1.20:8080/ui", "http://192.168.1.20:8080/ui"),
        ("jarvis.url", "homelab", "http://homelab"),
        ("jarvis.url", "agent.example.org/ui", "https://agent.example.org/ui"),
        ("jarvis.url", "[fd00::2]:8080", "http://[fd00::2]:8080"), ("jarvis.url", "https://h.lan", "https://h.lan"),
        ("realtime.url", "10.0.0.2:8000", "ws://10.0.0.2:8000"),
        ("realtime.url", "api.openai.com/v1/realtime", "wss://api.openai.com/v1/realtime"),
        ("datagrid.url", "api.datagrid.com/ws/voice", "wss://api.datagrid.com/ws/voice"),
        ("live.url", "8.8.8.8/v1", "wss://8.8.8.8/v1"),
    ])
    func addressWithoutASchemeIsCompleted(path: String, typed: String, stored: String) throws {
        var plan = SetupPlan(Configuration())
        #expect(plan.set(path, to: typed) == nil)
        #expect(ConfigurationSchema.key(path)?.value(in: plan.values) == .text(stored))
    }

    @Test func enterAfterAFailedTestMeansNo() throws {
        var dialog = try dialog(stored: [SetupSecret(.openAI)])
        _ = answer(&dialog, ["", "", "", "", "", "", "1"])
        dialog.tried(.capture, works: false)
        #expect(dialog.prompt == "The test failed. Keep it anyway, to connect it later? [no, yes, again] ")
        #expect(dialog.answer("") == nil)
        #expect(dialog.question == .device(.capture))
        _ = dialog.answer("2")
        dialog.tried(.capture, works: true)
        #expect(dialog.prompt == "Did the level follow your voice? [yes, no, again] ")
        #expect(dialog.answer("") == nil)
        #expect(dialog.question == .device(.playback))
    }

    @Test func alwaysModeWarnsThatTheRoomIsSentAllDay() throws {
        var dialog = try dialog(stored: [SetupSecret(.openAI)])
        while dialog.question != .value("activation.mode") { _ = dialog.answer("skip") }
        #expect(dialog.prompt.contains("what is said in the room goes to the voice service all day"))
    }

    @Test func ownServiceIsAdvisedByItsOwnUnit() throws {
        let file = "/home/ada/.config/jarvis-voiced/jarvis-voiced.toml"
        let place = try #require(SetupPlace(isRoot: false, wantsOwn: true, paths: [file], exists: { _ in false }))
        let lines = SetupDialog(.init(), place: place, devices: [], stored: []).byHand
        #expect(lines.last == "  systemctl --user enable --now jarvis-voiced")
        #expect(place.unit.journal == "journalctl --user -u jarvis-voiced")
    }

    @Test func modelsAreOfferedWheneverTheyAreMissing() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/models-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let place = try #require(SetupPlace(isRoot: true, wantsOwn: false, paths: [], exists: { _ in false }))
        func lacks(_ change: (inout Configuration) -> Void = { _ in }) -> Bool {
            var values = Configuration()
            values.activation.mode = .wake
            values.activation.wakeModels = folder
            change(&values)
            return SetupPlan(values).lacksWakeModel(place, environment: [:])
        }
        #expect(lacks())
        #expect(!lacks { $0.activation.mode = .push })
        #expect(!lacks { $0.activation.engine = .off })
        for name in [WakeModelFolder.libraryName, "okay_nabu.json"] {
            try Data().write(to: URL(filePath: folder + "/" + name))
        }
        #expect(lacks(), "hey jarvis has no model")
        #expect(!lacks { $0.activation.wakeWords = "okay nabu:0.8" })
        #expect(!lacks { $0.activation.wakeWords = "okay nabu, athena" }, "no package has athena")
    }

    @Test func answerNoSavesNothing() throws {
        var dialog = try dialog()
        _ = answer(&dialog, ["", "", "sk-1", "skip", "skip", "skip", "skip", "skip", "skip", "skip"])
        #expect(dialog.question == .write)
        #expect(dialog.prompt.contains("openai-api-key: a new secret"))
        #expect(!dialog.prompt.contains("sk-1"))
        #expect(dialog.answer("hm") == "answer yes or no")
        _ = dialog.answer("no")
        #expect(dialog.question == nil)
        #expect(!dialog.isAccepted)
    }

    @Test func listHidesTerminalEscapesAndEmptyNames() throws {
        var dialog = try dialog(stored: [SetupSecret(.openAI)])
        _ = answer(&dialog, ["", "", "", "", "", ""])
        #expect(
            dialog.prompt == """
                  1  hw:CARD=A,DEV=0  Mic\\u{1b}[2J
                  2  hw:CARD=B,DEV=0  Jabra Speak
                Microphone: a number, or a part of a name [default]: \

                """
        )
    }

    @Test func aKeyTypedInTheWrongPlaceIsNotRepeated() throws {
        var dialog = try dialog()
        #expect(dialog.answer("sk-abcdefghijklmnop")?.contains("abcdef") == false)
    }

    @Test func withoutATerminalPrintsWhatToSet() throws {
        let lines = try dialog(stored: [.token]).byHand
        #expect(lines.contains("  audio.input = \"default\""))
        #expect(lines.contains("  install -D -m 600 /dev/stdin /etc/jarvis-voiced/openai-api-key"))
        #expect(lines.contains("  install -D -m 600 /dev/stdin /etc/jarvis-voiced/jarvis-token  # stored"))
        #expect(lines.last == "  systemctl enable --now jarvis-voiced")
    }
}
