import Testing

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation

/// "Stop", at any moment of any conversation: nothing requested before it is heard or done after it.
struct StopPropertyTests {
    /// The moment of the stop.
    private struct Moment: Hashable, CustomStringConvertible {
        var state: String
        var link: String
        var phase: ActivationPhase

        var description: String { "\(state), \(link), \(phase)" }
    }

    private static func world(_ seed: UInt64) -> ConversationWorld {
        var world = ConversationWorld(seed: seed)
        var options = ActivationMachine.Options()
        options.mode = ActivationMode.allCases[Int(seed / 2 % 3)]
        world.activation = ActivationMachine(options: options)
        world.activate(.start)
        return world
    }

    private static func moment(_ world: ConversationWorld) -> Moment {
        Moment(
            state: world.state.name, link: "\(world.machine.link.phase)", phase: world.activation?.phase ?? .idle
        )
    }

    @Test func stopSilencesAndCancelsEverything() {
        var moments: Set<Moment> = []
        for seed in UInt64(1)...1500 {
            var world = Self.world(seed)
            for _ in 0..<Int(seed * 7919 % 300) { world.step() }
            world.hearBeginnings()
            if seed % 16 == 3 { world.lose(.transient) }
            if seed % 16 == 5 { world.lose(.permanent) }
            let moment = Self.moment(world)
            moments.insert(moment)
            world.forgetEffects()
            let sounded = world.sounded.count
            let calls = world.startedCalls.count

            world.isHushed = true
            world.stop()
            let stopped = world.performed
            #expect(stopped.contains { if case .stopVoice = $0 { true } else { false } }, "\(seed): \(moment)")
            #expect(stopped.contains(.cancelCalls), "\(seed): \(moment)")
            #expect(stopped.contains(.forgetMicrophone), "\(seed): \(moment)")
            #expect(world.machine.calls.open.isEmpty && world.machine.calls.unspoken.isEmpty, "\(seed): \(moment)")

            for _ in 0..<200 { world.step() }
            let isAtRest = world.comeToRest()
            #expect(isAtRest, "\(seed): \(moment) to \(world.state), \(world.machine.sequencer)")
            #expect(world.sounded.count == sounded, "\(seed): \(moment), \(world.sounded[sounded...]) is heard")
            #expect(world.startedCalls.count == calls, "\(seed): \(moment), the agent is asked")
            for effect in world.performed {
                switch effect {
                case .send(.respond): Issue.record("\(seed): \(moment), asked for again")
                case .send(.answer(_, let output)):
                    #expect(output.forModel == ConversationMachine.stoppedOutput, "\(seed): \(moment)")
                case .send(.inform(_, let report)):
                    #expect(report.output.forModel == ConversationMachine.stoppedOutput, "\(seed): \(moment)")
                default: break
                }
            }
            #expect(world.violations.isEmpty, "\(seed): \(world.violations.prefix(3))")
        }
        // Every state, connection and phase was covered.
        #expect(
            Set(moments.map(\.state)).isSuperset(of: [
                "idle", "connecting", "listening", "userSpeaking", "processing", "fillerSpeaking", "waitingForJarvis",
                "aiSpeaking", "error",
            ]),
            "\(Set(moments.map(\.state)))"
        )
        #expect(Set(moments.map(\.link)).count == 5, "\(Set(moments.map(\.link)))")
        #expect(Set(moments.map(\.phase)) == [.idle, .awake, .conversation, .followUp, .closing])
        #expect(moments.count > 20, "\(moments.count)")
    }

    /// After a stop the box is silent, not deaf.
    @Test(arguments: 1...60)
    func questionAfterAStopIsAnswered(seed: UInt64) {
        var world = ConversationWorld(seed: seed)
        world.post(.activate)
        for _ in 0..<Int(seed * 7919 % 300) { world.step() }
        world.hearBeginnings()
        world.isHushed = true
        world.stop()
        let isAtRest = world.comeToRest()
        #expect(isAtRest)
        let sounded = world.sounded.count
        world.isHushed = false
        world.ask()
        let isAnswered = world.comeToRest()
        #expect(isAnswered)
        #expect(world.sounded.count > sounded, "\(world.state)")
    }
}
