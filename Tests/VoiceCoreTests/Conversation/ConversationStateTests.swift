import Testing

@testable import VoiceCore

/// Every row of the state table, as a script.
struct ConversationStateTests {
    @Test func startingConnectsAndListensOnlyWhenTheSettingsAreInForce() {
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

    @Test func aPlainTurnIsHeardThoughtAboutAndSpoken() {
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

    @Test func speakingOutlivesARunDryInTheMiddle() {
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

    @Test func anAcknowledgementACallAndItsAnswer() {
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

    @Test func aCallAnsweredDuringTheAcknowledgement() {
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

    @Test func aCallWithoutAWordBefore() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        #expect(scene.latest.contains(.startTimer(.thinking, .milliseconds(700))))
        scene.done("r1")
        #expect(scene.state == .waitingForJarvis)
        scene.on(.timer(.thinking), after: .milliseconds(700))
        #expect(scene.latest.contains(.play(.thinking)))
        scene.on(.callDispatched(callID: "c1"))
        #expect(!scene.latest.contains(.startTimer(.thinking, .milliseconds(700))), "once a turn")
        scene.answer("c1")
        scene.begin("r2", for: scene.creates.first)
        scene.speak("r2")
        #expect(scene.latest.contains(.cancelEarcons))
    }

    @Test func noToneAfterAnAcknowledgement() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.call("c1", in: "r1")
        scene.done("r1")
        scene.on(.voiceDrained)
        #expect(!scene.effects.contains(.startTimer(.thinking, .milliseconds(700))))
    }

    @Test func theInterruptCommandWhileTheUserSpeaks() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "u", audioStart: 0))
        scene.on(.interrupt)
        #expect(scene.state == .listening)
        #expect(scene.sent().isEmpty)
    }

    @Test func theInterruptCommandCancelsWhatRuns() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.on(.interrupt)
        #expect(scene.sent(scene.latest) == [.responseCancel(responseID: "r1", eventID: "cancel-1-2")])
        #expect(scene.latest.contains(.stopVoice(responseIDs: ["r1"])))
        #expect(scene.state == .listening)
    }

    @Test func theInterruptCommandBeforeTheResponseBegins() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.on(.interrupt)
        #expect(scene.state == .listening)
        scene.begin("r1")
        #expect(scene.sent(scene.latest).count == 1, "cancelled on arrival")
        scene.on(.voiceReceived(responseID: "r1", itemID: "i"))
        #expect(scene.state == .listening, "and not listened to")
    }

    @Test func losingTheConnectionConnectsAgain() {
        var scene = Scene.listening()
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        #expect(scene.state == .connecting)
        #expect(scene.latest.contains(.closeMicrophone))
        #expect(scene.pause.map { (.zero ... .milliseconds(500)).contains($0) } == true)
        scene.on(.timer(.reconnect))
        #expect(scene.latest.contains(.connect))
        scene.open()
        #expect(scene.state == .listening)
    }

    @Test(arguments: ["settings alone", "a response", "a minute"])
    func thePausesBetweenAttemptsAreForgottenByASessionThatWorks(proof: String) throws {
        var scene = Scene.listening()
        func lose() {
            scene.on(.disconnected(LinkFailure(.transient, "reset")))
            scene.on(.timer(.reconnect))
        }
        for _ in 0..<9 { lose() }
        #expect(scene.machine.backoff.ceiling == .seconds(60))
        scene.open()
        #expect(scene.latest.contains(.startTimer(.proven, .seconds(60))))
        switch proof {
        case "a response":
            scene.userTurn()
            scene.begin("r1")
            scene.done("r1")
        case "a minute": scene.on(.timer(.proven))
        default: break
        }
        lose()
        #expect(scene.machine.backoff.attempts == (proof == "settings alone" ? 10 : 1))
    }

    @Test(arguments: [(nil, 30), (.seconds(45), 45), (.seconds(86_400), 900)] as [(Duration?, Int)])
    func aServiceThatHadTooMuchOfUsIsLeftAloneForAsLongAsItAsks(wanted: Duration?, seconds: Int) throws {
        var scene = Scene()
        scene.on(.activate)
        scene.on(.disconnected(LinkFailure(.limited, "429", retryAfter: wanted)))
        let pause = try #require(scene.pause)
        #expect((Duration.seconds(seconds) ... .seconds(seconds) + .milliseconds(500)).contains(pause))
        #expect(scene.state == .connecting)
    }

    @Test func anExpiredSessionIsReplacedAtOnce() {
        var scene = Scene.listening()
        scene.server(.error(ServerError(type: "invalid_request_error", code: "session_expired", message: "60 min")))
        #expect(scene.latest.contains(.startTimer(.reconnect, .zero)))
        #expect(scene.state == .connecting)
    }

    @Test(arguments: ["invalid_api_key", "insufficient_quota", "model_not_found"])
    func aRefusalIsAnErrorThatIsProbedSlowly(code: String) {
        var scene = Scene()
        scene.on(.activate)
        scene.on(.connected)
        scene.server(.error(ServerError(type: "invalid_request_error", code: code, message: "no")))
        #expect(scene.state == .error("\(code): no"))
        #expect(scene.latest.contains(.startTimer(.reconnect, .seconds(300))))
        #expect(scene.latest.contains(.play(.error)))
        scene.on(.disconnected(LinkFailure(.permanent, "closed 3000")))
        #expect(scene.state == .error("\(code): no"), "the first reason stands")
        scene.on(.timer(.reconnect))
        #expect(scene.latest.contains(.connect), "a look, now and then")
        #expect(scene.state == .error("\(code): no"))
        scene.open()
        #expect(scene.state == .listening)
    }

    @Test func aRefusalIsToldOnceAndAgainWhenItsReasonChanges() {
        var scene = Scene()
        scene.on(.activate)
        func probe(_ code: String) {
            scene.server(.error(ServerError(type: "invalid_request_error", code: code, message: "no")))
            scene.on(.timer(.reconnect))
        }
        for _ in 0..<3 { probe("invalid_api_key") }
        #expect(scene.refusals == ["invalid_api_key: no"])
        #expect(scene.effects.count { $0 == .play(.error) } == 1)
        #expect(scene.path.count == 2, "no wavering between error and connecting: \(scene.path)")
        scene.on(.disconnected(LinkFailure(.transient, "no route")))
        #expect(scene.latest == [.startTimer(.reconnect, .seconds(300)), .cancelTimer(.setUp)])
        scene.on(.timer(.reconnect))
        probe("insufficient_quota")
        #expect(scene.refusals == ["invalid_api_key: no", "insufficient_quota: no"])
        #expect(scene.effects.count { $0 == .play(.error) } == 1)
        scene.on(.activate)
        #expect(scene.latest == [.play(.error)], "who asks is answered")
        scene.open()
        scene.server(.error(ServerError(type: "invalid_request_error", code: "insufficient_quota", message: "no")))
        #expect(scene.refusals.count == 3, "it worked in between")
        #expect(scene.latest.contains(.play(.error)))
    }

    @Test func settingsThatWereNotTakenAreAnError() {
        var scene = Scene()
        scene.on(.activate)
        scene.server(.sessionCreated(id: nil, expiresAt: nil))
        var other = Scene.settings
        other.tools = []
        scene.server(.sessionUpdated(other.json))
        guard case .error = scene.state else {
            Issue.record("talks on without its tools: \(scene.state)")
            return
        }
        #expect(!scene.effects.contains(.openMicrophone))
    }

    @Test func aSessionThatNeverGetsReadyIsGivenUp() {
        var scene = Scene()
        scene.on(.activate)
        #expect(scene.latest.contains(.startTimer(.setUp, .seconds(20))))
        scene.on(.connected)
        scene.on(.timer(.setUp), after: .seconds(20))
        #expect(scene.latest.contains(.disconnect))
        #expect(scene.state == .connecting)
    }

    @Test func silenceClosesTheSessionWhereALimitIsSet() {
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

    @Test func aTurnTheServerMakesNothingOfEnds() {
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
        scene.on(.callAnswered(callID: "c1", output: "x", wantsReply: true), after: .seconds(2))
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
