import Testing

@testable import TestSupport
@testable import VoiceConversation

/// "Stop", moment by moment: what the service and the agent are told, and what is no longer heard.
struct StopRequestTests {
    private static let reset = ConversationEvent.disconnected(LinkFailure(.transient, "reset"))

    private func stop(_ scene: inout Scene, isSpoken: Bool = false) { scene.on(.stop(isSpoken: isSpoken)) }

    private func silences(_ scene: Scene) -> Bool {
        scene.latest.contains { if case .stopVoice = $0 { true } else { false } }
    }

    private func kinds(_ scene: Scene) -> [String] { scene.sent(scene.latest).map(\.name) }

    // MARK: While the user speaks

    @Test func stopForgetsTheUnfinishedTurn() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "u1", audioStart: 0))
        stop(&scene)
        #expect(scene.state == .listening)
        #expect(silences(scene))
        #expect(scene.latest.contains(.forgetMicrophone))
        #expect(kinds(scene) == ["input_audio_buffer.clear"])
    }

    /// A service that does not know the request, or has not read it yet, hears the turn to its end and answers it.
    @Test func answerToAForgottenTurnIsCancelled() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "u1", audioStart: 0))
        stop(&scene)
        scene.server(.speechStopped(itemID: "u1", audioEnd: 900), after: .seconds(2))
        #expect(scene.state == .listening)
        scene.server(.committed(itemID: "u1"))
        #expect(scene.sent(scene.latest) == [.deleteItem(itemID: "u1", eventID: "delete-1")])
        scene.begin("r1")
        #expect(scene.cancels == ["r1"])
        #expect(scene.latest.contains(.stopVoice(responseIDs: ["r1"])), "not a word of it")
        scene.call("c1", in: "r1")
        #expect(scene.started.isEmpty, "nor a request to the agent")
        scene.done("r1", .cancelled)
        #expect(scene.state == .listening)
    }

    /// The service is told to forget the turn, but the user is in the middle of a sentence.
    @Test func restOfTheSentenceIsNotANewTurn() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "u1", audioStart: 0))
        stop(&scene)
        scene.server(.speechStarted(itemID: "u2", audioStart: 900), after: .milliseconds(300))
        #expect(scene.state == .listening)
        scene.server(.speechStopped(itemID: "u2", audioEnd: 1900), after: .seconds(1))
        scene.server(.committed(itemID: "u2"))
        #expect(kinds(scene) == ["conversation.item.delete"])
        scene.begin("r1")
        #expect(scene.cancels == ["r1"])
    }

    @Test func speechAfterAStopIsAnswered() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "u1", audioStart: 0))
        stop(&scene)
        scene.now += .seconds(3)
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        #expect(scene.cancels.isEmpty)
        #expect(scene.state == .aiSpeaking)
    }

    @Test func stopWordIsNotATurn() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        stop(&scene, isSpoken: true)
        scene.server(.speechStarted(itemID: "u2", audioStart: 5000), after: .milliseconds(200))
        scene.server(.speechStopped(itemID: "u2", audioEnd: 5600), after: .milliseconds(700))
        scene.begin("r2")
        #expect(scene.cancels == ["r1", "r2"])
        var other = Scene.listening()
        stop(&other)
        other.server(.speechStarted(itemID: "u2", audioStart: 5000), after: .milliseconds(400))
        #expect(other.state == .userSpeaking, "who presses a key may speak at once")
    }

    // MARK: While an answer is awaited

    @Test func stopRemovesAnUnansweredQuestion() {
        var scene = Scene.listening()
        scene.userTurn()
        stop(&scene)
        #expect(scene.state == .listening)
        #expect(kinds(scene) == ["conversation.item.delete"])
        scene.begin("r1")
        #expect(scene.cancels == ["r1"])
        #expect(scene.latest.contains(.stopVoice(responseIDs: ["r1"])))
    }

    @Test func requestsWaitForTheUnwantedAnswerToBegin() {
        var scene = Scene.listening()
        scene.userTurn()
        stop(&scene)
        scene.on(.say("The washing is done."))
        #expect(scene.creates.isEmpty)
        scene.begin("r1")
        scene.done("r1", .cancelled)
        #expect(scene.creates.count == 1)
    }

    @Test func stopCancelsTheRequestToTheAgent() {
        var scene = Scene.calling()
        stop(&scene)
        #expect(scene.latest.contains(.cancelCalls))
        #expect(
            scene.sent(scene.latest) == [
                .functionCallOutput(callID: "c1", output: ConversationMachine.stoppedOutput, eventID: "output-1")
            ]
        )
        #expect(scene.state == .listening)
        scene.answer("c1", "Two meetings.")
        #expect(scene.sent(scene.latest).isEmpty, "a late answer is nobody's")
        #expect(scene.creates.isEmpty)
    }

    @Test func stopSilencesADeliveredAnswer() {
        var scene = Scene.calling()
        scene.answer("c1")
        stop(&scene)
        scene.begin("r2", for: scene.creates.last)
        #expect(scene.cancels == ["r2"])
        scene.done("r2", .cancelled)
        #expect(scene.creates.count == 1, "not asked for again")
    }

    // MARK: Without a connection

    @Test func receivedSpeechStopsWithoutAConnection() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.on(Self.reset)
        stop(&scene)
        #expect(scene.latest.contains(.stopVoice(responseIDs: ["r1"])))
        scene.on(.timer(.reconnect), after: .seconds(1))
        scene.open()
        #expect(scene.state == .listening)
    }

    @Test func stopDropsALostQuestion() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.server(.heardTranscript(itemID: "item_user", contentIndex: 0, text: "What is on?"))
        scene.on(Self.reset)
        stop(&scene)
        scene.on(.timer(.reconnect), after: .seconds(1))
        scene.open()
        let reported = scene.texts(.user) + scene.texts(.system)
        #expect(!reported.contains { $0.contains("What is on?") }, "\(reported)")
        #expect(scene.creates.isEmpty)
        #expect(scene.state == .listening)
    }

    @Test func stopDropsTheAnswerOfALostSession() {
        var scene = Scene.calling()
        scene.on(Self.reset)
        stop(&scene)
        #expect(scene.latest.contains(.cancelCalls))
        scene.on(.timer(.reconnect), after: .seconds(1))
        scene.open()
        scene.answer("c1")
        #expect(scene.outputs.isEmpty && scene.texts(.system).isEmpty && scene.creates.isEmpty)
    }

    // MARK: Pending announcements

    @Test func stopDropsWaitingAnnouncements() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.on(.say("The washing is done."))
        stop(&scene)
        scene.done("r1", .cancelled)
        #expect(scene.creates.isEmpty)
    }

    // MARK: Ending on purpose

    @Test(arguments: [false, true])
    func intendedEndLosesNoQuestion(isSpeaking: Bool) {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "u1", audioStart: 0))
        if !isSpeaking { scene.server(.speechStopped(itemID: "u1", audioEnd: 900)) }
        scene.on(.deactivate)
        #expect(!scene.latest.contains { if case .play = $0 { true } else { false } })
        #expect(!scene.latest.contains { if case .note(.questionLost) = $0 { true } else { false } })
        scene.open()
        #expect(!scene.effects.contains { if case .play = $0 { true } else { false } }, "no stale tone")
        #expect(scene.state == .listening)
    }

    @Test(arguments: ["closed", "lost", "called", "late"])
    func requestToEndBelongsToItsSession(how: String) {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        if how != "late" { scene.on(.endWhenQuiet(alwaysToo: true)) }
        switch how {
        case "closed", "late": scene.on(.deactivate)
        case "lost":
            scene.on(Self.reset)
            scene.on(.timer(.reconnect), after: .seconds(1))
        default: scene.on(.activate)
        }
        if how == "late" { scene.on(.endWhenQuiet(alwaysToo: true)) }
        if how != "called" { scene.open() }
        scene.done("r1")
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
    }

    // MARK: A turn without end

    @Test func turnWithoutAReportedEndTimesOut() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "u1", audioStart: 0))
        #expect(scene.timer(.speech) == .seconds(120))
        #expect(scene.latest.contains(.turnIsOpen(true)))
        scene.on(.timer(.speech), after: .seconds(120))
        #expect(scene.state == .listening)
        #expect(kinds(scene) == ["input_audio_buffer.clear"])
        #expect(scene.latest.contains(.turnIsOpen(false)))
        scene.userTurn()
        #expect(scene.state == .processing)
    }
}
