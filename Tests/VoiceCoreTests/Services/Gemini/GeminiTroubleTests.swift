import SimulatedGemini
import Testing

@testable import StageSupport
@testable import TestSupport
@testable import VoiceBase
@testable import VoiceGemini
@testable import VoiceSimulator

extension EndToEnd.SocketTroubleTests {
    @Test func geminiSurvivesSocketTrouble() async throws {
        let faults = Faults()
        let turns = (0..<200).map { GeminiScript.Turn("Question \($0)", .ask(["Question \($0)"], bridge: nil)) }
        var trouble = Self.trouble(5, every: 1...20, longest: 60)
        trouble.hasOwn = true
        let stage = try GeminiStage(turns, trouble: trouble, struck: faults.add)
        try await stage.start(isPatient: false)
        try await Self.endure(stage, faults) { stage.simulator.attempts }
        try await stage.stop()
        #expect(Set(stage.queries).count == stage.queries.count, "carried out twice: \(stage.queries)")
        #expect(stage.leaks.isEmpty, "\(stage.leaks)")
    }
}
