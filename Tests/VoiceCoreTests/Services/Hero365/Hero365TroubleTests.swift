import SimulatedHero365
import Testing

@testable import StageSupport
@testable import VoiceBase
@testable import VoiceHero365
@testable import VoiceSimulator

extension EndToEnd.SocketTroubleTests {
    /// The box ends the turns of Hero365, so there has to be a pause between the questions: asked 1.5 s apart, eight in a
    /// minute became turns, one was answered, and a service that answers nothing hardly sends what could be faulty.
    @Test func hero365SurvivesSocketTrouble() async throws {
        let faults = Faults()
        let trouble = Self.trouble(4, every: 1...4, longest: 6, connections: 2)
        let stage = try Hero365Stage(Hero365Script(["It is noon."]), trouble: trouble, struck: faults.add)
        try await stage.start(isPatient: false) { $0.hero365.hangoverMS = 400 }
        try await Self.endure(stage, faults, "Tell everybody", connections: 2, rest: .seconds(1)) {
            stage.simulator.attempts
        }
        try await stage.stop()
    }
}
