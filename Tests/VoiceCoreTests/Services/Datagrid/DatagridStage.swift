import SimulatedDatagrid
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceDatagrid

/// A whole daemon with a simulated Datagrid Voice, in a room of files.
final class DatagridStage: ServiceStage {
    /// Unlike any other text, so that it is found wherever it leaks.
    static let key = "dg_live_canary+4f/1"

    let house: StageHouse
    let simulator: DatagridSimulator

    init(
        _ turns: [DatagridScript.Turn],
        faults: DatagridScript.Faults = .init(),
        trouble: SocketTrouble? = nil,
        struck: @escaping @Sendable (FaultKind, Int?) -> Void = { _, _ in }
    ) throws {
        house = try StageHouse { _ in .init(.reply("Nothing today.")) }
        let journal = house.journal
        let script = DatagridScript(turns, faults: faults)
        simulator = DatagridSimulator(script, key: Self.key, voice: .tones, trouble: trouble) {
            journal.add(.wire($0))
        } struck: {
            struck($0, $1)
        }
    }

    /// - Parameter key: the key that the daemon uses.
    func start(
        key: String = DatagridStage.key,
        handsOff: Bool = true,
        isPatient: Bool = true,
        adjust: @escaping (inout Configuration) -> Void = { _ in }
    ) async throws {
        let port = try await simulator.start()
        try await house.start(environment: ["DATAGRID_API_KEY": key], isPatient: isPatient) { configuration in
            configuration.service.use = [.datagrid]
            configuration.datagrid.url = "ws://127.0.0.1:\(port)/ws/voice"
            configuration.datagrid.handoff = handsOff
            adjust(&configuration)
        }
    }

    /// Ends the daemon, then its servers; returns what the loudspeaker played.
    @discardableResult
    func stop() async throws -> MarkerTones { try await house.stop { await simulator.stop() } }

    /// The types of the messages that the daemon sent, without audio.
    var sent: [String] { journal.client().compactMap { $0["type"]?.string }.filter { $0 != "audio" } }

    /// The conversation ids with which sessions were started.
    var conversations: [String?] { journal.client("start").map { $0["payload"]?["conversation_id"]?.string } }

    /// Lines of the log, the events and the status that contain a key or a token.
    var leaks: [String] { house.leaks("canary", "once-only", "token=") }
}
