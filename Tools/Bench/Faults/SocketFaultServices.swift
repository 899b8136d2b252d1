import Logging
internal import Synchronization
import VoiceAudio
import VoiceBase
import VoiceConversation
import VoiceCore
import VoiceHero365
import VoiceNetwork
import VoiceSession
import VoiceSimulator

/// A simulated GPT-Live, Datagrid or Hero365 in trouble, and an agent that is slow at times. What a failing agent does is part
/// of the run with the Realtime service.
struct SocketFaultServices: FaultServices {
    private enum Simulator: Sendable {
        case live(LiveSimulator)
        case datagrid(DatagridSimulator)
        case hero365(Hero365Simulator)
    }

    private let name: Configuration.Service.Name
    private let port: Int
    private let agentPort: Int
    private let simulator: Simulator
    private let agent: AgentStandIn

    /// Turns of each script; a lane has fewer.
    private static let turns = 2000

    /// - Parameter seed: nil for services without faults.
    static func start(_ name: Configuration.Service.Name, seed: UInt64?, ledger: FaultLedger) async throws -> Self {
        var trouble = seed.map { SocketTrouble(seed: $0) }
        trouble?.hasOwn = true
        let events: @Sendable (RealtimeSimulator.Event) -> Void = { ledger.note($0) }
        let struck: @Sendable (FaultKind, Int?) -> Void = { ledger.note($0, on: $1) }
        let agent = AgentStandIn(token: SimulatedServices.token, behaviour: behaviour(seed ?? 1, ledger))
        let port: Int
        let simulator: Simulator
        switch name {
        case .datagrid:
            trouble?.mix.gap = 2...25
            trouble?.longest = 120
            trouble?.errors = [
                #"{"type":"error","payload":{"message":"The service had an error.","code":"server_error"}}"#,
                #"{"type":"error","payload":{"message":"Nothing was heard.","code":"client_silence_timeout"}}"#,
            ]
            var script = DatagridScript(
                (0..<turns).map {
                    .init(
                        "Question \($0)",
                        $0 % 3 == 0 ? .work(tool: "search", milliseconds: 300, then: "Two.") : .say("At noon.")
                    )
                }
            )
            if seed != nil { (script.faults.refusedHandoffs, script.faults.expiredTokens) = (10, 10) }
            let datagrid = DatagridSimulator(
                script,
                key: SimulatedServices.key,
                voice: .tones,
                trouble: trouble,
                events: events,
                struck: struck
            )
            (port, simulator) = (try await datagrid.start(), .datagrid(datagrid))
        case .hero365:
            trouble?.mix.gap = 2...25
            trouble?.longest = 120
            trouble?.errors = [
                #"{"type":"error","error_code":"AUDIO_PROCESSING_ERROR","message":"not now","retry_after":300}"#,
                #"{"type":"error","error_code":"AGENT_UNAVAILABLE","message":"not now"}"#,
                #"{"type":"error","error_code":"SESSION_TIMEOUT","message":"over"}"#,
            ]
            let hero365 = Hero365Simulator(
                Hero365Script(["It is noon.", "Two things."]),
                key: SimulatedServices.key,
                voice: .tones,
                seed: seed ?? 1,
                trouble: trouble,
                events: events,
                struck: struck
            )
            (port, simulator) = (try await hero365.start(), .hero365(hero365))
        default:
            // Ten messages a second are audio.
            trouble?.mix.gap = 10...60
            var script = LiveScript(
                (0..<turns).map { .init("Question \($0)", $0 % 4 == 0 ? .say("At noon.") : .delegate(bridge: nil)) }
            )
            script.usageEvery = 1000
            script.namesConnections = true
            let live = LiveSimulator(
                script,
                key: SimulatedServices.key,
                voice: .tones,
                trouble: trouble,
                events: events,
                struck: struck
            )
            (port, simulator) = (try await live.start(), .live(live))
        }
        return Self(name: name, port: port, agentPort: try await agent.start(), simulator: simulator, agent: agent)
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

    func calmDown() {
        switch simulator {
        case .live(let live): live.calmDown()
        case .datagrid(let datagrid): datagrid.calmDown()
        case .hero365(let hero365): hero365.calmDown()
        }
    }

    func stop() async {
        switch simulator {
        case .live(let live): await live.stop()
        case .datagrid(let datagrid): await datagrid.stop()
        case .hero365(let hero365): await hero365.stop()
        }
        await agent.stop()
    }

    func daemon(
        room: FileRoom,
        seed: UInt64,
        logger: Logger,
        effect: @escaping @Sendable (ConversationEffect) -> Void
    ) throws -> VoiceDaemon {
        var configuration = Configuration()
        configuration.service.use = [name]
        configuration.live.url = "ws://127.0.0.1:\(port)/v1/live/sessions"
        configuration.datagrid.url = "ws://127.0.0.1:\(port)/ws/voice"
        // Half of the lanes ask for each session first.
        configuration.datagrid.handoff = seed.isMultiple(of: 2)
        configuration.datagrid.connectTimeoutS = 1
        configuration.hero365.url = "ws://127.0.0.1:\(port)/voice/stream/ws/42"
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
        let secrets = try Secrets(
            configuration: configuration,
            environment: [
                "OPENAI_API_KEY": key, "DATAGRID_API_KEY": key, "HERO365_API_KEY": key,
                "JARVIS_TOKEN": SimulatedServices.token,
            ]
        )
        var settings = try DaemonSettings(configuration, secrets: secrets, logger: logger)
        settings.audio.source = .file(room)
        settings.service.request?.limits.whole = .seconds(1)
        settings.service.request?.deadPeerLimit = .seconds(2)
        settings.service.request?.closeTimeout = .milliseconds(200)
        if var datagrid = settings.service as? DatagridService {
            datagrid.deadPeerLimit = .seconds(2)
            // Some tools are never reported to be finished.
            datagrid.longestWork = .seconds(5)
            settings.service = datagrid
        }
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
