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

/// A whole daemon with a simulated GPT-Live and a stand-in for the agent, in a room of files.
final class LiveStage: Sendable {
    let journal = Journal()
    let log = LineLog()
    let simulator: LiveSimulator
    let agent: AgentStandIn
    /// Everything that went over the wire, with its time.
    let lines = Collected<Line>()
    private let room: FileRoom
    private let recording: String
    private let daemons = Mutex<VoiceDaemon?>(nil)

    init(
        _ turns: [LiveScript.Turn],
        faults: LiveScript.Faults = .init(),
        behaviour: @escaping @Sendable (AgentRequest) -> AgentBehaviour = { _ in .init(.reply("Nothing today.")) }
    ) throws {
        let (journal, lines) = (journal, lines)
        simulator = LiveSimulator(LiveScript(turns, faults: faults), key: Stage.key, voice: .tones) {
            journal.add(.wire($0))
            lines.add([Line($0)])
        }
        agent = AgentStandIn(token: Stage.token, behaviour: behaviour)
        recording = "/tmp/live-stage-\(getpid())-\(UInt32.random(in: 0 ... .max)).wav"
        room = try FileRoom(recording: recording, echo: nil, speed: 1, listener: nil)
    }

    deinit { unlink(recording) }

    func start(adjust: (inout Configuration) -> Void = { _ in }) async throws {
        let livePort = try await simulator.start()
        let agentPort = try await agent.start()
        var configuration = Configuration()
        configuration.service.use = [.openAILive]
        configuration.live.url = "ws://127.0.0.1:\(livePort)/v1/live/sessions"
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
            environment: ["OPENAI_API_KEY": Stage.key, "JARVIS_TOKEN": Stage.token]
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

    /// Ends the daemon, then its servers; returns what the loudspeaker played.
    @discardableResult
    func stop() async throws -> MarkerTones {
        let daemon = daemons.withLock { daemon in
            defer { daemon = nil }
            return daemon
        }
        await daemon?.stop()
        await simulator.stop()
        await agent.stop()
        return MarkerTones((try? WaveFile.read(recording)) ?? [])
    }

    func say(_ text: String) {
        let samples = SpokenQuestion.samples48k(text, voice: .tones, leadMilliseconds: 30, tailMilliseconds: 50)
        room.say(samples.map { Float($0) / 32768 })
    }

    var daemon: VoiceDaemon? { daemons.withLock { $0 } }

    func post(_ event: ConversationEvent) { daemon?.post(event) }

    func perform(_ words: String...) async throws {
        let daemon = try #require(daemon)
        _ = try await ControlRegistry.standard.run(try ControlRegistry.standard.request(words: words), on: daemon)
    }

    func reach(_ state: ConversationState, times: Int = 1) async throws {
        try await journal.wait(for: "\(state) \(times) times") { $0.count(state) >= times }
    }

    /// Waits until the service has been sent so many texts of a tone.
    func sent(_ type: String, times: Int = 1) async throws {
        try await journal.wait(for: "\(type) \(times) times") { entries in
            entries.client().filter { $0["type"]?.string == type }.count >= times
        }
    }

    /// What was told, audio apart, with its delegation.
    func texts(_ tone: String, connection: Int? = nil) -> [String] {
        journal.client("session.\(tone).append", connection: connection).compactMap { $0["content"]?.string }
    }

    /// An event of a connection, as the validator of the protocol reads it; nothing for what is no event.
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

    /// What the agent was asked.
    var queries: [String] { agent.requests.compactMap(\.query) }
}
