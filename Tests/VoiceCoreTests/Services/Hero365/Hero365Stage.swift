import SimulatedHero365
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceHero365

/// A whole daemon with a simulated Hero365.
final class Hero365Stage: ServiceStage {
    let house: StageHouse
    let simulator: Hero365Simulator

    init(
        _ script: Hero365Script,
        trouble: SocketTrouble? = nil,
        struck: @escaping @Sendable (FaultKind, Int?) -> Void = { _, _ in }
    ) throws {
        let house = try StageHouse { _ in .init(.reply("Nobody asks.")) }
        self.house = house
        simulator = Hero365Simulator(script, key: Stage.key, voice: .tones, trouble: trouble) {
            house.journal.add(.wire($0))
        } struck: {
            struck($0, $1)
        }
    }

    func start(
        key: String = Stage.key,
        isPatient: Bool = true,
        adjust: (inout Configuration) -> Void = { _ in }
    ) async throws {
        let port = try await simulator.start()
        try await house.start(environment: ["HERO365_API_KEY": key], isPatient: isPatient) { configuration in
            configuration.service.use = [.hero365]
            configuration.hero365.url = "ws://127.0.0.1:\(port)/voice/stream/ws/42"
            adjust(&configuration)
        }
    }

    @discardableResult
    func stop() async throws -> MarkerTones { try await house.stop { await simulator.stop() } }

    /// Messages with the last sound of a turn.
    var ends: Int { journal.client("audio_input").count { $0["is_final"]?.bool == true } }

    func listens(_ times: Int = 1) async throws {
        try await reach(.aiSpeaking, times: times)
        try await journal.wait(for: "listening again") { $0.states.last == .listening }
    }
}
