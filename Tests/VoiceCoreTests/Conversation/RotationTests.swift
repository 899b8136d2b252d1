import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// One session replaces another unnoticed.
struct RotationTests {
    @Test func anAgedSessionIsReplacedInAQuietMoment() {
        var scene = Scene.listening()
        #expect(scene.timer(.rotate) == .seconds(1200) - .milliseconds(10))
        scene.on(.timer(.rotate))
        #expect(scene.latest.contains(.connectBeside))
        #expect(scene.state == .listening)
        scene.beside(.connected)
        scene.beside(.server(.sessionCreated(id: "next", expiresAt: nil)))
        #expect(scene.latest.contains { if case .sendBeside(.open) = $0 { true } else { false } })
        scene.beside(.server(.sessionUpdated(Scene.settings.json)))
        #expect(scene.timer(.quiet) == .seconds(4))
        #expect(!scene.effects.contains(.promote))
        scene.on(.timer(.quiet))
        #expect(scene.latest.contains(.promote))
        #expect(scene.latest.contains(.note(.sessionSwapped(id: "next"))))
        #expect(!scene.effects.contains(.closeMicrophone), "not a sample is lost")
        #expect(scene.state == .listening)
        #expect(scene.path.isEmpty, "nobody notices")
        #expect(scene.timer(.rotate) != nil, "and so on")
        #expect(!scene.effects.contains { if case .play = $0 { true } else { false } })
    }

    @Test(
        arguments: [
            (1200, nil, 1200), (1200, 3600, 1200), (nil, 3600, 3480), (3600, 1800, 1680), (nil, 100, 30),
            (nil, nil, nil),
            (nil, -5, nil),
        ] as [(Int?, Int?, Int?)]
    )
    func standbyOpensByAgeOrBeforeTheEnd(age: Int?, lifetime: Int?, seconds: Int?) {
        var scene = Scene { $0.sessions.age = age.map { .seconds($0) } }
        scene.on(.activate)
        scene.server(.sessionCreated(id: nil, expiresAt: nil))
        if let lifetime { scene.on(.lifetime(.seconds(lifetime)), after: .zero) }
        scene.server(.sessionUpdated(Scene.settings.json), after: .zero)
        #expect(scene.timer(.rotate) == seconds.map { .seconds($0) })
    }

    @Test func knownLifetimeReplacesAnUnreportedOne() {
        var scene = Scene {
            $0.sessions.age = nil
            $0.sessionLifetime = .seconds(1800)
        }
        scene.open()
        #expect(scene.timer(.rotate).map { $0 < .seconds(1680) && $0 > .seconds(1679) } == true)
    }

    @Test func speechCallsAndResponsesDelayTheRotation() {
        var scene = Scene.rotating()
        scene.userTurn()
        #expect(scene.effects.contains(.cancelTimer(.quiet)))
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.done("r1")
        scene.answer("c1")
        scene.begin("r2", for: scene.creates.last)
        scene.speak("r2")
        scene.done("r2")
        scene.on(.timer(.quiet))
        #expect(!scene.effects.contains(.promote), "a timer that was cancelled means nothing")
        #expect(scene.state == .aiSpeaking)
        scene.on(.voiceDrained)
        #expect(scene.timer(.quiet) == .seconds(4))
        scene.on(.timer(.quiet))
        #expect(scene.latest.contains(.promote))
    }

    @Test func rotationIsForcedShortlyBeforeTheEnd() {
        var scene = Scene.rotating(lifetime: .seconds(3600))
        #expect(scene.timer(.swapBy).map { $0 > .seconds(3589) && $0 < .seconds(3590) } == true)
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.on(.timer(.swapBy))
        #expect(!scene.effects.contains(.promote), "the response runs")
        scene.done("r1")
        #expect(scene.latest.contains(.promote))
        #expect(scene.state == .waitingForJarvis, "the call carries over")
        scene.answer("c1", "Two meetings.")
        #expect(scene.outputs.isEmpty)
        #expect(scene.reported.map(\.output) == ["Two meetings."])
        #expect(scene.texts(.system).isEmpty)
        #expect(scene.creates.count == 1)
    }

    @Test func failedStandbyIsRetriedAndReportedOnce() {
        var scene = Scene.listening()
        var reported = 0
        for _ in 0..<5 {
            scene.on(.timer(.rotate))
            #expect(scene.latest.contains(.connectBeside))
            scene.beside(.disconnected(LinkFailure(.transient, "refused")))
            #expect(scene.timer(.rotate).map { (.seconds(1) ... .seconds(60)).contains($0) } == true)
            reported += scene.latest.count { if case .note(.rotationFailed) = $0 { true } else { false } }
            #expect(scene.state == .listening)
        }
        #expect(reported == 1)
        scene.on(.timer(.rotate))
        scene.on(.timer(.standbySetUp))
        #expect(scene.latest.contains(.dropBeside))
        scene.on(.timer(.rotate))
        scene.beside(.server(.error(ServerError(type: "x", code: "insufficient_quota", message: "no"))))
        #expect(scene.latest.contains(.dropBeside))
        #expect(scene.state == .listening, "the present one works on")
        scene.userTurn()
        #expect(scene.state == .processing)
    }

    @Test func standbyReplacesABrokenSessionImmediately() {
        var scene = Scene.rotating()
        scene.userTurn()
        scene.server(.heardTranscript(itemID: "item_user", contentIndex: 0, text: "What is on?"))
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        #expect(scene.latest.contains(.promote))
        #expect(!scene.latest.contains { if case .startTimer(.reconnect, _) = $0 { true } else { false } })
        #expect(scene.texts(.user) == ["What is on?"])
        #expect(scene.state == .processing)
    }

    /// Requests still open in the broken session do not count against the one that takes over.
    @Test func repeatedRequestHasAFreshTimeLimit() {
        var scene = Scene.rotating()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.done("r1")
        scene.answer("c1")
        #expect(scene.creates.count == 1)
        scene.on(.disconnected(LinkFailure(.transient, "reset")), after: .seconds(9))
        #expect(scene.latest.contains(.promote))
        #expect(scene.creates.count == 2)
        let timers = scene.latest.compactMap { effect -> String? in
            switch effect {
            case .startTimer(.requestedResponse, _): "start"
            case .cancelTimer(.requestedResponse): "cancel"
            default: nil
            }
        }
        #expect(timers == ["cancel", "start"])
    }

    @Test func standbyClosesWithTheConversation() {
        var scene = Scene.rotating()
        scene.on(.deactivate)
        #expect(scene.latest.contains(.dropBeside))
        scene.beside(.server(.sessionUpdated(Scene.settings.json)))
        #expect(scene.latest.isEmpty)
        #expect(scene.state == .idle)
    }

    @Test func lastTurnsAreCarriedAsASummary() {
        var scene = Scene.rotating()
        scene.say("r1", question: "What is on?", answer: "Two meetings.")
        scene.on(.timer(.quiet))
        #expect(scene.texts(.system).isEmpty, "what was heard and answered has no authority")
        #expect(scene.texts(.user).isEmpty, "a server may join it with what the user says next")
        #expect(scene.reported.map(\.name) == ["recall_conversation"])
        let note = scene.reported.first?.output ?? ""
        #expect(note.hasSuffix(#"[{"user":"What is on?"},{"you":"Two meetings."}]}"#), "\(note)")
        #expect(scene.creates.isEmpty, "nothing to say")
    }

    /// A server that holds one session refuses a second: the session ends in a quiet moment to make room for the next.
    @Test func aServerWithOneSessionChangesInAQuietMoment() {
        var scene = Scene.listening()
        scene.on(.timer(.rotate))
        let full = ServerError(type: "session_limit_reached", code: nil, message: "All 1 session slots are in use.")
        scene.beside(.server(.error(full)))
        #expect(scene.latest.contains(.dropBeside))
        #expect(scene.timer(.quiet) == .seconds(4))
        scene.userTurn()
        #expect(scene.effects.contains(.cancelTimer(.quiet)), "not while the user waits for an answer")
        scene.begin("r1")
        scene.speak("r1")
        scene.done("r1")
        scene.on(.voiceDrained)
        scene.on(.timer(.quiet))
        #expect(scene.latest.contains(.disconnect) && scene.latest.contains(.connect))
        scene.open()
        #expect(scene.state == .listening)
        #expect(scene.timer(.rotate) != nil, "and so on")
        #expect(!scene.effects.contains { if case .note(.rotationFailed) = $0 { true } else { false } })
    }

    @Test func lastTurnsAreCarriedAsTurns() {
        var scene = Scene.rotating { $0.sessions.carry = .turns }
        scene.say("r1", question: "What is on?", answer: "Two meetings.")
        scene.on(.timer(.quiet))
        #expect(scene.texts(.user) == ["What is on?"])
        #expect(scene.texts(.assistant).first == "Two meetings.")
        #expect(scene.texts(.system).isEmpty)
    }

    @Test func noHistoryIsCarriedIfDisabled() {
        var scene = Scene.rotating { $0.sessions.carry = .none }
        scene.say("r1", question: "What is on?", answer: "Two meetings.")
        scene.on(.timer(.quiet))
        #expect(scene.sent(scene.latest).isEmpty)
    }

    /// A service that reports how full a session is: the next is opened immediately, and takes over in silence.
    @Test func aFullSessionIsReplacedBeforeItsTime() {
        var scene = Scene.listening()
        scene.on(.service(.nearlyFull))
        #expect(scene.latest.contains(.startTimer(.rotate, .zero)))
        scene.on(.timer(.rotate))
        #expect(scene.latest.contains(.connectBeside))
        scene.beside(.server(.sessionCreated(id: "next", expiresAt: nil)))
        scene.beside(.server(.sessionUpdated(Scene.settings.json)))
        scene.on(.timer(.quiet))
        #expect(scene.latest.contains(.promote))
    }

}
