internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket
internal import Synchronization

/// A stand-in for the OpenAI Realtime service: a WebSocket server on 127.0.0.1, without TLS.
///
///     GET /v1/realtime?model=...  ->  RealtimeSocketHandler  ->  SimulatedSession (pure)
///
/// Every event of either side is recorded and passed to the `events` handler.
package final class RealtimeSimulator: Sendable {
    /// A connection's events are reported in order.
    package enum Event: Sendable, Equatable {
        case connected(connection: Int)
        case client(connection: Int, SimulatedJSON)
        case server(connection: Int, SimulatedJSON)
        /// The client sent a close frame; `code` is nil if the frame had none.
        case closing(connection: Int, code: Int?)
        case disconnected(connection: Int)
    }

    private struct State {
        var listener: (any Channel)?
        var channels: [Int: any Channel] = [:]
        var attempts = 0
        var connections = 0
        var isTroubled = true
        var serverEvents: [String] = []
        var clientEvents: [String] = []
    }

    private let configuration: RealtimeSimulatorConfiguration
    private let script: ConversationScript
    private let events: @Sendable (Event) -> Void
    private let faults: @Sendable (FaultKind, Int?) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - events: called on the connection's thread; must not block.
    ///   - faults: called likewise, with each fault that a seed causes and its connection.
    package init(
        configuration: RealtimeSimulatorConfiguration,
        script: ConversationScript,
        events: @escaping @Sendable (Event) -> Void = { _ in },
        faults: @escaping @Sendable (FaultKind, Int?) -> Void = { _, _ in }
    ) {
        self.faults = faults
        self.configuration = configuration
        self.script = script
        self.events = events
    }

    /// Starts to listen and returns the port; throws if the port is taken.
    package func start() async throws -> Int {
        let listener = try await bootstrap().bind(host: "127.0.0.1", port: configuration.port).get()
        state.withLock { $0.listener = listener }
        return listener.localAddress?.port ?? 0
    }

    /// Closes the listener and every connection.
    package func stop() async {
        let channels = state.withLock { state in
            let open = Array(state.channels.values) + (state.listener.map { [$0] } ?? [])
            state.listener = nil
            return open
        }
        for channel in channels { try? await channel.close().get() }
    }

    /// Cuts every connection without a close frame; the listener stays open.
    package func dropConnections() async {
        for channel in state.withLock({ Array($0.channels.values) }) { try? await channel.close().get() }
    }

    /// Stops reading from the open connections, and so answers nothing, like a peer that has vanished. Later
    /// connections are sound.
    package func stallConnections() async {
        for channel in state.withLock({ Array($0.channels.values) }) {
            try? await channel.setOption(ChannelOptions.autoRead, value: false).get()
        }
    }

    /// Ends the faults of a seed, for connections that begin from now on.
    package func calmDown() {
        state.withLock { $0.isTroubled = false }
    }

    /// The events sent so far, one JSON object per line, in order.
    package var serverEventLines: [String] { state.withLock { $0.serverEvents } }

    /// The events received so far, one JSON object per line, in order.
    package var clientEventLines: [String] { state.withLock { $0.clientEvents } }

    /// Number of WebSocket connections accepted so far.
    package var connectionCount: Int { state.withLock { $0.connections } }
}

// MARK: - Connections

extension RealtimeSimulator {
    private var isTroubled: Bool { state.withLock { $0.isTroubled } }

    func report(_ fault: FaultKind) { faults(fault, nil) }

    /// Tracks a connection that is not upgraded, so that `stop` closes it too.
    func track(_ channel: any Channel, _ attempt: Int) {
        state.withLock { $0.channels[-attempt] = channel }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { _ = $0.channels.removeValue(forKey: -attempt) }
        }
    }

    private func bootstrap() -> ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.configure(channel) }
            }
    }

    private func configure(_ channel: any Channel) throws {
        let attempt = state.withLock { state in
            state.attempts += 1
            return state.attempts
        }
        let faults = faults(of: attempt)
        if try spoil(channel, faults.plan?.opening ?? .sound, attempt) { return }
        var refusal = faults.refuseStatus
        if case .refuse(let status) = faults.plan?.opening {
            refusal = status
            self.faults(.refused, nil)
        }
        let refused = refusal
        let upgrader = NIOWebSocketServerUpgrader(
            // Appends may carry 15 MiB of audio.
            maxFrameSize: 1 << 25,
            shouldUpgrade: { channel, head in
                let wanted = refused == nil && RequestTarget(head.uri).path == "/v1/realtime"
                return channel.eventLoop.makeSucceededFuture(wanted ? HTTPHeaders() : nil)
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture { try self.upgrade(channel, head, faults) }
            }
        )
        let fallback = UpgradeRefusalHandler(status: refused ?? 404)
        let upgrade: NIOHTTPServerUpgradeConfiguration = (
            upgraders: [upgrader],
            completionHandler: { context in
                context.pipeline.syncOperations.removeHandler(name: UpgradeRefusalHandler.name, promise: nil)
            }
        )
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withServerUpgrade: upgrade)
        try channel.pipeline.syncOperations.addHandler(fallback, name: UpgradeRefusalHandler.name)
    }

    private func faults(of attempt: Int) -> RealtimeFaults {
        var faults = attempt <= script.faults.faultyConnections ? script.faults : RealtimeFaults()
        guard let seed = faults.seed, isTroubled else { return faults }
        faults.plan = FaultPlan(seed: seed, connection: attempt, mix: faults.mix)
        return faults
    }

    private func upgrade(_ channel: any Channel, _ head: HTTPRequestHead, _ faults: RealtimeFaults) throws {
        let number = state.withLock { state in
            state.connections += 1
            state.channels[state.connections] = channel
            return state.connections
        }
        events(.connected(connection: number))
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { _ = $0.channels.removeValue(forKey: number) }
            self.events(.disconnected(connection: number))
        }
        var script = script
        let target = RequestTarget(head.uri)
        script.faults = faults
        if let plan = faults.plan { script.turns = plan.turns }
        var refusal = refusal(head, target)
        if faults.plan?.opening == .invalidKey {
            refusal = .invalidKey
            self.faults(.invalidKey, number)
        }
        let session = SimulatedSession(
            configuration: configuration, script: script, model: target.query["model"] ?? "", tag: "c\(number)"
        )
        try channel.pipeline.syncOperations.addHandlers([
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1024, maxAccumulatedFrameSize: 1 << 25
            ),
            RealtimeSocketHandler(
                session: session,
                refusal: refusal,
                pingSeconds: configuration.pingSeconds
            ) { event in
                self.record(event, number)
            },
        ])
    }

    private func refusal(_ head: HTTPRequestHead, _ target: RequestTarget) -> SimulatedRefusal? {
        if head.headers.first(name: "Authorization") != "Bearer \(configuration.key)" { return .invalidKey }
        if head.headers.contains(name: "OpenAI-Beta") { return .betaHeader }
        guard let model = target.query["model"], !model.isEmpty else { return .missingModel }
        return model.contains("realtime") ? nil : .invalidModel
    }

    private func record(_ event: RealtimeSocketHandler.Traffic, _ number: Int) {
        switch event {
        case .received(let value):
            let line = value.text
            state.withLock { state in
                if state.clientEvents.count < configuration.recordLimit { state.clientEvents.append(line) }
            }
            events(.client(connection: number, value))
        case .sent(let value, let line):
            state.withLock { state in
                if state.serverEvents.count < configuration.recordLimit { state.serverEvents.append(line) }
            }
            events(.server(connection: number, value))
        case .closing(let code): events(.closing(connection: number, code: code))
        case .fault(let kind): faults(kind, number)
        }
    }
}

/// Settings of the simulated Realtime service.
package struct RealtimeSimulatorConfiguration: Sendable {
    /// TCP port on 127.0.0.1; 0 takes any free one.
    package var port = 0
    /// The accepted bearer key.
    package var key: String
    /// How many times faster than real time audio is sent; 0 sends without pauses.
    package var speed = 5.0
    /// Audio in one delta, 20 to 200 ms.
    package var chunkMilliseconds = 100
    /// Time between the trigger of a response and its first word.
    package var responseLatencyMilliseconds = 50
    /// Silence that ends a turn; nil uses `silence_duration_ms` of the session, or 500 ms with `semantic_vad`.
    package var releaseMilliseconds: Int?
    /// Audio below this level is never speech, in dBFS.
    package var thresholdDecibels = -45.0
    /// How the model's words become audio.
    package var voice: SpokenVoice = .natural
    /// `expires_at` of the session, in Unix seconds.
    package var expiresAt = 1_900_000_000
    /// Number of events kept for inspection, for each side and including audio; later ones are not recorded.
    package var recordLimit = 5000
    /// Interval of the server's pings, in seconds; 0 sends none.
    package var pingSeconds = 20

    package init(key: String = "sk-simulated") {
        self.key = key
    }
}
