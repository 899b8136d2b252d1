internal import NIOCore
internal import NIOHTTP1
internal import Synchronization
package import VoiceSimulator

/// A stand-in for Datagrid Voice: HTTP and WebSockets on 127.0.0.1, without TLS.
///
///     POST /v1/voice  ->  DatagridHandoffHandler: issues a single-use token
///     GET /ws/voice?token=KEY_OR_TOKEN  ->  SocketSimulator  ->  SimulatedDatagridSession (pure)
package final class DatagridSimulator: Sendable {
    private struct State {
        var port = 0
        var tokens: Set<String> = []
        var issued = 0
        var conversations: Set<String> = []
        var random: SplitMix
        var isCalm = false
        /// Number of script turns used by ended sessions.
        var turns = 0
        var violations: [String] = []
    }

    /// State shared by the connections.
    final class Shared: Sendable {
        private let state: Mutex<State>
        private let faults: DatagridScript.Faults
        private let struck: @Sendable (FaultKind, Int?) -> Void

        fileprivate init(
            _ faults: DatagridScript.Faults,
            seed: UInt64,
            struck: @escaping @Sendable (FaultKind, Int?) -> Void
        ) {
            self.faults = faults
            self.struck = struck
            state = Mutex(State(random: SplitMix(seed: seed)))
        }

        fileprivate func calmDown() { state.withLock { $0.isCalm = true } }

        private func strikes(_ percent: Int, _ kind: FaultKind) -> Bool {
            let strikes = state.withLock { state in
                percent > 0 && !state.isCalm && Int.random(in: 0..<100, using: &state.random) < percent
            }
            if strikes { struck(kind, nil) }
            return strikes
        }

        /// The status of this hand-off, if it is refused.
        var handoffStatus: Int? {
            faults.handoffStatus ?? (strikes(faults.refusedHandoffs, .handoffRefused) ? 503 : nil)
        }

        fileprivate func listens(on port: Int) { state.withLock { $0.port = port } }
        var port: Int { state.withLock { $0.port } }

        /// Issues a token that is accepted once.
        func issue() -> String {
            state.withLock { state in
                state.issued += 1
                let token = "once-only-\(state.issued)-9f27c1"
                state.tokens.insert(token)
                return token
            }
        }

        fileprivate func isExpired() -> Bool { strikes(faults.expiredTokens, .tokenExpired) }

        fileprivate func redeem(_ token: String) -> Bool {
            state.withLock { $0.tokens.remove(token) != nil } && !isExpired()
        }

        fileprivate var turns: Int { state.withLock { $0.turns } }
        fileprivate var violations: [String] { state.withLock { $0.violations } }

        fileprivate func ended(_ session: SimulatedDatagridSession) {
            state.withLock { state in
                state.turns = max(state.turns, session.turnsUsed)
                state.violations += session.violations
            }
        }

        func knows(_ conversation: String) -> Bool { state.withLock { $0.conversations.contains(conversation) } }

        func begin() -> String {
            state.withLock { state in
                let name = "conv_\(state.conversations.count + 1)"
                state.conversations.insert(name)
                return name
            }
        }
    }

    private let server: SocketSimulator<SimulatedDatagridSession>
    private let shared: Shared

    /// - Parameters:
    ///   - port: 0 takes any free one.
    ///   - key: the accepted API key.
    ///   - threshold: audio below this level is never speech, in dBFS.
    ///   - trouble: faults on the wire.
    ///   - struck: called with each fault and its connection, if it has one; like `events`.
    ///   - events: called on the connection's thread; must not block.
    package init(
        _ script: DatagridScript,
        key: String = "sk-simulated",
        port: Int = 0,
        voice: SpokenVoice = .natural,
        threshold: Double = -45,
        trouble: SocketTrouble? = nil,
        events: @escaping @Sendable (RealtimeSimulator.Event) -> Void = { _ in },
        struck: @escaping @Sendable (FaultKind, Int?) -> Void = { _, _ in }
    ) {
        let shared = Shared(script.faults, seed: trouble?.seed ?? 1, struck: struck)
        self.shared = shared
        server = SocketSimulator(
            port: port,
            trouble: trouble,
            struck: struck,
            accepts: { head in
                let target = RequestTarget(head.uri)
                guard target.path == "/ws/voice", let token = target.query["token"] else { return false }
                return token == key || shared.redeem(token)
            },
            plain: { DatagridHandoffHandler(shared, key: key) },
            begin: { number, faults in
                var script = script
                if var faults { script.faults = .init(drawing: &faults) }
                if number > script.faults.connections { script.faults = .init() }
                return SimulatedDatagridSession(
                    script: script, shared: shared, voice: voice, threshold: threshold, tag: "c\(number)",
                    turn: shared.turns
                )
            },
            ended: { shared.ended($0) },
            events: events
        )
    }

    /// Starts to listen and returns the port; throws if the port is taken.
    package func start() async throws -> Int {
        let port = try await server.start()
        shared.listens(on: port)
        return port
    }

    /// Ends the faults of connections that begin from now on.
    package func calmDown() {
        server.calmDown()
        shared.calmDown()
    }

    /// Closes the listener and every connection.
    package func stop() async { await server.stop() }

    /// Number of TCP connections so far, including those that never became a session.
    package var attempts: Int { server.attempts }

    /// What clients did that the service does not allow, in the ended sessions.
    package var violations: [String] { shared.violations }
}

/// Answers `POST /v1/voice` and refuses everything else.
final class DatagridHandoffHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let shared: DatagridSimulator.Shared
    private let key: String
    private var isWanted = false
    private var body = ByteBuffer()

    init(_ shared: DatagridSimulator.Shared, key: String) {
        self.shared = shared
        self.key = key
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isWanted =
                head.method == .POST && head.uri == "/v1/voice"
                && head.headers.first(name: "Authorization") == "Bearer \(key)"
        case .body(var part): body.writeBuffer(&part)
        case .end: answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard isWanted else { return respond(401, "{\"error\":{\"message\":\"refused\"}}", context) }
        if let status = shared.handoffStatus { return respond(status, "{}", context) }
        guard let payload = SimulatedJSON(text: String(buffer: body)), payload.object != nil else {
            return respond(400, "{}", context)
        }
        let reply: SimulatedJSON = [
            "object": "voice.session", "agent_id": payload["agent_id"] ?? "agent_default",
            "url": .string("ws://127.0.0.1:\(shared.port)/ws/voice?token=\(shared.issue())"),
            "start_message": ["type": "start", "payload": payload],
        ]
        respond(200, reply.text, context)
    }

    private func respond(_ status: Int, _ text: String, _ context: ChannelHandlerContext) {
        let body = ByteBuffer(string: text)
        let head = HTTPResponseHead(
            version: .http1_1,
            status: .init(statusCode: status),
            headers: [
                "Content-Type": "application/json", "Content-Length": "\(body.readableBytes)", "Connection": "close",
            ]
        )
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in bound.value.close(promise: nil) }
    }
}
