import Testing

@testable import VoiceConversation

/// Invariants that hold whatever happens, in any order.
struct ConversationPropertyTests {
    @Test(arguments: 1...100)
    func anyOrderOfEventsComesToRest(seed: UInt64) {
        comesToRest(ConversationWorld(seed: seed))
    }

    @Test(arguments: 1...60)
    func anyOrderOfEventsComesToRestWithASubstitute(seed: UInt64) {
        let other = ServiceRoster.Service(name: "other", capabilities: .openAI)
        comesToRest(ConversationWorld(seed: seed, substitutes: [other]))
    }

    private func comesToRest(_ world: ConversationWorld) {
        var world = world
        world.post(.activate)
        for _ in 0..<1500 { world.step() }
        #expect(world.violations.isEmpty, "\(world.violations.prefix(5))")
        let isAtRest = world.comeToRest()
        #expect(isAtRest, "\(world.state), \(world.machine.sequencer), timers \(world.timers.keys)")
        #expect(world.violations.isEmpty, "\(world.violations.prefix(5))")
        world.post(.deactivate)
        #expect(world.state == .idle)
        #expect(world.timers.isEmpty, "\(world.timers.keys)")
        #expect(world.current == nil && world.standby == nil)
        #expect(world.machine.calls.open.isEmpty)
    }

    /// If the user never ends the conversation, every call is reported.
    @Test func everyCallIsReported() {
        var calls = 0
        var promotions = 0
        for seed in 1001...1050 {
            var world = ConversationWorld(seed: UInt64(seed))
            world.staysActive = true
            world.post(.activate)
            for _ in 0..<1500 { world.step() }
            let isAtRest = world.comeToRest()
            #expect(isAtRest)
            #expect(Set(world.startedCalls).subtracting(world.toldCalls).isEmpty, "seed \(seed)")
            calls += world.startedCalls.count
            promotions += world.promotions
        }
        #expect(calls > 400, "\(calls)")
        #expect(promotions > 100, "\(promotions)")
    }
}
