import SimulatedLive
import Testing

@testable import StageSupport
@testable import VoiceBase
@testable import VoiceSimulator

extension EndToEnd.SocketTroubleTests {
    @Test func gptLiveSurvivesSocketTrouble() async throws {
        let faults = Faults()
        let turns = (0..<200).map { LiveScript.Turn("Question \($0)", .delegate(bridge: nil)) }
        let trouble = Self.trouble(2, every: 3...30, longest: 60)
        let stage = try LiveStage(turns, trouble: trouble) { _ in
            .init(.reply("Two."))
        } struck: {
            faults.add($0, $1)
        } adjustScript: {
            $0.usageEvery = 1000
            $0.namesConnections = true
        }
        try await stage.start(isPatient: false)
        try await Self.endure(stage, faults) { stage.simulator.attempts }
        try await stage.stop()
        let calls = stage.queries
        #expect(Set(calls).count == calls.count, "carried out twice: \(calls)")
    }
}
