import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// Sessions that are refused, lost and reopened.
struct ConversationLinkTests {
    @Test func lostConnectionReconnects() {
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
    func workingSessionResetsThePauses(proof: String) throws {
        var scene = Scene.listening()
        func lose() {
            scene.on(.disconnected(LinkFailure(.transient, "reset")))
            scene.on(.timer(.reconnect))
        }
        for _ in 0..<9 { lose() }
        #expect(scene.machine.link.backoff.ceiling == .seconds(60))
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
        #expect(scene.machine.link.backoff.attempts == (proof == "settings alone" ? 10 : 1))
    }

    @Test(arguments: [(nil, 30), (.seconds(45), 45), (.seconds(86_400), 900)] as [(Duration?, Int)])
    func rateLimitPausesForTheRequestedTime(wanted: Duration?, seconds: Int) throws {
        var scene = Scene()
        scene.on(.activate)
        scene.on(.disconnected(LinkFailure(.limited, "429", retryAfter: wanted)))
        let pause = try #require(scene.pause)
        #expect((Duration.seconds(seconds) ... .seconds(seconds) + .milliseconds(500)).contains(pause))
        #expect(scene.state == .connecting)
        #expect(scene.machine.trouble == ServiceTrouble(number: 1, reason: "429", kind: .limited))
    }

    @Test func expiredSessionIsReplacedImmediately() {
        var scene = Scene.listening()
        scene.server(.error(ServerError(type: "invalid_request_error", code: "session_expired", message: "60 min")))
        #expect(scene.latest.contains(.startTimer(.reconnect, .zero)))
        #expect(scene.state == .connecting)
    }

    @Test(arguments: ["invalid_api_key", "insufficient_quota", "model_not_found"])
    func refusalIsProbedSlowly(code: String) {
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

    @Test func refusalIsReportedOncePerReason() {
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

    /// The key may have been changed since: an order does not wait for the next attempt.
    @Test(arguments: [ConversationEvent.activate, .ask("What is on?")])
    func orderAfterARefusalReconnectsImmediately(order: ConversationEvent) {
        func refused() -> ServerEvent {
            .error(ServerError(type: "invalid_request_error", code: "invalid_api_key", message: "no"))
        }
        var scene = Scene()
        scene.on(.activate)
        scene.server(refused())
        let old = scene.machine.trouble?.number
        scene.on(order, after: .seconds(10))
        #expect(scene.latest.filter { $0 == .connect || $0 == .cancelTimer(.reconnect) }.count == 2)
        #expect(scene.latest.allSatisfy { $0 != .play(.error) }, "nothing is decided yet")
        #expect(scene.state == .connecting)
        scene.server(refused())
        #expect(scene.state == .error("invalid_api_key: no"))
        #expect(scene.latest.contains(.play(.error)), "who asks is answered")
        #expect(scene.machine.trouble?.number != old, "told as what came of this attempt")
        scene.on(order)
        scene.open()
        let asked = order == .activate ? [] : ["What is on?"]
        #expect(scene.texts(.user) == asked, "once, and not the one that was refused")
        #expect(scene.machine.trouble == nil)
    }

    /// News is not an order.
    @Test func mediaNewsDoesNotReconnectAfterARefusal() {
        var scene = Scene()
        scene.on(.activate)
        scene.server(.error(ServerError(type: "invalid_request_error", code: "invalid_api_key", message: "no")))
        scene.on(.mediaReported(MediaRemark(report: "{}", wish: nil), opens: true))
        #expect(!scene.latest.contains(.connect))
    }

    @Test func rejectedSettingsAreAnError() {
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

    @Test func sessionThatNeverBecomesReadyTimesOut() {
        var scene = Scene()
        scene.on(.activate)
        #expect(scene.latest.contains(.startTimer(.setUp, .seconds(30))))
        scene.on(.connected)
        scene.on(.timer(.setUp), after: .seconds(30))
        #expect(scene.latest.contains(.disconnect))
        #expect(scene.state == .connecting)
    }
}
