import Testing

@testable import TestSupport
@testable import VoiceConversation

/// Tool calls when both sides act at the same time.
struct CallRaceTests {
    @Test func aCallAnnouncedTwiceIsStartedOnce() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.call("c1", in: "r1")
        scene.answer("c1")
        scene.call("c1", in: "r1")
        #expect(scene.started == ["c1"])
        #expect(scene.outputs == ["c1"])
    }

    @Test func severalCallsGetOneResponseInOrder() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.call("c2", in: "r1")
        scene.done("r1")
        scene.answer("c2")
        #expect(scene.outputs.isEmpty, "the first comes first")
        scene.answer("c1")
        #expect(scene.outputs == ["c1", "c2"])
        #expect(scene.creates.count == 1)
    }

    /// Of two answers a small model speaks about one.
    @Test func twoSimultaneousAnswersGetTwoResponses() {
        var scene = Scene.calling()
        scene.userTurn("second")
        scene.begin("r2")
        scene.call("c2", in: "r2")
        scene.done("r2")
        scene.server(.speechStarted(itemID: "third", audioStart: 0))
        scene.answer("c1", "Two meetings.")
        scene.answer("c2", "It rains.")
        scene.server(.speechStopped(itemID: "third", audioEnd: 900))
        #expect(scene.outputs == ["c1"])
        scene.begin("r3")
        scene.speak("r3")
        scene.done("r3")
        scene.on(.voiceDrained)
        #expect(scene.creates.count == 1)
        scene.begin("r4", for: scene.creates.last)
        scene.speak("r4")
        scene.done("r4")
        scene.on(.voiceDrained)
        #expect(scene.outputs == ["c1", "c2"])
        #expect(scene.creates.count == 2)
        scene.begin("r5", for: scene.creates.last)
        scene.speak("r5")
        scene.done("r5")
        scene.on(.voiceDrained)
        #expect(scene.creates.count == 2)
        #expect(scene.state == .listening)
    }

    @Test func secondAnswerIsSpokenIfTheFirstCannotBe() {
        var scene = Scene.calling()
        scene.on(.ask("Will it rain?"))
        scene.begin("r2", for: scene.creates.last)
        scene.call("c2", in: "r2")
        scene.done("r2")
        scene.answer("c1", "Two meetings.")
        scene.answer("c2", "It rains.")
        for number in 3...4 {
            scene.begin("r\(number)", for: scene.creates.last)
            scene.done("r\(number)", .failed)
            scene.on(.timer(.retryResponse))
        }
        #expect(scene.outputs == ["c1", "c2"])
        scene.begin("r5", for: scene.creates.last)
        scene.speak("r5")
        scene.done("r5")
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
    }

    @Test func secondCallDuringTheFirstAnswerIsMade() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.answer("c1")
        scene.call("c2", in: "r1")
        scene.done("r1")
        #expect(scene.outputs == ["c1"])
        #expect(scene.creates.isEmpty, "not before the last output")
        scene.answer("c2")
        #expect(scene.creates.count == 1)
    }

    @Test func callInterruptedByTheUserIsNotStarted() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        scene.call("c1", in: "r1", complete: false)
        scene.done("r1", .cancelled, reason: "turn_detected")
        #expect(scene.started.isEmpty)
        #expect(scene.state == .userSpeaking)
    }

    @Test func answerDuringSpeechIsSpokenByTheNextResponse() {
        var scene = Scene.calling()
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        #expect(scene.state == .userSpeaking)
        scene.answer("c1")
        scene.confirm("c1")
        #expect(scene.outputs == ["c1"])
        scene.server(.speechStopped(itemID: "u2", audioEnd: 1))
        scene.begin("r2")
        scene.speak("r2")
        scene.done("r2")
        scene.on(.voiceDrained)
        #expect(scene.creates.isEmpty, "the server's own response has seen it")
        #expect(scene.state == .listening)
    }

    @Test func unseenAnswerGetsAnotherResponse() {
        var scene = Scene.calling()
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        scene.server(.speechStopped(itemID: "u2", audioEnd: 1))
        scene.begin("r2")
        scene.answer("c1")
        scene.confirm("c1")
        #expect(scene.creates.isEmpty)
        scene.done("r2")
        #expect(scene.creates.count == 1)
    }

    @Test func lateAnswerWaitsForSilence() {
        var scene = Scene.calling()
        scene.userTurn()
        scene.begin("r2")
        scene.speak("r2")
        scene.answer("c1")
        scene.confirm("c1")
        #expect(scene.outputs == ["c1"], "the model may know")
        scene.done("r2")
        #expect(scene.creates.isEmpty, "another answer is being spoken")
        scene.on(.voiceDrained)
        #expect(scene.creates.count == 1)
        #expect(scene.state == .processing)
    }

    @Test func coughBeforeTheFirstWordKeepsTheAnswer() {
        var scene = Scene.calling()
        scene.answer("c1")
        scene.begin("r2", for: scene.creates.first)
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        scene.done("r2", .cancelled, reason: "turn_detected")
        scene.server(.speechStopped(itemID: "u2", audioEnd: 1))
        #expect(scene.creates.count == 1, "the server owes a response that would tell it")
        scene.on(.timer(.serverResponse))
        #expect(scene.creates.count == 2)
    }

    @Test func truncatedCallIsResolvedButNotMade() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1", complete: false)
        scene.call("c1", in: "r1", complete: false)
        scene.done("r1", .cancelled, reason: "turn_detected")
        #expect(scene.started.isEmpty)
        #expect(scene.outputs == ["c1"], "the model must not wait for it")
        #expect(scene.creates.isEmpty)
        #expect(scene.state == .listening)
    }

    @Test func staySilentAnswerIsSentButNotSpoken() {
        var scene = Scene.calling()
        scene.answer("c1", ToolResult(.answer(""), wantsReply: false))
        #expect(scene.outputs == ["c1"])
        #expect(scene.creates.isEmpty)
        #expect(scene.state == .listening)
    }

    @Test func answerSurvivesItsSession() {
        var scene = Scene.calling()
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        scene.answer("c1", "Two meetings.")
        #expect(scene.sent(scene.latest).isEmpty)
        scene.on(.timer(.reconnect))
        scene.open()
        #expect(scene.outputs.isEmpty, "the new session does not know the call")
        #expect(scene.reported.map(\.name) == ["ask_jarvis"])
        #expect(scene.reported.first?.arguments == #"{"query":"x"}"# && scene.reported.first?.output == "Two meetings.")
        #expect(scene.texts(.system).isEmpty && scene.texts(.user).isEmpty, "what comes from outside has no voice")
        #expect(scene.creates.count == 1)
    }

    @Test func answerSeenByATurnGetsNoOtherResponse() {
        var scene = Scene.calling()
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        scene.on(.timer(.reconnect))
        scene.open()
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.answer("c1", "Two meetings.")
        let callID = scene.sent().compactMap {
            if case .functionCall(let callID, _, _, _) = $0 { callID } else { nil }
        }.first
        scene.confirm(callID ?? "")
        scene.server(.speechStopped(itemID: "i", audioEnd: 900))
        scene.begin("r9")
        scene.speak("r9")
        scene.done("r9")
        scene.on(.voiceDrained)
        #expect(scene.creates.isEmpty, "the response to the turn has told it")
        #expect(scene.state == .listening)
    }
}
