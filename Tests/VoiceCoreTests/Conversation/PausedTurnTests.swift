import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// Some services report the end of a turn only with the answer: the local voice detector ends it for the tone, the media and the
/// time limit.
struct PausedTurnTests {
    private static func paused(_ change: (inout ConversationMachine.Options) -> Void = { _ in }) -> Scene {
        var scene = Scene.listening(change)
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.on(.userPaused(ago: .seconds(1)), after: .seconds(4))
        return scene
    }

    @Test func aPauseEndsTheTurnForTheUser() {
        var scene = Self.paused { $0.responseLimit = .seconds(30) }
        #expect(scene.state == .processing, "media is louder than while the user speaks")
        #expect(scene.timer(.thinking) == .milliseconds(700))
        #expect(scene.timer(.serverResponse) == .seconds(30))
        scene.on(.timer(.thinking), after: .milliseconds(700))
        #expect(scene.latest.contains(.play(.thinking)))
    }

    @Test func answerEndsTheWait() {
        var scene = Self.paused()
        scene.begin("r1")
        scene.speak("r1")
        #expect(scene.state == .aiSpeaking)
        scene.server(.speechStopped(itemID: "i", audioEnd: 3000))
        scene.server(.committed(itemID: "i"))
        scene.done("r1")
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
        #expect(scene.reports.map(\.number) == [1], "one turn")
        let waited = scene.reports.first?.firstDelta ?? .zero
        #expect(waited >= .seconds(1), "measured from when the user stopped")
        #expect(!scene.effects.contains(.play(.error)))
    }

    @Test func resumedTurnIsNotAnEnd() {
        var scene = Self.paused()
        scene.on(.userResumed, after: .milliseconds(300))
        #expect(scene.state == .userSpeaking)
        #expect(scene.latest.contains(.cancelTimer(.thinking)))
        #expect(scene.latest.contains(.cancelTimer(.serverResponse)))
        scene.on(.userPaused(ago: .seconds(1)), after: .seconds(3))
        #expect(scene.state == .processing)
        scene.server(.speechStopped(itemID: "i", audioEnd: 7000))
        #expect(scene.machine.turns == 1)
    }

    @Test func unansweredTurnIsReported() {
        var scene = Self.paused()
        scene.on(.timer(.serverResponse), after: .seconds(12))
        #expect(scene.latest.contains(.note(.noAnswer(after: .seconds(12)))))
        #expect(scene.latest.contains(.play(.error)))
        #expect(scene.state == .listening)
        // The answer comes after all.
        scene.begin("r1")
        scene.speak("r1")
        #expect(scene.state == .aiSpeaking)
        scene.server(.speechStopped(itemID: "i", audioEnd: 3000))
        scene.done("r1")
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
    }

    /// The service takes it for the same turn and reports no other beginning.
    @Test func userIsHeardAgainAfterAnUnansweredTurn() {
        var scene = Self.paused()
        scene.on(.timer(.serverResponse), after: .seconds(12))
        scene.on(.userResumed)
        #expect(scene.state == .userSpeaking)
        scene.on(.userPaused(ago: .seconds(1)), after: .seconds(2))
        #expect(scene.state == .processing)
    }

    @Test func interruptEndsTheWait() {
        var scene = Self.paused()
        scene.on(.interrupt)
        #expect(scene.state == .listening)
        scene.begin("r1")
        #expect(scene.cancels == ["r1"], "the user does not want it any more")
    }

    @Test func speechAfterAnInterruptIsAnswered() {
        var scene = Self.paused()
        scene.on(.interrupt)
        scene.on(.userResumed)
        scene.on(.userPaused(ago: .seconds(1)), after: .seconds(2))
        scene.begin("r1")
        scene.speak("r1")
        #expect(scene.cancels.isEmpty)
        #expect(scene.state == .aiSpeaking)
    }

    @Test func stopEndsTheWait() {
        var scene = Self.paused()
        scene.on(.stop(isSpoken: false))
        #expect(scene.state == .listening)
        scene.server(.speechStopped(itemID: "i", audioEnd: 3000))
        scene.begin("r1")
        #expect(scene.cancels == ["r1"])
    }

    /// Semantic turn detection waits longer for more words, and no tone may sound into the pause.
    @Test func thinkingToneWaitsAsLongAsTheService() {
        let scene = Self.paused { $0.longestPause = .seconds(4) }
        #expect(scene.timer(.thinking) == .milliseconds(3700))
    }

    @Test func aPauseWithoutATurnIsIgnored() {
        var scene = Scene.listening()
        scene.on(.userPaused(ago: .seconds(1)))
        scene.on(.userResumed)
        #expect(scene.state == .listening, "no turn is open")
    }

    @Test func sessionEndInThePausePlaysAnError() {
        var scene = Self.paused()
        scene.on(LostQuestionTests.reset)
        #expect(scene.latest.contains(.play(.error)))
        #expect(scene.latest.contains(.note(.questionLost(isAskedAgain: false))))
    }
}
