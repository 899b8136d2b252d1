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
@testable import VoiceNetwork
@testable import VoiceSession

/// The common part of stages for voice services: a whole daemon in a room of files, in real time, with a stand-in for
/// the agent.
final class StageHouse: Sendable {
    let journal = Journal()
    let log = LineLog()
    let agent: AgentStandIn
    private let room: FileRoom
    private let recording: String
    private let daemons = Mutex<VoiceDaemon?>(nil)
    /// What followers of events and status received on the control socket.
    private let told = Collected<String>()
    private let followers = Mutex<(server: ControlServer, tasks: [Task<Void, Never>])?>(nil)

    init(behaviour: @escaping @Sendable (AgentRequest) -> AgentBehaviour) throws {
        agent = AgentStandIn(token: Stage.token, behaviour: behaviour)
        recording = "/tmp/stage-house-\(getpid())-\(UInt32.random(in: 0 ... .max)).wav"
        room = try FileRoom(recording: recording, echo: nil, speed: 1, listener: nil)
    }

    deinit { unlink(recording) }

    /// - Parameters:
    ///   - environment: with the key of the service.
    ///   - isPatient: false for a daemon with short timeouts and pauses.
    func start(
        environment: [String: String],
        isPatient: Bool = true,
        adjust: (inout Configuration) -> Void
    ) async throws {
        let agentPort = try await agent.start()
        var configuration = Configuration()
        configuration.activation.engine = .off
        configuration.jarvis.url = "http://127.0.0.1:\(agentPort)/ui"
        configuration.jarvis.preamble = .off
        configuration.audio.realtimePriority = 0
        configuration.audio.lockMemory = false
        configuration.audio.earconVolume = 0
        configuration.echo.mode = .off
        configuration.echo.duplex = .full
        configuration.echo.noiseSuppression = .off
        configuration.echo.highPass = false
        adjust(&configuration)
        let secrets = try Secrets(
            configuration: configuration,
            environment: environment.merging(["JARVIS_TOKEN": Stage.token]) { $1 }
        )
        var settings = try DaemonSettings(configuration, secrets: secrets, logger: log.logger)
        settings.audio.source = .file(room)
        if !isPatient {
            settings.service.request?.limits = ConnectionLimits(whole: .seconds(1), firstMessage: .milliseconds(1500))
            settings.service.request?.deadPeerLimit = .milliseconds(1500)
            settings.conversation.sessions.setUpLimit = .milliseconds(2500)
            settings.conversation.reconnectFirst = .milliseconds(20)
            settings.conversation.reconnectLongest = .milliseconds(300)
            settings.conversation.limitedPause = .milliseconds(200)
            settings.conversation.limitedLongest = .milliseconds(500)
            settings.conversation.probePause = .milliseconds(200)
        }
        let journal = journal
        let played = Mutex<AudioPorts?>(nil)
        let redactor = SharedRedactor()
        redactor.add(secrets)
        let daemon = VoiceDaemon(
            settings,
            logger: log.logger,
            redactor: redactor,
            observer: .init(effect: { effect, _ in
                if case .stateChanged(_, let next) = effect { journal.add(.state(next)) }
                let periods = played.withLock { $0?.gauges.counters.cycles } ?? 0
                journal.add(.effect(effect, frame: Int(periods) * AudioFormat.periodFrames))
            })
        )
        played.withLock { $0 = daemon.ports }
        daemons.withLock { $0 = daemon }
        try await daemon.start()
        try follow(daemon)
    }

    /// Serves the daemon's control socket, with a client for its events and one for its status.
    private func follow(_ daemon: VoiceDaemon) throws {
        let path = recording + ".sock"
        let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = try daemon.controlServer(.init(path: path, version: "0"), logger: silent)
        let told = told
        let clients = ["events", "subscribe"].map { command in
            Task {
                await OwnThread.run("follower") {
                    guard var client = try? ControlClient(paths: [path]),
                        (try? client.perform(ControlRequest(command: command))) != nil
                    else { return }
                    while let message = try? client.nextEvent() { told.add([message.line]) }
                }
            }
        }
        followers.withLock { $0 = (server, [Task { await server.run() }] + clients) }
    }

    /// What the daemon logged or told on its control socket with any of these words in it. Not empty if it told nothing.
    func leaks(_ words: String...) -> [String] {
        let told = told.all
        guard !told.isEmpty else { return ["the control socket told nothing"] }
        return (log.lines + told).filter { line in words.contains { line.contains($0) } }
    }

    /// Ends the daemon, then the service, then the agent; returns what the loudspeaker played.
    func stop(service: () async -> Void) async throws -> MarkerTones {
        let daemon = daemons.withLock { daemon in
            defer { daemon = nil }
            return daemon
        }
        await daemon?.stop()
        let followers = followers.withLock { $0 }
        followers?.server.stop()
        for task in followers?.tasks ?? [] { await task.value }
        await service()
        await agent.stop()
        return MarkerTones((try? WaveFile.read(recording)) ?? [])
    }

    var daemon: VoiceDaemon? { daemons.withLock { $0 } }

    func say(_ text: String) {
        let samples = SpokenQuestion.samples48k(text, voice: .tones, leadMilliseconds: 30, tailMilliseconds: 50)
        room.say(samples.map { Float($0) / 32768 })
    }
}

/// A stage with its own service in a `StageHouse`.
protocol ServiceStage: Sendable {
    var house: StageHouse { get }
}

extension ServiceStage {
    var journal: Journal { house.journal }
    var log: LineLog { house.log }
    var daemon: VoiceDaemon? { house.daemon }
    /// The questions to the agent.
    var queries: [String] { house.agent.requests.compactMap(\.query) }

    func say(_ text: String) { house.say(text) }

    func post(_ event: ConversationEvent) { daemon?.post(event) }

    func perform(_ words: String...) async throws {
        let daemon = try #require(daemon)
        _ = try await ControlRegistry.standard.run(try ControlRegistry.standard.request(words: words), on: daemon)
    }

    func reach(_ state: ConversationState, times: Int = 1) async throws {
        try await journal.wait(for: "\(state) \(times) times") { $0.count(state) >= times }
    }

    /// Waits until the service has received so many messages of a type.
    func sent(_ type: String, times: Int = 1) async throws {
        try await journal.wait(for: "\(type) \(times) times") { entries in
            entries.client().filter { $0["type"]?.string == type }.count >= times
        }
    }
}
