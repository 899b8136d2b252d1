import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// Every row of the state table, as a script.
struct ConversationStateTests {
    @Test func listensOnlyOnceTheSettingsAreConfirmed() {
        var scene = Scene()
        #expect(scene.state == .idle)
        scene.on(.activate)
        #expect(scene.state == .connecting)
        #expect(scene.latest.contains(.connect))
        scene.on(.connected)
        scene.server(.sessionCreated(id: "sess", expiresAt: 1))
        #expect(scene.sent(scene.latest).count == 1)
        #expect(!scene.effects.contains(.openMicrophone), "no audio before the configuration is in force")
        scene.server(.sessionUpdated(Scene.settings.json))
        #expect(scene.state == .listening)
        #expect(scene.latest.contains(.openMicrophone))
    }

    @Test func plainTurnPassesThroughItsStates() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.done("r1")
        #expect(scene.state == .aiSpeaking, "generated is not heard")
        scene.on(.voiceDrained)
        #expect(scene.path == [.userSpeaking, .processing, .aiSpeaking, .listening])
        #expect(scene.sent().isEmpty)
    }

    @Test func speakingContinuesAfterAStarvedPlayout() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.on(.voiceDrained)
        #expect(scene.state == .aiSpeaking, "the network was late, the response is not done")
        scene.speak("r1")
        scene.done("r1")
        #expect(scene.state == .aiSpeaking)
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
    }

    @Test func acknowledgementCallAndAnswerAreSpoken() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.call("c1", in: "r1")
        #expect(scene.state == .fillerSpeaking)
        #expect(!scene.path.dropFirst(2).contains(.processing), "no detour while the call is being written")
        #expect(scene.started == ["c1"], "the call does not wait for the words before it")
        scene.done("r1")
        scene.on(.voiceDrained)
        #expect(scene.state == .waitingForJarvis)
        scene.answer("c1")
        #expect(scene.state == .processing)
        #expect(scene.outputs == ["c1"])
        scene.begin("r2", for: scene.creates.first)
        scene.speak("r2")
        #expect(scene.state == .aiSpeaking)
        scene.done("r2")
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
        #expect(scene.creates.count == 1)
    }

    @Test func callAnsweredDuringTheAcknowledgementIsSpoken() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.call("c1", in: "r1")
        scene.answer("c1")
        #expect(scene.outputs == ["c1"], "the output may go while the response runs")
        #expect(scene.creates.isEmpty, "the request may not")
        scene.done("r1")
        #expect(scene.creates.count == 1)
        #expect(scene.state == .processing)
        scene.begin("r2", for: scene.creates.first)
        scene.speak("r2")
        #expect(scene.state == .aiSpeaking)
    }

    @Test func callWithoutAFillerIsSpokenAbout() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        #expect(scene.timer(.thinking) == .milliseconds(660), "from when the user stopped")
        scene.done("r1")
        #expect(scene.state == .waitingForJarvis)
        scene.on(.timer(.thinking), after: .milliseconds(700))
        #expect(scene.latest.contains(.play(.thinking)))
        scene.on(.callDispatched(callID: "c1"))
        #expect(
            !scene.latest.contains { if case .startTimer(.thinking, _) = $0 { true } else { false } },
            "once a turn"
        )
        scene.answer("c1")
        scene.begin("r2", for: scene.creates.first)
        scene.speak("r2")
        #expect(scene.latest.contains(.cancelEarcons))
    }

    @Test func acknowledgementIsFollowedByNoTone() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.call("c1", in: "r1")
        scene.done("r1")
        scene.on(.voiceDrained)
        #expect(scene.timer(.thinking) == nil)
    }

    @Test func interruptWhileTheUserSpeaksChangesNothing() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "u", audioStart: 0))
        scene.on(.interrupt)
        #expect(scene.state == .userSpeaking)
        #expect(scene.sent().isEmpty)
    }

    @Test func interruptCancelsTheRunningResponse() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.on(.interrupt)
        #expect(scene.sent(scene.latest) == [.responseCancel(responseID: "r1", eventID: "cancel-1")])
        #expect(scene.latest.contains(.stopVoice(responseIDs: ["r1"])))
        #expect(scene.state == .listening)
    }

    @Test func interruptBeforeTheResponseCancelsItOnArrival() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.on(.interrupt)
        #expect(scene.state == .listening)
        scene.begin("r1")
        #expect(scene.sent(scene.latest).count == 1, "cancelled on arrival")
        scene.on(.voiceReceived(responseID: "r1", itemID: "i"))
        #expect(scene.state == .listening, "and not listened to")
    }

    @Test func silenceLimitClosesTheSession() {
        var scene = Scene.listening { $0.idleLimit = .seconds(30) }
        scene.userTurn()
        #expect(scene.effects.contains(.cancelTimer(.idle)))
        scene.begin("r1")
        scene.done("r1")
        #expect(scene.latest.contains(.startTimer(.idle, .seconds(30))))
        scene.on(.timer(.idle))
        #expect(scene.state == .idle)
        #expect(scene.latest.contains(.disconnect))
        #expect(scene.latest.contains(.closeMicrophone))
    }

    @Test func turnIgnoredByTheServerEnds() {
        var scene = Scene.listening()
        scene.userTurn()
        #expect(scene.state == .processing)
        scene.on(.timer(.serverResponse))
        #expect(scene.state == .listening)
    }

    @Test func aTurnIsReportedWithItsStages() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.on(.voiceAudible(responseID: "r1"), after: .milliseconds(60))
        scene.call("c1", in: "r1")
        scene.on(.callDispatched(callID: "c1"), after: .milliseconds(1))
        scene.done("r1")
        scene.on(.voiceDrained)
        scene.on(.callAnswered(callID: "c1", "x"), after: .seconds(2))
        scene.begin("r2", for: scene.creates.first)
        scene.speak("r2")
        scene.on(.voiceAudible(responseID: "r2"), after: .milliseconds(60))
        scene.done("r2")
        scene.on(.voiceDrained)
        let report = scene.reports.first
        #expect(scene.reports.count == 1)
        #expect(report?.calls == 1)
        #expect(report?.interrupted == false)
        #expect(report?.acknowledged == .milliseconds(100))
        #expect(report?.dispatched == .milliseconds(121))
        #expect(report?.answered == .milliseconds(2141))
        #expect(report?.firstDelta == .milliseconds(2171))
        #expect(report?.firstSample == .milliseconds(2231))
    }
}
