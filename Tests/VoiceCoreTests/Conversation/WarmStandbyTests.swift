import Testing

@testable import VoiceBase
@testable import VoiceConversation

/// The session that is kept open between conversations, without audio.
struct WarmStandbyTests {
    /// A standby session is ready.
    private static func warm(_ change: (inout ConversationMachine.Options) -> Void = { _ in }) -> Scene {
        var scene = Scene {
            $0.isAlwaysOpen = false
            change(&$0)
        }
        scene.on(.keepsWarm(true))
        #expect(scene.latest.contains(.connectBeside))
        scene.ready()
        return scene
    }

    @Test func itIsNoConversation() {
        let scene = Self.warm()
        #expect(scene.state == .idle)
        #expect(scene.path.isEmpty)
        #expect(!scene.effects.contains(.openMicrophone))
        #expect(!scene.effects.contains(.promote))
    }

    @Test func aCallHasItsSessionAtOnce() {
        var scene = Self.warm()
        scene.effects = []
        scene.on(.activate)
        #expect(scene.path == [.listening])
        #expect(scene.effects.contains(.adopt) && scene.effects.contains(.openMicrophone))
        #expect(!scene.effects.contains(.connect))
        scene.userTurn()
        scene.begin("r")
        scene.speak("r")
        #expect(scene.state == .aiSpeaking)
    }

    @Test func aCallTakesOverASessionThatIsOnItsWay() {
        var scene = Scene { $0.isAlwaysOpen = false }
        scene.on(.keepsWarm(true))
        scene.on(.activate)
        #expect(scene.path == [.connecting])
        #expect(!scene.effects.contains(.connect))
        scene.server(.sessionCreated(id: "s", expiresAt: nil))
        #expect(scene.sent().count == 1)
        scene.server(.sessionUpdated(Scene.settings.json))
        #expect(scene.path == [.connecting, .listening])
        #expect(scene.effects.contains(.openMicrophone))
    }

    @Test func aCallTakesOverASessionThatIsBeingConfigured() {
        var scene = Scene { $0.isAlwaysOpen = false }
        scene.on(.keepsWarm(true))
        scene.beside(.server(.sessionCreated(id: "s", expiresAt: nil)))
        scene.on(.activate)
        scene.server(.sessionUpdated(Scene.settings.json))
        #expect(scene.path == [.connecting, .listening])
    }

    @Test func afterTheConversationTheNextIsMadeReady() {
        var scene = Self.warm()
        scene.on(.activate)
        scene.on(.deactivate)
        #expect(scene.state == .idle)
        #expect(scene.latest.contains(.disconnect) && scene.latest.contains(.connectBeside))
    }

    @Test func itIsReplacedBeforeItIsTooOld() {
        var scene = Self.warm {
            $0.sessions.age = .seconds(1200)
            $0.sessionLifetime = .seconds(600)
            $0.sessions.rotationMargin = .seconds(120)
        }
        let left = scene.timer(.rotate) ?? .zero
        #expect(left > .seconds(470) && left <= .seconds(480))
        scene.on(.timer(.rotate), after: left)
        #expect(scene.latest.contains(.dropBeside) && scene.latest.contains(.connectBeside))
        #expect(scene.state == .idle)
    }

    @Test func aServiceThatIsAwayIsAskedAgainWithPausesAndToldOnce() {
        var scene = Scene { $0.isAlwaysOpen = false }
        scene.on(.keepsWarm(true))
        var pauses: [Duration] = []
        for _ in 0..<5 {
            scene.beside(.disconnected(LinkFailure(.transient, "reset")))
            let pause = scene.timer(.rotate) ?? .zero
            pauses.append(pause)
            scene.on(.timer(.rotate), after: pause)
            #expect(scene.latest.contains(.connectBeside))
        }
        #expect(pauses.allSatisfy { $0 >= .seconds(1) })
        #expect((pauses.last ?? .zero) > .seconds(2))
        let reported = scene.effects.count { if case .note(.warmFailed) = $0 { true } else { false } }
        #expect(reported == 1)
        #expect(!scene.effects.contains(.play(.error)))
        #expect(scene.state == .idle)
    }

    @Test func aServiceThatAsksForAYearIsAskedAgainSooner() throws {
        var scene = Scene { $0.isAlwaysOpen = false }
        scene.on(.keepsWarm(true))
        scene.beside(.disconnected(LinkFailure(.limited, "429", retryAfter: .seconds(Int.max))))
        let pause = try #require(scene.timer(.rotate))
        #expect(pause <= scene.machine.options.limitedLongest + .seconds(60))
    }

    @Test func aServiceThatRefusesUsIsLeftAloneForLong() {
        var scene = Scene { $0.isAlwaysOpen = false }
        scene.on(.keepsWarm(true))
        let refusal = ServerError(type: "invalid_request_error", code: "insufficient_quota", message: "")
        scene.beside(.server(.error(refusal)))
        #expect(scene.timer(.rotate) == scene.machine.options.probePause)
    }

    @Test func mutedOrWithoutABudgetThereIsNone() {
        var muted = Self.warm()
        muted.on(.keepsWarm(false))
        #expect(muted.latest.contains(.dropBeside))
        var spent = Self.warm()
        spent.on(.budget(.spent(until: "12:00")))
        #expect(spent.latest.contains(.dropBeside))
        spent.on(.budget(.renewed))
        #expect(spent.latest.contains(.connectBeside))
    }

    @Test(arguments: 2001...2015)
    func whateverHappensTheRoomComesToRest(seed: UInt64) {
        var world = ConversationWorld(seed: seed)
        world.post(.keepsWarm(true))
        world.post(.activate)
        for _ in 0..<1500 { world.step() }
        let isAtRest = world.comeToRest()
        #expect(isAtRest, "\(world.state), timers \(world.timers.keys)")
        world.post(.keepsWarm(false))
        world.post(.deactivate)
        #expect(world.violations.isEmpty, "\(world.violations.prefix(5))")
        #expect(world.state == .idle)
        #expect(world.timers.isEmpty, "\(world.timers.keys)")
        #expect(world.current == nil && world.standby == nil)
    }
}

extension Scene {
    fileprivate mutating func ready() {
        beside(.server(.sessionCreated(id: "warm", expiresAt: nil)))
        beside(.server(.sessionUpdated(Self.settings.json)))
    }
}
