import Glibc
import Synchronization
import Testing
import VoiceSimulator

@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConfiguration
@testable import VoiceConversation
@testable import VoiceCore

/// A whole daemon in a room of files with a stand-in for the agent; the voice service is its owner's.
final class ServiceHouse: Sendable {
    let journal = Journal()
    let log = LineLog()
    let agent: AgentStandIn
    private let room: FileRoom
    private let recording: String
    private let daemons = Mutex<VoiceDaemon?>(nil)

    init(behaviour: @escaping @Sendable (AgentRequest) -> AgentBehaviour) throws {
        agent = AgentStandIn(token: Stage.token, behaviour: behaviour)
        recording = "/tmp/service-stage-\(getpid())-\(UInt32.random(in: 0 ... .max)).wav"
        room = try FileRoom(recording: recording, echo: nil, speed: 1, listener: nil)
    }

    deinit { unlink(recording) }

    /// - Parameters:
    ///   - environment: with the service's key.
    ///   - adjust: names the service and its address.
    func start(environment: [String: String], adjust: (inout Configuration) -> Void) async throws {
        let agentPort = try await agent.start()
        var configuration = Configuration()
        configuration.activation.engine = .off
        configuration.jarvis.url = "http://127.0.0.1:\(agentPort)/ui"
        configuration.jarvis.preamble = .off
        configuration.audio.realtimePriority = 0
        configuration.audio.lockMemory = false
        configuration.audio.earcons = false
        configuration.echo.enabled = false
        configuration.echo.duplex = .full
        configuration.echo.noiseSuppression = .off
        configuration.echo.highPass = false
        adjust(&configuration)
        let secrets = try Secrets(
            configuration: configuration,
            environment: environment.merging(["JARVIS_TOKEN": Stage.token]) { first, _ in first }
        )
        var settings = try DaemonSettings(
            configuration,
            secrets: secrets,
            tools: VoiceDaemon.advertised(mode: configuration.activation.mode, logger: log.logger)
        )
        settings.jarvis.title = ""
        settings.audio.source = .file(room)
        let journal = journal
        let played = Mutex<AudioPorts?>(nil)
        let daemon = VoiceDaemon(
            settings,
            logger: log.logger,
            observer: .init(effect: { effect, _ in
                if case .stateChanged(_, let next) = effect { journal.add(.state(next)) }
                let periods = played.withLock { $0?.gauges.counters.cycles } ?? 0
                journal.add(.effect(effect, frame: Int(periods) * AudioFormat.periodFrames))
            })
        )
        played.withLock { $0 = daemon.ports }
        daemons.withLock { $0 = daemon }
        try await daemon.start()
    }

    func stopDaemon() async {
        let daemon = daemons.withLock { daemon in
            defer { daemon = nil }
            return daemon
        }
        await daemon?.stop()
    }

    /// What the loudspeaker played, once the daemon has ended.
    var tones: MarkerTones { MarkerTones((try? WaveFile.read(recording)) ?? []) }

    var daemon: VoiceDaemon? { daemons.withLock { $0 } }

    func say(_ text: String) {
        let samples = SpokenQuestion.samples48k(text, voice: .tones, leadMilliseconds: 30, tailMilliseconds: 50)
        room.say(samples.map { Float($0) / 32768 })
    }
}

/// A stage for one service.
protocol ServiceStage: Sendable {
    var house: ServiceHouse { get }
    func stopService() async
}

extension ServiceStage {
    var journal: Journal { house.journal }
    var log: LineLog { house.log }
    var daemon: VoiceDaemon? { house.daemon }
    /// What the agent was asked.
    var queries: [String] { house.agent.requests.compactMap(\.query) }

    /// Ends the daemon, then its servers; returns what the loudspeaker played.
    @discardableResult
    func stop() async throws -> MarkerTones {
        await house.stopDaemon()
        await stopService()
        await house.agent.stop()
        return house.tones
    }

    func say(_ text: String) { house.say(text) }

    func post(_ event: ConversationEvent) { daemon?.post(event) }

    func perform(_ words: String...) async throws {
        let daemon = try #require(daemon)
        _ = try await ControlRegistry.standard.run(try ControlRegistry.standard.request(words: words), on: daemon)
    }

    func reach(_ state: ConversationState, times: Int = 1) async throws {
        try await journal.wait(for: "\(state) \(times) times") { $0.count(state) >= times }
    }

    /// Waits until the service has been sent so many messages of a type.
    func sent(_ type: String, times: Int = 1) async throws {
        try await journal.wait(for: "\(type) \(times) times") { entries in
            entries.client().filter { $0["type"]?.string == type }.count >= times
        }
    }
}
