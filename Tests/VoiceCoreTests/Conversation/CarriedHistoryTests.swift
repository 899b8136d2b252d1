import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// The history that the next session receives ends with words in the model's own role: a small model reads the last output of a
/// tool or the last note aloud, and some servers join the user's last words with the next.
struct CarriedHistoryTests {
    private static func carried(_ carry: ConversationMachine.Carry, noCalls: Bool = false) -> [ClientEvent] {
        var settings = Scene.settings
        if noCalls { settings.dialect.differences[.noCalls] = "a test" }
        var scene = Scene.listening(settings: settings) { $0.sessions.carry = carry }
        scene.say("r1", question: "What is on?", answer: "Two meetings.")
        scene.userTurn("last")
        scene.server(.heardTranscript(itemID: "last", contentIndex: 0, text: "And tomorrow?"))
        scene.begin("r2")
        scene.speak("r2", item: "item_second")
        scene.done("r2")
        scene.on(.voiceDrained)
        scene.effects = []
        scene.on(LostQuestionTests.reset)
        scene.on(.timer(.reconnect), after: .seconds(1))
        scene.open()
        scene.on(.say("Dinner is ready."))
        return scene.sent()
    }

    @Test(arguments: [ConversationMachine.Carry.summary, .turns], [true, false])
    func carriedHistoryEndsInTheRoleOfTheModel(carry: ConversationMachine.Carry, noCalls: Bool) throws {
        let sent = Self.carried(carry, noCalls: noCalls)
        let request = try #require(sent.firstIndex { if case .responseCreate = $0 { true } else { false } })
        guard request > 0, case .assistantMessage(let mark, _) = sent[request - 1] else {
            Issue.record("\(sent)")
            return
        }
        #expect(!mark.contains("[") && !mark.contains("{"))
        #expect(sent.contains { "\($0)".contains("And tomorrow?") })
    }

    @Test func noMarkWithoutHistory() {
        let sent = Self.carried(.none)
        #expect(!sent.contains { if case .assistantMessage = $0 { true } else { false } })
    }
}
