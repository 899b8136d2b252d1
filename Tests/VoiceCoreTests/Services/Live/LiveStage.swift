import SimulatedLive
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceLive

/// A whole daemon with a simulated GPT-Live and a stand-in for the agent, in a room of files.
final class LiveStage: ServiceStage {
    let house: StageHouse
    let simulator: LiveSimulator
    /// All traffic on the wire, with its time.
    let lines = Collected<Line>()

    init(
        _ turns: [LiveScript.Turn],
        faults: LiveScript.Faults = .init(),
        trouble: SocketTrouble? = nil,
        behaviour: @escaping @Sendable (AgentRequest) -> AgentBehaviour = { _ in .init(.reply("Nothing today.")) },
        struck: @escaping @Sendable (FaultKind, Int?) -> Void = { _, _ in },
        adjustScript: (inout LiveScript) -> Void = { _ in }
    ) throws {
        let house = try StageHouse(behaviour: behaviour)
        self.house = house
        let lines = lines
        var script = LiveScript(turns, faults: faults)
        adjustScript(&script)
        simulator = LiveSimulator(script, key: Stage.key, voice: .tones, trouble: trouble) {
            house.journal.add(.wire($0))
            lines.add([Line($0)])
        } struck: {
            struck($0, $1)
        }
    }

    func start(isPatient: Bool = true, adjust: (inout Configuration) -> Void = { _ in }) async throws {
        let port = try await simulator.start()
        let environment = ["OPENAI_API_KEY": Stage.key]
        try await house.start(environment: environment, isPatient: isPatient) { configuration in
            configuration.service.use = [.openAILive]
            configuration.live.url = "ws://127.0.0.1:\(port)/v1/live/sessions"
            adjust(&configuration)
        }
    }

    /// Ends the daemon, then its servers; returns what the loudspeaker played.
    @discardableResult
    func stop() async throws -> MarkerTones { try await house.stop { await simulator.stop() } }

    /// The texts that were sent in a tone.
    func texts(_ tone: String, connection: Int? = nil) -> [String] {
        journal.client("session.\(tone).append", connection: connection).compactMap { $0["content"]?.string }
    }

    /// An event of a connection, as the protocol's validator reads it; `text` is nil for other traffic.
    struct Line: Sendable {
        var connection = 0
        var text: String?
        var at = Monotonic.now()

        init(_ event: RealtimeSimulator.Event) {
            switch event {
            case .client(let connection, let event):
                (self.connection, text) = (connection, "\"dir\":\"c\",\"event\":\(event.text)")
            case .server(let connection, let event):
                (self.connection, text) = (connection, "\"dir\":\"s\",\"event\":\(event.text)")
            default: break
            }
        }
    }
}
