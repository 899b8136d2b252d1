import Glibc
import Logging
import Synchronization
import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceMedia
@testable import VoiceSession

/// A whole daemon with its two servers on loopback and a room of files, for tests that talk to it.
///
/// The user's words are tones, so that no synthesiser is needed; each test stops the stage itself.
final class Stage: Sendable {
    static let key = "sk-simulated"
    static let token = "end-to-end"

    /// The room around the daemon.
    struct Environment {
        var echo: FileRoom.Echo?
        /// How many times faster than real time its card runs.
        var speed = 1.0
        /// A listener in the room.
        var listener: FileRoom.Listener?
    }

    let journal = Journal()
    let simulator: RealtimeSimulator
    let agent: AgentStandIn
    let log = LineLog()
    private let room: FileRoom
    let recording: String
    private let daemons = Mutex<VoiceDaemon?>(nil)

    /// - Parameters:
    ///   - behaviour: how the agent treats each question.
    ///   - environment: the room around the daemon; a quiet one by default.
    ///   - playsNamedMedia: whether the simulated model plays what outputs name under handles.
    ///   - toOutputs: the model's actions on outputs instead of speaking about them, in order.
    ///   - toRemarks: its actions when a response is requested and there is nothing to answer.
    init(
        _ turns: [ConversationScript.Turn],
        faults: RealtimeFaults = .init(),
        speed: Double = 10,
        environment: Environment = .init(),
        playsNamedMedia: Bool = false,
        toOutputs: [ConversationScript.Action?] = [],
        toRemarks: [ConversationScript.Action] = [],
        behaviour: @escaping @Sendable (AgentRequest) -> AgentBehaviour = { _ in .init(.reply("Nothing today.")) }
    ) throws {
        var configuration = RealtimeSimulatorConfiguration(key: Self.key)
        configuration.voice = .tones
        configuration.speed = speed
        configuration.releaseMilliseconds = 200
        let journal = journal
        var script = ConversationScript(turns: turns, faults: faults)
        script.playsNamedMedia = playsNamedMedia
        script.toOutputs = toOutputs
        script.toRemarks = toRemarks
        simulator = RealtimeSimulator(configuration: configuration, script: script) { journal.add(.wire($0)) }
        agent = AgentStandIn(token: Self.token, behaviour: behaviour)
        recording = "/tmp/stage-\(getpid())-\(UInt32.random(in: 0 ... .max)).wav"
        room = try FileRoom(
            recording: recording, echo: environment.echo, speed: environment.speed, listener: environment.listener
        )
    }

    deinit { unlink(recording) }

    /// Starts servers and daemon. `adjust` may change the configuration, `tune` the settings derived from it.
    func start(
        key: String = Stage.key,
        token: String = Stage.token,
        adjust: (inout Configuration) -> Void = { _ in },
        tune: (inout DaemonSettings) -> Void = { _ in }
    ) async throws {
        let realtimePort = try await simulator.start()
        let agentPort = try await agent.start()
        var configuration = Configuration()
        // Ignores the models that this machine may have.
        configuration.activation.engine = .off
        configuration.realtime.url = "ws://127.0.0.1:\(realtimePort)/v1/realtime"
        configuration.jarvis.url = "http://127.0.0.1:\(agentPort)/ui"
        configuration.jarvis.preamble = .off
        configuration.audio.realtimePriority = 0
        configuration.audio.lockMemory = false
        configuration.audio.earconVolume = 0
        // Simulated tokens cost nothing.
        configuration.budget.hourUSD = 0
        configuration.budget.dayUSD = 0
        configuration.echo.mode = .off
        // Most stages have no echo, and users who speak in tones.
        configuration.echo.duplex = .full
        configuration.echo.noiseSuppression = .off
        configuration.echo.highPass = false
        adjust(&configuration)
        let secrets = try Secrets(
            configuration: configuration, environment: ["OPENAI_API_KEY": key, "JARVIS_TOKEN": token]
        )
        var settings = try DaemonSettings(configuration, secrets: secrets, logger: log.logger)
        // The stand-in only answers questions.
        settings.audio.source = .file(room)
        tune(&settings)
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

    /// Ends the daemon, then its servers; returns what the loudspeaker played and how long the daemon took to end.
    @discardableResult
    func stop() async throws -> (tones: MarkerTones, took: Duration) {
        let start = Monotonic.now()
        let daemon = daemons.withLock { daemon in
            defer { daemon = nil }
            return daemon
        }
        await daemon?.stop()
        let took = Monotonic.now() - start
        await simulator.stop()
        await agent.stop()
        return (MarkerTones((try? WaveFile.read(recording)) ?? []), took)
    }

    /// The user says a word or two.
    func say(_ text: String, voice: SpokenVoice = .tones) {
        let samples = SpokenQuestion.samples48k(text, voice: voice, leadMilliseconds: 30, tailMilliseconds: 50)
        room.say(samples.map { Float($0) / 32768 })
    }

    /// The user says these samples at 48 kHz.
    func say(samples: [Float]) { room.say(samples) }

    var daemon: VoiceDaemon? { daemons.withLock { $0 } }
    /// What the loudspeaker played, once the daemon has ended.
    var samples: [Float] { (try? WaveFile.read(recording)) ?? [] }

    /// The daemon's media player.
    var media: (any MediaControls)? { daemons.withLock { $0?.media } }

    var ports: AudioPorts? { daemons.withLock { $0?.ports } }

    /// Pushes the button.
    func call() {
        daemons.withLock { $0 }?.activate(.button)
    }

    /// Gives an order like the control socket.
    func perform(_ words: String...) async throws -> [String: JSONValue] { try await perform(words) }

    func perform(_ words: [String]) async throws -> [String: JSONValue] {
        let daemon = try #require(daemon)
        let request = try ControlRegistry.standard.request(words: words)
        guard case .done(let result) = try await ControlRegistry.standard.run(request, on: daemon) else { return [:] }
        return result
    }

    func post(_ event: ConversationEvent) {
        daemons.withLock { $0 }?.post(event)
    }

    /// Waits until the service has read a close frame: everything sent before it was read too.
    func reachClose() async throws {
        try await journal.wait(for: "a close frame") { entries in
            entries.contains { if case .wire(.closing) = $0 { true } else { false } }
        }
    }

    /// Waits until the conversation has been in `state` `times` times.
    func reach(_ state: ConversationState, times: Int = 1) async throws {
        try await journal.wait(for: "\(state) \(times) times") { $0.count(state) >= times }
    }
}

extension ConversationScript.Turn {
    static func ask(_ query: String, filler: String = "Checking.") -> Self {
        .init(
            transcript: query, action: .call(filler: filler, tool: "ask_jarvis", arguments: ["query": .string(query)])
        )
    }

    static func say(_ text: String) -> Self { .init(transcript: "Hello", action: .say(text)) }
}
