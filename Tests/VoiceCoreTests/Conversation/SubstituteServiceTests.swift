import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// Another service continues the conversation while the preferred one is unavailable.
struct SubstituteServiceTests {
    /// "usual" first, then "other", which costs nothing if `isFree`.
    private static func scene(
        isFree: Bool = false,
        _ change: (inout ConversationMachine.Options) -> Void = { _ in }
    ) -> Scene {
        var other = ServiceCapabilities.openAI
        if isFree { other.charge = .nothing }
        return Scene {
            $0.service = "usual"
            $0.substitutes = [.init(name: "other", capabilities: other)]
            change(&$0)
        }
    }

    private func said(_ scene: Scene) -> [String] {
        scene.effects.compactMap { if case .send(.tell(let text, .exactly)) = $0 { text } else { nil } }
    }

    private func choices(_ scene: Scene) -> [Int] {
        scene.effects.compactMap { if case .choose(let index, isBeside: false) = $0 { index } else { nil } }
    }

    @Test(arguments: [LinkFailure.Kind.transient, .limited, .permanent])
    func unavailableServiceIsReplacedImmediately(kind: LinkFailure.Kind) {
        var scene = Self.scene()
        scene.on(.activate)
        scene.on(.disconnected(LinkFailure(kind, "no route to host")))
        #expect(scene.latest.filter { $0 == .choose(service: 1, isBeside: false) || $0 == .connect }.count == 2)
        #expect(
            scene.latest.contains(.note(.serviceReplaced(from: "usual", by: "other", reason: "no route to host")))
        )
        #expect(scene.state == .connecting, "nobody hears of a refusal")
        #expect(!scene.effects.contains(.play(.error)))
        scene.open()
        #expect(scene.state != .connecting)
        #expect(said(scene) == [ConversationMachine.substituteNotice])
    }

    @Test func silentServiceIsReplacedWithinThreeSeconds() {
        var scene = Self.scene()
        scene.on(.activate)
        let limit = scene.timer(.setUp)
        #expect(limit.map { $0 <= .seconds(3) } == true)
        scene.on(.timer(.setUp), after: limit ?? .zero)
        #expect(choices(scene) == [1])
        #expect(scene.timer(.setUp).map { $0 > .seconds(10) } == true, "the last one is waited for")
    }

    @Test func establishedSessionIsRetriedFirst() {
        var scene = Self.scene()
        scene.open()
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        #expect(choices(scene).isEmpty)
        scene.on(.timer(.reconnect))
        scene.on(.disconnected(LinkFailure(.transient, "refused")))
        #expect(choices(scene) == [1])
    }

    @Test func preferredServiceReturnsInAQuietMoment() {
        var scene = Self.scene()
        scene.on(.activate)
        scene.on(.disconnected(LinkFailure(.transient, "away")))
        scene.open()
        scene.begin("r1", for: "respond-1-1")
        scene.speak("r1")
        scene.done("r1")
        scene.on(.voiceDrained)
        #expect(scene.timer(.preferred).map { $0 > .seconds(50) && $0 <= .seconds(60) } == true)
        // Still unavailable: the user notices nothing, and the next attempt is later.
        scene.on(.timer(.preferred), after: .seconds(60))
        #expect(scene.latest.contains(.connectBeside))
        // The first of the list is the default for a session beside.
        #expect(!scene.effects.contains { if case .choose(_, isBeside: true) = $0 { true } else { false } })
        scene.beside(.disconnected(LinkFailure(.transient, "away")))
        #expect(!scene.latest.contains { if case .note = $0 { true } else { false } })
        #expect(scene.timer(.preferred).map { $0 > .seconds(110) && $0 <= .seconds(120) } == true)
        // Available again.
        scene.on(.timer(.preferred), after: .seconds(120))
        scene.beside(.server(.sessionCreated(id: "back", expiresAt: nil)))
        scene.beside(.server(.sessionUpdated(Scene.settings.json)))
        #expect(scene.timer(.quiet) == .seconds(30))
        scene.userTurn()
        #expect(scene.effects.contains(.cancelTimer(.quiet)), "never while somebody speaks")
        scene.begin("r2")
        scene.done("r2")
        scene.on(.timer(.quiet), after: .seconds(30))
        #expect(scene.latest.contains(.promote))
        #expect(scene.latest.contains(.note(.serviceReplaced(from: "other", by: "usual", reason: nil))))
        #expect(choices(scene) == [1, 0])
        #expect(said(scene).count == 1)
    }

    /// Settings for the first service do not apply to sessions of the others.
    @Test func substituteUsesItsOwnSettings() {
        var scene = Self.scene {
            $0.sessions.age = .seconds(1200)
            $0.substitutes[0].sessions.age = nil
            $0.substitutes[0].sessions.rotationMargin = .seconds(20)
        }
        scene.on(.activate)
        scene.on(.disconnected(LinkFailure(.transient, "away")))
        scene.open()
        #expect(scene.timer(.rotate).map { $0 > .seconds(1300) } ?? true)
        #expect(scene.machine.options.sessions.rotationMargin == .seconds(20))
        var first = Self.scene { $0.sessions.age = .seconds(1200) }
        first.open()
        #expect(first.timer(.rotate) == .seconds(1200) || first.timer(.rotate).map { $0 < .seconds(1200) } == true)
    }

    /// If a service cannot say given words, the box says them, provided it has a voice.
    @Test func substituteWithoutTextIsAnnouncedLocally() {
        var other = ServiceCapabilities.openAI
        other.saysExactly = false
        var scene = Self.scene { $0.substitutes = [.init(name: "other", capabilities: other)] }
        scene.on(.activate)
        scene.on(.disconnected(LinkFailure(.transient, "away")))
        scene.open()
        #expect(scene.effects.contains(.announce(ConversationMachine.substituteNotice)))
        #expect(said(scene).isEmpty)
    }

    @Test func missingServicesAreTriedInTurn() {
        var scene = Self.scene()
        scene.on(.activate)
        var tried = 1
        for _ in 0..<40 {
            scene.on(.disconnected(LinkFailure(.transient, "no network")))
            let pause = scene.latest.compactMap {
                if case .startTimer(.reconnect, let pause) = $0 { pause } else { nil }
            }.last
            if let pause { scene.on(.timer(.reconnect), after: pause) }
            tried += 1
        }
        let connects = scene.effects.filter { $0 == .connect }.count
        #expect(connects == tried)
        #expect(Set(choices(scene)) == [0, 1])
        #expect(scene.now > .seconds(120), "pauses grow: \(scene.now)")
    }

    @Test func spentBudgetUsesTheFreeService() {
        var scene = Self.scene(isFree: true)
        scene.open()
        scene.on(.budget(.spent(until: "14:00")))
        #expect(choices(scene) == [1])
        #expect(scene.latest.contains(.disconnect) && scene.latest.contains(.connect))
        #expect(!scene.effects.contains(.play(.goodbye)))
        scene.open()
        #expect(said(scene).count == 1)
        // Requested again while the budget is spent: the same service.
        scene.on(.deactivate)
        scene.on(.activate)
        #expect(scene.latest.contains(.connect) && choices(scene) == [1])
        scene.open()
        scene.on(.budget(.renewed))
        #expect(scene.timer(.preferred) == .zero)
        // A substitute that also costs money is not an alternative.
        var dear = Self.scene()
        dear.open()
        dear.on(.budget(.spent(until: "14:00")))
        #expect(dear.latest.contains(.play(.goodbye)) && choices(dear).isEmpty)
    }

    @Test func runningCallSurvivesTheChange() {
        var scene = Self.scene()
        scene.open()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.done("r1")
        scene.on(.disconnected(LinkFailure(.permanent, "the key was revoked")))
        scene.open()
        scene.answer("c1")
        let reported = scene.effects.contains {
            switch $0 {
            case .send(.inform(_, let report)): report.output.forModel.contains("Two meetings.")
            case .send(.answer(_, let output)): output.forModel.contains("Two meetings.")
            default: false
            }
        }
        #expect(reported)
    }

    @Test func longListIsTriedInOrderWithGrowingPauses() {
        let names = ["a", "b", "c"]
        var roster = ServiceRoster(names.map { .init(name: $0, capabilities: .openAI) })
        #expect(roster.choice(at: .zero) == 0)
        roster.failed(0, at: .zero)
        #expect(roster.choice(at: .zero) == 1 && roster.substitute(at: .zero) == 1)
        roster.failed(1, at: .zero)
        #expect(roster.choice(at: .zero) == 2)
        roster.use(2)
        #expect(roster.handBack == ServiceRoster.firstRest)
        var rests: [Duration] = []
        for _ in 0..<6 {
            roster.failed(0, at: .zero)
            roster.failed(1, at: .zero)
            rests.append(roster.handBack ?? .zero)
        }
        #expect(rests == [120, 240, 480, 900, 900, 900].map { .seconds($0) })
        roster.forgetFailures()
        #expect(roster.choice(at: .zero) == 0)
    }

    /// It exists for other accounts, which shows in the settings, later, or only with the first response.
    @Test(arguments: ["settings", "ready", "response"])
    func refusedModelIsReplacedAndRetriedRarely(moment: String) {
        var scene = Self.scene()
        scene.on(.activate)
        for failure in 1...3 {
            scene.server(.sessionCreated(id: "s\(failure)", expiresAt: nil))
            if moment != "settings" { scene.server(.sessionUpdated(Scene.settings.json)) }
            if moment == "response" {
                scene.userTurn()
                scene.begin("r\(failure)")
                scene.done("r\(failure)", .failed, reason: "model_not_found")
            } else {
                let text = "The model does not exist or you do not have access to it."
                let type = "invalid_request_error"
                scene.server(.error(ServerError(type: type, code: "model_not_found", message: text, param: "model")))
            }
            #expect(choices(scene) == [1])
            #expect(scene.refusals.isEmpty, "the other service answers")
            scene.open()
            let rest = scene.timer(.preferred) ?? .zero
            #expect(rest >= .seconds(55 << (failure - 1)), "\(failure): \(rest)")
            guard failure < 3 else { break }
            // The preferred service is tried again, and takes over where it gets that far.
            scene.on(.deactivate)
            scene.effects = []
            scene.on(.activate, after: rest + .seconds(5))
            #expect(choices(scene) == [0])
            scene.effects = []
        }
    }
}
