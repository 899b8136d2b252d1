import Synchronization
import Testing
import VoiceSimulator

@testable import VoiceCore

/// Activation through the whole daemon, with the socket watched from the other side.
struct ActivationStageTests {
    private static func settings(_ configuration: inout Configuration) {
        configuration.activation.mode = .push
    }

    @Test func beforeACallNothingLeavesTheMachine() async throws {
        let stage = try Stage([.say("It is noon.")], surroundings: .init(speed: 4))
        try await stage.start(adjust: Self.settings)
        stage.say("Nobody is meant")
        let pipes = try #require(stage.pipes)
        // Three seconds of the room.
        while pipes.periods.load(ordering: .relaxed) < 300 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(stage.simulator.connectionCount == 0)
        #expect(stage.simulator.clientEventLines.isEmpty)
        try await stage.stop()
    }

    @Test func whatIsSaidWithTheCallIsAnsweredAndThenTheLineIsClosed() async throws {
        let stage = try Stage([.say("It is noon.")])
        try await stage.start(adjust: Self.settings) {
            $0.activation.machine.followUp = .milliseconds(300)
        }
        // Said before the session is there, and in part before the call.
        stage.say("What time is it")
        let pipes = try #require(stage.pipes)
        let begin = pipes.periods.load(ordering: .relaxed)
        while pipes.periods.load(ordering: .relaxed) < begin + 30 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(stage.simulator.connectionCount == 0)
        stage.call()
        try await stage.reach(.aiSpeaking)
        try await stage.reach(.idle)
        let sent = stage.simulator.clientEventLines.count
        let end = pipes.periods.load(ordering: .relaxed)
        while pipes.periods.load(ordering: .relaxed) < end + 100 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(stage.simulator.connectionCount == 1)
        #expect(stage.simulator.clientEventLines.count == sent)
        let (tones, _) = try await stage.stop()
        _ = tones
    }
}
