import Logging
internal import Synchronization
import VoiceAudio
import VoiceBase
import VoiceConversation
import VoiceCore
import VoiceNetwork
import VoiceSession
import VoiceSimulator

/// A simulated service in trouble, and an agent that is slow at times. What a failing agent does is part of the run with the
/// Realtime service.
struct SocketFaultServices: FaultServices {
    private let service: any ServiceSimulator.Type
    private let port: Int
    private let agentPort: Int
    private let simulator: any ServiceSimulator
    private let agent: AgentStandIn

    /// - Parameter seed: nil for services without faults.
    static func start(
        _ service: any ServiceSimulator.Type,
        seed: UInt64?,
        ledger: FaultLedger
    ) async throws -> Self {
        let agent = AgentStandIn(token: SimulatedServices.token, behaviour: behaviour(seed ?? 1, ledger))
        let simulator: any ServiceSimulator = service.failing(seed: seed, key: SimulatedServices.key) {
            ledger.note($0)
        } struck: {
            ledger.note($0, on: $1)
        }
        let port = try await simulator.start()
        return Self(
            service: service, port: port, agentPort: try await agent.start(), simulator: simulator, agent: agent
        )
    }

    /// Answers name the question, so that they can be recognised on their way.
    private static func behaviour(
        _ seed: UInt64,
        _ ledger: FaultLedger
    ) -> @Sendable (AgentRequest) -> AgentBehaviour {
        let random = Mutex(SplitMix(seed: seed &+ 99))
        return { request in
            ledger.asked(request.query ?? "")
            let name = RequestLedger.questions(in: request.query ?? "").joined(separator: " and ")
            let isSlow = random.withLock { Int.random(in: 0..<4, using: &$0) == 0 }
            let delay = random.withLock { Int.random(in: isSlow ? 500...2500 : 0...100, using: &$0) }
            if isSlow { ledger.note(.agentSlow) }
            return AgentBehaviour(.reply("To \(name)."), delayMilliseconds: delay)
        }
    }

    func calmDown() { simulator.calmDown() }

    func stop() async {
        await simulator.stop()
        await agent.stop()
    }

    func daemon(
        room: FileRoom,
        seed: UInt64,
        logger: Logger,
        effect: @escaping @Sendable (ConversationEffect) -> Void
    ) throws -> VoiceDaemon {
        var configuration = Configuration()
        configuration.service.use = [.init(rawValue: service.name)]
        let (addressKey, address) = service.address(port: port)
        _ = ConfigurationSchema.key(addressKey)?.set(.text(address), in: &configuration)
        service.hurry(&configuration, seed: seed)
        configuration.jarvis.url = "http://127.0.0.1:\(agentPort)/ui"
        configuration.jarvis.timeoutS = 10
        configuration.jarvis.preamble = .off
        configuration.audio.realtimePriority = 0
        configuration.audio.lockMemory = false
        // The room has no echo, and its users speak in tones.
        configuration.echo.mode = .off
        configuration.echo.duplex = .full
        configuration.echo.noiseSuppression = .off
        configuration.echo.highPass = false
        // No one says a word here, and what a recogniser of this machine mistakes for "stop" is not decided by the seed.
        configuration.activation.engine = .off
        configuration.budget.hourUSD = 0
        // Simulated sessions cost nothing, but an open one is refused without a limit.
        configuration.budget.dayUSD = 100_000
        let key = SimulatedServices.key
        var environment = ["JARVIS_TOKEN": SimulatedServices.token]
        for one in ServiceRegistry.keys { environment[one.variable] = key }
        let secrets = try Secrets(configuration: configuration, environment: environment)
        var settings = try DaemonSettings(configuration, secrets: secrets, logger: logger)
        settings.audio.source = .file(room)
        settings.service.request?.limits.whole = .seconds(1)
        settings.service.request?.deadPeerLimit = .seconds(2)
        settings.service.request?.closeTimeout = .milliseconds(200)
        service.hurry(&settings.service)
        settings.conversation.sessions.setUpLimit = .milliseconds(2500)
        settings.conversation.reconnectFirst = .milliseconds(20)
        settings.conversation.reconnectLongest = .milliseconds(300)
        settings.conversation.provenAfter = .seconds(1)
        settings.conversation.limitedPause = .milliseconds(200)
        settings.conversation.limitedLongest = .milliseconds(500)
        settings.conversation.probePause = .milliseconds(200)
        settings.conversation.responseLimit = .seconds(6)
        settings.conversation.seed = seed
        return VoiceDaemon(settings, logger: logger, observer: .init(effect: { performed, _ in effect(performed) }))
    }
}
