import Logging
internal import Synchronization
import VoiceAudio
import VoiceBase
import VoiceConversation
import VoiceCore
import VoiceNetwork
import VoiceSession
import VoiceSimulator

/// The services of a fault run, and a daemon with short time limits.
protocol FaultServices: Sendable {
    /// - Parameter effect: called with each effect of the conversation.
    func daemon(
        room: FileRoom, seed: UInt64, logger: Logger, effect: @escaping @Sendable (ConversationEffect) -> Void
    ) throws -> VoiceDaemon
    /// Ends the faults, for connections that begin from now on.
    func calmDown()
    func stop() async
}

/// The simulated Realtime service, faster than real time.
struct RealtimeFaultServices: FaultServices {
    private let realtimePort: Int
    private let agentPort: Int
    private let simulator: RealtimeSimulator
    private let agent: AgentStandIn

    /// - Parameter seed: nil for services without faults.
    static func start(seed: UInt64?, speed: Double, ledger: FaultLedger) async throws -> Self {
        var configuration = RealtimeSimulatorConfiguration(key: SimulatedServices.key)
        configuration.recordLimit = 0
        configuration.voice = .tones
        configuration.speed = 3 * speed
        configuration.chunkMilliseconds = 200
        configuration.responseLatencyMilliseconds = 2
        configuration.releaseMilliseconds = 200
        configuration.pingSeconds = 1
        var script = ConversationScript(queries: ["What is on?"])
        script.faults.seed = seed
        let simulator = RealtimeSimulator(configuration: configuration, script: script) { event in
            ledger.note(event)
        } faults: { kind, connection in
            ledger.note(kind, on: connection)
        }
        let agent = AgentStandIn(token: SimulatedServices.token, behaviour: Self.behaviour(seed, ledger))
        return Self(
            realtimePort: try await simulator.start(), agentPort: try await agent.start(), simulator: simulator,
            agent: agent
        )
    }

    private static func behaviour(
        _ seed: UInt64?,
        _ ledger: FaultLedger
    ) -> @Sendable (AgentRequest) -> AgentBehaviour {
        guard let seed else { return { _ in AgentBehaviour(.reply("All is well.")) } }
        let faults = AgentFaults(seed: seed)
        let number = Mutex(0)
        return { _ in
            let (behaviour, fault) = number.withLock { number in
                number += 1
                return faults.behaviour(request: number)
            }
            if let fault { ledger.note(fault) }
            return behaviour
        }
    }

    func calmDown() {
        simulator.calmDown()
        agent.setBehaviour { _ in AgentBehaviour(.reply("All is well.")) }
    }

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
        configuration.realtime.url = "ws://127.0.0.1:\(realtimePort)/v1/realtime"
        configuration.realtime.transcription = true
        configuration.realtime.chunkMS = 100
        configuration.jarvis.url = "http://127.0.0.1:\(agentPort)/ui"
        configuration.jarvis.timeoutS = 2
        configuration.audio.realtimePriority = 0
        configuration.audio.lockMemory = false
        // The room has no echo, and its users speak in tones.
        configuration.echo.mode = .off
        configuration.echo.duplex = .full
        configuration.echo.noiseSuppression = .off
        configuration.echo.highPass = false
        // No one says a word here, and what a recogniser of this machine mistakes for "stop" is not decided by the seed.
        configuration.activation.engine = .off
        // Simulated tokens cost nothing.
        configuration.budget.hourUSD = 0
        configuration.budget.dayUSD = 0
        let secrets = try Secrets(
            configuration: configuration,
            environment: ["OPENAI_API_KEY": SimulatedServices.key, "JARVIS_TOKEN": SimulatedServices.token]
        )
        var settings = try DaemonSettings(configuration, secrets: secrets, logger: logger)
        settings.audio.source = .file(room)
        settings.service.request?.limits = ConnectionLimits(whole: .seconds(1), firstMessage: .milliseconds(1500))
        settings.service.request?.deadPeerLimit = .milliseconds(1500)
        settings.service.request?.closeTimeout = .milliseconds(200)
        settings.conversation.sessions.setUpLimit = .milliseconds(1500)
        settings.conversation.reconnectFirst = .milliseconds(20)
        settings.conversation.reconnectLongest = .milliseconds(300)
        settings.conversation.provenAfter = .seconds(1)
        settings.conversation.limitedPause = .milliseconds(200)
        settings.conversation.limitedLongest = .milliseconds(500)
        settings.conversation.probePause = .milliseconds(200)
        settings.conversation.responseLimit = .milliseconds(1500)
        settings.conversation.responseLongest = .seconds(4)
        settings.conversation.retryPause = .milliseconds(50)
        settings.conversation.limitedRetryPause = .milliseconds(200)
        settings.conversation.sessions.age = .seconds(4)
        settings.conversation.swapQuiet = .milliseconds(50)
        settings.conversation.thinkingAfter = .milliseconds(50)
        settings.conversation.seed = seed
        return VoiceDaemon(settings, logger: logger, observer: .init(effect: { performed, _ in effect(performed) }))
    }
}
