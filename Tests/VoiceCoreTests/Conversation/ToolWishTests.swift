import Testing

@testable import TestSupport
@testable import VoiceConversation

/// What tools request of the conversation: news of long calls, and its end.
struct ToolWishTests {
    private static func waiting() -> Scene {
        let scene = Scene.calling()
        return scene
    }

    private static func notices(_ scene: Scene) -> Int {
        scene.remarks.count
    }

    @Test func longCallIsAnnounced() {
        var scene = Self.waiting()
        scene.on(.callDelayed(callID: "c1"))
        #expect(Self.notices(scene) == 1)
        #expect(scene.creates.count == 1)
        scene.begin("r2", for: scene.creates[0])
        scene.speak("r2")
        #expect(scene.state == .fillerSpeaking, "the news is not the answer")
        scene.done("r2")
        scene.on(.voiceDrained)
        #expect(scene.state == .waitingForJarvis)
        scene.answer("c1")
        #expect(scene.outputs == ["c1"])
        #expect(scene.creates.count == 2)
        scene.begin("r3", for: scene.creates[1])
        scene.speak("r3")
        #expect(scene.state == .aiSpeaking)
    }

    @Test func noticeOfALongCallWaitsForSilence() {
        var scene = Self.waiting()
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.on(.callDelayed(callID: "c1"))
        #expect(Self.notices(scene) == 0)
        scene.server(.speechStopped(itemID: "i", audioEnd: 900))
        scene.begin("r2")
        scene.done("r2")
        #expect(Self.notices(scene) == 1)
    }

    @Test func answerMakesTheNoticeStale() {
        var scene = Self.waiting()
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.on(.callDelayed(callID: "c1"))
        scene.answer("c1")
        scene.server(.speechStopped(itemID: "i", audioEnd: 900))
        scene.begin("r2")
        scene.done("r2")
        scene.on(.callDelayed(callID: "c1"))
        #expect(Self.notices(scene) == 0)
    }

    @Test func aGoodbyeIsSpokenBeforeTheSessionCloses() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.call("c1", in: "r1")
        scene.on(.endWhenQuiet(alwaysToo: true))
        scene.answer("c1", ToolResult(.done("The conversation ends."), wantsReply: false))
        scene.done("r1")
        #expect(!scene.effects.contains(.disconnect))
        scene.on(.voiceDrained)
        #expect(scene.effects.contains(.disconnect))
        #expect(scene.state == .idle)
        #expect(scene.creates.isEmpty)
    }

    /// The tool was offered in another mode, and nothing would open this conversation again.
    @Test(arguments: [false, true]) func goodbyeEndsAnAlwaysOpenSessionOnlyIfConfigured(isConfigured: Bool) {
        var scene = Scene.listening()
        scene.on(.keepsOpen(true))
        scene.on(.endWhenQuiet(alwaysToo: isConfigured))
        #expect(scene.effects.contains(.disconnect) == isConfigured)
        #expect(scene.state == (isConfigured ? .idle : .listening))
    }

    @Test func goodbyeEndsASessionThatWasCalled() {
        var scene = Scene.listening()
        scene.on(.keepsOpen(false))
        scene.on(.endWhenQuiet(alwaysToo: false))
        #expect(scene.state == .idle)
    }

    @Test func speechCancelsTheGoodbye() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.on(.endWhenQuiet(alwaysToo: true))
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.on(.voiceStopped([]))
        scene.done("r1", .cancelled)
        scene.server(.speechStopped(itemID: "i", audioEnd: 900))
        scene.begin("r2")
        scene.done("r2")
        #expect(scene.state == .listening)
    }

    @Test func goodbyeWaitsForAnotherCall() {
        var scene = Self.waiting()
        scene.on(.endWhenQuiet(alwaysToo: true))
        #expect(scene.state == .waitingForJarvis)
        scene.answer("c1", ToolResult(.answer("Two meetings."), wantsReply: false))
        #expect(scene.state == .idle)
    }
}
