import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// One response at a time, whatever messages cross on the way.
struct ResponseRaceTests {
    @Test func requestDuringAServerResponseIsRepeatedAfterIt() {
        var scene = Scene.calling()
        scene.answer("c1")
        #expect(scene.creates.count == 1)
        // The server began one for a turn that it heard meanwhile, before it read the output.
        scene.server(.responseCreated(id: "r2", clientEventID: "someone-else"))
        scene.confirm("c1")
        scene.server(.error(.activeResponse))
        scene.done("r2")
        #expect(scene.creates.count == 2)
    }

    @Test func requestDuringACoveringResponseIsDropped() {
        var scene = Scene.calling()
        scene.answer("c1")
        scene.confirm("c1")
        scene.server(.responseCreated(id: "r2", clientEventID: "someone-else"))
        scene.server(.error(.activeResponse))
        scene.speak("r2")
        scene.done("r2")
        scene.on(.voiceDrained)
        #expect(scene.creates.count == 1)
        #expect(scene.state == .listening)
    }

    /// The end of the other response overtakes the refusal that it caused.
    @Test(arguments: ["another", "unnamed", "earlier"])
    func requestRefusedForAnEndedResponseIsRepeated(response: String) {
        var scene = Scene.calling()
        scene.answer("c1")
        switch response {
        case "another":
            scene.begin("r2", for: "someone-else")
            scene.done("r2")
        case "unnamed":
            scene.begin("r2")
            scene.speak("r2")
            scene.done("r2")
            scene.on(.voiceDrained)
        default: break
        }
        let before = scene.creates.count
        scene.server(.error(.activeResponse))
        #expect(scene.creates.count == before + 1)
        scene.begin("r3", for: scene.creates.last)
        scene.speak("r3")
        scene.done("r3")
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
        #expect(scene.creates.count == before + 1)
    }

    /// A typed question has no output that would ask for it again.
    @Test func questionWithARefusedRequestIsAnswered() {
        var scene = Scene.listening()
        scene.on(.ask("What is on?"))
        scene.server(.error(.activeResponse))
        #expect(scene.creates.count == 2)
        #expect(scene.texts(.user) == ["What is on?"])
        scene.begin("r1", for: scene.creates.last)
        scene.speak("r1")
        scene.done("r1")
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
    }

    @Test func twiceRefusedRequestWaitsForTheHiddenResponse() {
        var scene = Scene.calling()
        scene.answer("c1")
        scene.server(.error(.activeResponse))
        scene.server(.error(.activeResponse))
        #expect(scene.creates.count == 2)
        scene.done("unseen")
        #expect(scene.creates.count == 3)
    }

    @Test func serviceThatRefusesEveryRequestIsDisconnected() {
        var scene = Scene.calling()
        scene.answer("c1")
        while !scene.latest.contains(.disconnect), scene.creates.count < 50 {
            scene.server(.error(.activeResponse))
            scene.on(.timer(.unknownResponse), after: .seconds(1))
        }
        #expect(scene.latest.contains(.disconnect))
        #expect(scene.creates.count < 20 && scene.now < .seconds(20), "\(scene.creates.count) in \(scene.now)")
    }

    /// The user silences a response before it begins.
    @Test(arguments: ["ours", "ours, unnamed", "the service's"])
    func silencedResponseIsDiscardedAndTheNextIsHeard(response: String) {
        var scene = Scene.listening()
        scene.userTurn()
        if response != "the service's" {
            scene.begin("r1")
            scene.call("c1", in: "r1")
            scene.done("r1")
            scene.answer("c1")
        }
        scene.on(.interrupt)
        #expect(scene.cancels.isEmpty, "nothing is known to run")
        scene.begin("orphan", for: response == "ours" ? scene.creates.last : nil)
        #expect(scene.cancels == ["orphan"])
        #expect(scene.latest.contains(.stopVoice(responseIDs: ["orphan"])))
        scene.done("orphan", .cancelled, reason: "client_cancelled")
        #expect(scene.state == .listening)
        scene.userTurn("u2")
        scene.begin("r2")
        scene.speak("r2")
        #expect(scene.state == .aiSpeaking)
        scene.done("r2")
        scene.on(.voiceDrained)
        scene.on(.ask("And now?"))
        scene.begin("r3", for: scene.creates.last)
        scene.speak("r3")
        #expect(scene.state == .aiSpeaking)
        #expect(scene.cancels == ["orphan"])
    }

    /// The loudspeaker is silenced for a response that comes after its time; another was playing.
    @Test func silencedLateResponseStopsTheOtherToo() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.on(.interrupt)
        scene.on(.timer(.serverResponse), after: .seconds(12))
        scene.on(.ask("What is on?"))
        scene.begin("r1", for: scene.creates.last)
        scene.speak("r1")
        scene.done("r1")
        #expect(scene.state == .aiSpeaking)
        scene.begin("late")
        #expect(scene.latest.contains(.stopVoice(responseIDs: ["late", "r1"])))
        // All of the other was heard just then: nothing of it is reported as cut.
        scene.on(.voiceStopped([]))
        scene.done("late", .cancelled, reason: "client_cancelled")
        #expect(scene.state == .listening)
    }

    @Test func unansweredRequestIsRepeated() {
        var scene = Scene.calling()
        scene.answer("c1")
        #expect(scene.latest.contains(.startTimer(.requestedResponse, .seconds(12))))
        scene.on(.timer(.requestedResponse))
        #expect(scene.creates.count == 2)
    }

    @Test func endOfAnUnknownResponseIsHarmless() {
        var scene = Scene.listening()
        scene.done("ghost", .cancelled)
        #expect(scene.state == .listening)
        #expect(scene.sent().isEmpty)
    }

    @Test(arguments: [
        ("inference_rate_limit_exceeded", [Duration.seconds(8), .seconds(16)]),
        ("rate_limit_exceeded", [.seconds(8), .seconds(16)]),
        ("server_error", [.seconds(1)]), ("something_new", [.seconds(1)]),
    ])
    func failedResponseIsRetriedOnceThenTheTurnEnds(reason: String, pauses: [Duration]) {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r0")
        for (index, pause) in pauses.enumerated() {
            scene.done("r\(index)", .failed, reason: reason)
            #expect(scene.latest.contains(.note(.responseFailed(status: "failed", reason: reason))))
            #expect(scene.latest.contains(.startTimer(.retryResponse, pause)))
            #expect(scene.state == .processing)
            #expect(scene.creates.count == index, "not before the pause")
            scene.on(.timer(.retryResponse))
            #expect(scene.creates.count == index + 1)
            scene.begin("r\(index + 1)", for: scene.creates.last)
        }
        scene.done("r\(pauses.count)", .failed, reason: reason)
        #expect(scene.latest.contains(.play(.error)), "the user is told")
        #expect(scene.state == .listening)
    }

    @Test func failedResponseIsNotRetriedIfTheUserContinues() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.done("r1", .failed, reason: "server_error")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        scene.on(.timer(.retryResponse))
        scene.server(.speechStopped(itemID: "u2", audioEnd: 1))
        scene.begin("r2")
        scene.done("r2")
        #expect(scene.creates.isEmpty, "the next response has seen it all")
        #expect(scene.state == .listening)
    }

    @Test func serviceThatKeepsCancellingIsNotAskedForever() {
        var scene = Scene.calling()
        scene.answer("c1")
        for attempt in 0..<2 {
            scene.begin("a\(attempt)", for: scene.creates.last)
            scene.done("a\(attempt)", .cancelled)
            #expect(scene.creates.count == attempt + 1, "not at once")
            scene.on(.timer(.retryResponse))
        }
        #expect(scene.creates.count == 2)
        #expect(scene.effects.contains(.play(.error)))
        #expect(scene.state == .listening)
    }

    @Test func serviceThatFailsEveryTurnIsDisconnected() {
        var scene = Scene.listening()
        for turn in 0..<2 {
            scene.userTurn()
            scene.begin("a\(turn)")
            scene.done("a\(turn)", .failed, reason: "server_error")
            scene.on(.timer(.retryResponse))
            scene.begin("b\(turn)", for: scene.creates.last)
            scene.done("b\(turn)", .failed, reason: "server_error")
        }
        #expect(scene.latest.contains(.disconnect))
        #expect(scene.state == .connecting)
    }

    @Test func responseFailingForTheAccountIsAnError() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.done("r1", .failed, reason: "insufficient_quota")
        guard case .error = scene.state else {
            Issue.record("\(scene.state)")
            return
        }
    }

    @Test func serviceThatAnswersNoRequestIsDisconnected() {
        var scene = Scene.calling()
        scene.answer("c1")
        for _ in 0..<3 { scene.on(.timer(.requestedResponse)) }
        #expect(scene.latest.contains(.disconnect))
        scene.on(.timer(.reconnect))
        scene.open()
        #expect(scene.reported.last?.output == "Two meetings.", "the answer is told there")
    }
}
