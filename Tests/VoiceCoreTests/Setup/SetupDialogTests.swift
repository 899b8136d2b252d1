import Testing
import VoiceAudio

@testable import VoiceBase
@testable import VoiceCore

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
            ["", "", "sk-1", "http://h:8080/ui", "", "tok", "2", "yes", "jabra", "", "always", "yes"]
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

    @Test func enterKeepsEverythingThatIsThere() throws {
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
        _ = answer(&dialog, ["back", "back", "back", "local, openai", ""])
        #expect(dialog.question == .value("local.recogniser"))
        #expect(answer(&dialog, ["h:10300", "none", "sk-1"]) == [])
        #expect(dialog.question == .value("jarvis.url"))
        #expect(dialog.plan.secrets.count == 1)
    }

    @Test func aServerOfOnesOwnIsAskedForByAddressAndKindAndNeedsNoKey() throws {
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

    @Test func backAtTheFirstQuestionSaysSo() throws {
        var dialog = try dialog()
        #expect(dialog.answer("back") == "this is the first question")
    }

    @Test func aDeviceThatIsNotHeardIsAskedForAgain() throws {
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

    @Test func aKeyIsNeededATokenIsNot() throws {
        var dialog = try dialog()
        _ = answer(&dialog, ["", ""])
        #expect(dialog.answer("") == "there is none yet: paste it, or type skip")
        #expect(dialog.answer("two words") == "it must be one line of printable ASCII without blanks")
        #expect(answer(&dialog, ["sk-1", "", "", ""]) == [])
        #expect(dialog.question == .device(.capture))
    }

    @Test func noIsWrittenWithoutAYes() throws {
        var dialog = try dialog()
        _ = answer(&dialog, ["", "", "sk-1", "skip", "skip", "skip", "skip", "skip", "skip"])
        #expect(dialog.question == .write)
        #expect(dialog.prompt.contains("openai-api-key: a new secret"))
        #expect(!dialog.prompt.contains("sk-1"))
        #expect(dialog.answer("hm") == "answer yes or no")
        _ = dialog.answer("no")
        #expect(dialog.question == nil)
        #expect(!dialog.isAccepted)
    }

    @Test func theListHidesTerminalEscapesAndNamesThatSayNothing() throws {
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

    @Test func saysWithoutATerminalWhatToSet() throws {
        let lines = try dialog(stored: [.token]).byHand
        #expect(lines.contains("  audio.input = \"default\""))
        #expect(lines.contains("  install -D -m 600 /dev/stdin /etc/jarvis-voiced/openai-api-key"))
        #expect(lines.contains("  install -D -m 600 /dev/stdin /etc/jarvis-voiced/jarvis-token  # stored"))
        #expect(lines.last == "  systemctl enable --now jarvis-voiced")
    }
}
