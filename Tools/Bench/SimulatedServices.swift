import Logging
import VoiceAudio
import VoiceBase
import VoiceCore
import VoiceSession
import VoiceSimulator

/// The simulated Realtime service and the stand-in for the agent, on loopback, and settings that use them.
struct SimulatedServices: Sendable {
    static let key = "sk-bench"
    static let token = "bench"

    let realtimePort: Int
    let agentPort: Int
    private let simulator: RealtimeSimulator
    private let agent: AgentStandIn

    /// - Parameter agentDelayMilliseconds: duration of the agent's runs.
    static func start(
        _ script: ConversationScript,
        agentDelayMilliseconds: Int = 0,
        configure: (inout RealtimeSimulatorConfiguration) -> Void = { _ in },
        events: @escaping @Sendable (RealtimeSimulator.Event) -> Void = { _ in }
    ) async throws -> SimulatedServices {
        var configuration = RealtimeSimulatorConfiguration(key: key)
        configuration.recordLimit = 0
        configuration.voice = .tones
        configure(&configuration)
        let simulator = RealtimeSimulator(configuration: configuration, script: script, events: events)
        let agent = AgentStandIn(token: token, delayMilliseconds: agentDelayMilliseconds) { _ in
            "You have **two meetings**: stand-up, and lunch with Ada."
        }
        return SimulatedServices(
            realtimePort: try await simulator.start(), agentPort: try await agent.start(), simulator: simulator,
            agent: agent
        )
    }

    func stop() async {
        await simulator.stop()
        await agent.stop()
    }

    /// Creates a daemon in this process that hears and speaks in a room of files.
    static func daemon(
        realtimePort: Int,
        agentPort: Int,
        room: FileRoom,
        logger: Logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() },
        observer: ConversationSession.Observer = .init(),
        tune: (inout DaemonSettings) -> Void = { _ in }
    ) throws -> VoiceDaemon {
        var configuration = Configuration()
        configuration.realtime.url = "ws://127.0.0.1:\(realtimePort)/v1/realtime"
        configuration.jarvis.url = "http://127.0.0.1:\(agentPort)/ui"
        configuration.audio.realtimePriority = 0
        // Simulated tokens cost nothing.
        configuration.budget.hourUSD = 0
        configuration.budget.dayUSD = 0
        let secrets = try Secrets(
            configuration: configuration, environment: ["OPENAI_API_KEY": key, "JARVIS_TOKEN": token]
        )
        var settings = try DaemonSettings(configuration, secrets: secrets, logger: logger)
        settings.audio.source = .file(room)
        tune(&settings)
        return VoiceDaemon(settings, logger: logger, observer: observer)
    }

    func daemon(room: FileRoom, observer: ConversationSession.Observer = .init()) throws -> VoiceDaemon {
        try Self.daemon(realtimePort: realtimePort, agentPort: agentPort, room: room, observer: observer)
    }

    /// A short question at 48 kHz, full scale 1.
    static func question() -> [Float] {
        SpokenQuestion.samples48k("What is on today", voice: .tones, leadMilliseconds: 300, tailMilliseconds: 1000)
            .map { Float($0) / 32768 }
    }
}
