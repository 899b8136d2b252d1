import Testing

@testable import StageSupport
@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation

/// A budget as the user experiences it.
struct BudgetConversationTests {
    private let spent = ConversationEvent.budget(.spent(until: "21:00"))

    private func played(_ scene: Scene) -> [Earcon] {
        scene.effects.compactMap { if case .play(let earcon) = $0 { earcon } else { nil } }
    }

    private func closed(_ effects: [ConversationEffect]) -> Bool { effects.contains(.disconnect) }

    @Test func noticeOfTheBudgetIsASoftSound() {
        var scene = Scene.listening()
        scene.on(.budget(.near))
        #expect(scene.state == .listening)
        #expect(played(scene) == [.thinking])
    }

    @Test func spentBudgetClosesASilentSession() {
        var scene = Scene.listening()
        #expect(closed(scene.on(spent)))
        #expect(scene.state == .idle)
        #expect(played(scene) == [.goodbye])
    }

    @Test func spentBudgetLetsTheAnswerEnd() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.done("r1")
        #expect(!closed(scene.on(spent)))
        #expect(scene.state == .aiSpeaking)
        #expect(closed(scene.on(.voiceDrained)))
        #expect(scene.state == .idle)
        #expect(!scene.effects.contains { if case .stopVoice = $0 { true } else { false } })
    }

    /// The turn that has begun still gets its response, and its calls their answers, but nothing more is paid for.
    @Test(arguments: [true, false]) func answersCallsWithoutAnotherResponse(hasLocalVoice: Bool) {
        var scene = Scene.listening { $0.hasLocalVoice = hasLocalVoice }
        scene.server(.speechStarted(itemID: "u", audioStart: 0))
        scene.on(spent)
        scene.server(.speechStopped(itemID: "u", audioEnd: 900))
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.done("r1")
        #expect(scene.started == ["c1"])
        #expect(!closed(scene.effects))
        scene.answer("c1")
        #expect(scene.outputs == ["c1"])
        #expect(scene.creates.isEmpty)
        #expect(closed(scene.effects) && scene.state == .idle)
        // The answer is not lost.
        #expect(scene.effects.contains(.announce("Two meetings.")) == hasLocalVoice)
        #expect(played(scene).contains(.error) == !hasLocalVoice)
    }

    @Test func requestsNoResponseForAnEarlierAnswer() {
        var scene = Scene.calling()
        scene.userTurn("u2")
        scene.answer("c1")
        scene.on(spent)
        scene.begin("r2")
        scene.speak("r2")
        scene.done("r2")
        scene.on(.voiceDrained)
        #expect(scene.creates.isEmpty)
        #expect(scene.state == .idle)
    }

    @Test func spentBudgetClosesAtANewTurn() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.on(spent)
        #expect(closed(scene.server(.speechStarted(itemID: "u2", audioStart: 4000))))
        #expect(scene.state == .idle)
    }

    @Test func spentBudgetCutsALongAnswer() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        let effects = scene.on(spent)
        #expect(effects.contains(.startTimer(.budget, .seconds(60))))
        #expect(closed(scene.on(.timer(.budget))))
        #expect(scene.state == .idle)
    }

    @Test func activationGetsANoticeUntilTheBudgetRenews() {
        var scene = Scene { $0.isAlwaysOpen = false }
        scene.on(spent)
        scene.on(.activate)
        #expect(scene.state == .idle)
        #expect(played(scene) == [.error])
        #expect(scene.latest.contains(.note(.budgetSpent(until: "21:00"))))
        scene.on(.budget(.renewed))
        #expect(scene.state == .idle)
        scene.on(.activate)
        #expect(scene.state == .connecting)
    }

    @Test func alwaysListeningBoxResumesWithTheBudget() {
        var scene = Scene.listening()
        scene.on(spent)
        #expect(scene.state == .idle)
        scene.on(.budget(.renewed))
        #expect(scene.state == .connecting)
    }

    @Test func renewedBudgetDoesNotReopenAfterDeactivation() {
        var scene = Scene.listening()
        scene.on(spent)
        scene.on(.deactivate)
        scene.on(.budget(.renewed))
        #expect(scene.state == .idle)
    }

    @Test func spentBudgetStopsReconnecting() {
        var scene = Scene.listening()
        scene.on(.disconnected(LinkFailure(.transient, "gone")))
        #expect(closed(scene.on(spent)))
        #expect(scene.state == .idle)
        #expect(scene.effects.contains(.cancelTimer(.reconnect)))
    }
}

extension BudgetConversationTests {
    @Test func anyOrderOfEventsKeepsASpentBudgetClosed() {
        var generator = SeededGenerator(seed: 23)
        for _ in 0..<300 {
            var scene = Scene()
            var isSpent = false
            for step in 0..<60 {
                let response = "r\(Int.random(in: 0..<4, using: &generator))"
                let before = scene.state
                switch Int.random(in: 0..<16, using: &generator) {
                case 0: scene.on(.activate)
                case 1: scene.on(.deactivate)
                case 2: scene.on(.disconnected(LinkFailure(.transient, "gone")))
                case 3: scene.on(.timer(.reconnect))
                case 4, 5:
                    isSpent = true
                    scene.on(spent)
                case 6:
                    isSpent = false
                    scene.on(.budget(.renewed))
                // Nothing opens in the pause before the next attempt.
                case 7, 8: if !scene.machine.timers.contains(.reconnect) { scene.open() }
                case 9: scene.userTurn()
                case 10: scene.begin(response)
                case 11: scene.speak(response)
                case 12: scene.done(response)
                case 13: scene.call("c\(step)", in: response)
                case 14: scene.on(.voiceDrained)
                default: scene.on(.interrupt)
                }
                guard isSpent else { continue }
                #expect(!scene.latest.contains(.connect))
                #expect(scene.state != .listening && scene.state != .connecting, "after \(before)")
                // Whatever is being said, the bound ends it.
                var rest = scene
                rest.on(.timer(.budget))
                if scene.state != .idle, scene.machine.timers.contains(.budget) { #expect(rest.state == .idle) }
                #expect(scene.state == .idle || scene.machine.timers.contains(.budget))
            }
        }
    }
}

extension EndToEnd {
    @Suite struct BudgetTests {
        @Test func aConversationEndsWithItsBudget() async throws {
            let stage = try Stage([.say("Good morning.")])
            try await stage.start { $0.budget.dayUSD = 0.001 }
            try await stage.reach(.listening)
            stage.say("Hello you")
            try await stage.reach(.idle)
            stage.post(.activate)
            try await stage.journal.wait(for: "the refusal") { _ in
                stage.log.lines.contains { $0.contains("no conversation until=") }
            }
            let (tones, _) = try await stage.stop()
            #expect(tones.spell("Good morning."), "\(tones)")
            #expect(stage.log.lines.filter { $0.contains("no conversation until it is renewed period=day") }.count == 1)
        }
    }
}
