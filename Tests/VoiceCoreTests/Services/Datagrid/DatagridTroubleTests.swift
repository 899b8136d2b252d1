import SimulatedDatagrid
import Testing

@testable import StageSupport
@testable import VoiceBase
@testable import VoiceSimulator

extension EndToEnd.SocketTroubleTests {
    @Test func datagridSurvivesSocketTrouble() async throws {
        let faults = Faults()
        let turns = (0..<200).map { DatagridScript.Turn("Question \($0)", .say("It is noon.")) }
        let trouble = Self.trouble(3, every: 1...10, longest: 30)
        let stage = try DatagridStage(turns, trouble: trouble, struck: faults.add)
        try await stage.start(handsOff: false, isPatient: false)
        try await Self.endure(stage, faults) { stage.simulator.attempts }
        try await stage.stop()
        #expect(stage.leaks.isEmpty, "\(stage.leaks)")
    }
}
