internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket
internal import Synchronization

/// One session of a simulated service on a WebSocket. Pure; told the time in ms since its connection.
protocol SocketSession {
    mutating func receive(_ text: String, at now: Int) -> [SocketOutput]
    /// Called every 20 ms.
    mutating func tick(at now: Int) -> [SocketOutput]
    /// How many turns of its script are used up.
    var turnsUsed: Int { get }
    /// What the client did that the service does not allow.
    var violations: [String] { get }
}

/// What a simulated session does.
enum SocketOutput {
    case send(SimulatedJSON)
    case sendText(String)
    /// Text in a binary frame.
    case sendBinary(SimulatedJSON)
    /// A close frame without a code.
    case close
    case drop
}

/// A WebSocket server on 127.0.0.1, without TLS, for services whose sessions go on with one script from connection to
/// connection.
final class SocketServer: Sendable {
    private struct State {
        var listener: (any Channel)?
        var channels: [Int: any Channel] = [:]
        var connections = 0
        var turns = 0
        var violations: [String] = []
    }

    private let port: Int
    private let accepts: @Sendable (HTTPRequestHead) -> Bool
    private let plain: @Sendable () -> any RemovableChannelHandler
    private let session: @Sendable (_ number: Int, _ turn: Int) -> any SocketSession
    private let events: @Sendable (RealtimeSimulator.Event) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - port: 0 takes any free one.
    ///   - accepts: whether a socket is given to who asks like this.
    ///   - plain: answers what is no such request.
    ///   - session: one for each connection, by its number; begins with this turn of the script.
    ///   - events: called on the thread of the connection; must not block.
    init(
        port: Int,
        accepts: @escaping @Sendable (HTTPRequestHead) -> Bool,
        plain: @escaping @Sendable () -> any RemovableChannelHandler = { UpgradeRefusalHandler(status: 401) },
        session: @escaping @Sendable (_ number: Int, _ turn: Int) -> any SocketSession,
        events: @escaping @Sendable (RealtimeSimulator.Event) -> Void
    ) {
        self.port = port
        self.accepts = accepts
        self.plain = plain
        self.session = session
        self.events = events
    }

    /// Starts to listen and returns the port; throws when the port is taken.
    func start() async throws -> Int {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.configure(channel) }
            }
            .bind(host: "127.0.0.1", port: port).get()
        state.withLock { $0.listener = listener }
        return listener.localAddress?.port ?? 0
    }

    /// Closes the listener and every connection.
    func stop() async {
        let channels = state.withLock { state in
            let open = Array(state.channels.values) + (state.listener.map { [$0] } ?? [])
            state.listener = nil
            return open
        }
        for channel in channels { try? await channel.close().get() }
    }

    var violations: [String] { state.withLock { $0.violations } }

    func violated(_ what: String) { state.withLock { $0.violations.append(what) } }

    private func configure(_ channel: any Channel) throws {
        let accepts = accepts
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: 1 << 25,
            shouldUpgrade: { channel, head in
                channel.eventLoop.makeSucceededFuture(accepts(head) ? HTTPHeaders() : nil)
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture { try self.upgrade(channel) }
            }
        )
        let upgrade: NIOHTTPServerUpgradeConfiguration = (
            upgraders: [upgrader],
            completionHandler: { context in
                context.pipeline.syncOperations.removeHandler(name: UpgradeRefusalHandler.name, promise: nil)
            }
        )
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withServerUpgrade: upgrade)
        try channel.pipeline.syncOperations.addHandler(plain(), name: UpgradeRefusalHandler.name)
    }

    private func upgrade(_ channel: any Channel) throws {
        let (number, turn) = state.withLock { state in
            state.connections += 1
            state.channels[state.connections] = channel
            return (state.connections, state.turns)
        }
        events(.connected(connection: number))
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { _ = $0.channels.removeValue(forKey: number) }
            self.events(.disconnected(connection: number))
        }
        try channel.pipeline.syncOperations.addHandlers([
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0,
                maxAccumulatedFrameCount: 1024,
                maxAccumulatedFrameSize: 1 << 25
            ),
            SocketSessionHandler(session(number, turn)) { traffic in self.note(traffic, number) },
        ])
    }

    private func note(_ traffic: SocketSessionHandler.Traffic, _ number: Int) {
        switch traffic {
        case .received(let event): events(.client(connection: number, event))
        case .sent(let event): events(.server(connection: number, event))
        case .closing(let code): events(.closing(connection: number, code: code))
        case .ended(let session):
            state.withLock { state in
                state.turns = max(state.turns, session.turnsUsed)
                state.violations += session.violations
            }
        }
    }
}

/// Connects one WebSocket with one `SocketSession`. Lives on its event loop alone.
private final class SocketSessionHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    enum Traffic {
        case received(SimulatedJSON)
        case sent(SimulatedJSON)
        case closing(code: Int?)
        case ended(any SocketSession)
    }

    private var session: any SocketSession
    private let traffic: (Traffic) -> Void
    private let began = NIODeadline.now()
    private var ticks: RepeatedTask?
    private var isClosing = false

    init(_ session: any SocketSession, traffic: @escaping (Traffic) -> Void) {
        self.session = session
        self.traffic = traffic
    }

    private var now: Int { Int((NIODeadline.now() - began).nanoseconds / 1_000_000) }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let pace = TimeAmount.milliseconds(20)
        ticks = context.eventLoop.scheduleRepeatedTask(initialDelay: pace, delay: pace) { _ in
            let (handler, context) = bound.value
            guard context.channel.isActive else { return }
            handler.perform(handler.session.tick(at: handler.now), context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // The repeated task holds the handler: without this both would stay.
        ticks?.cancel()
        ticks = nil
        traffic(.ended(session))
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        // Some services take text in binary frames.
        case .text, .binary:
            let text = String(buffer: frame.unmaskedData)
            if let event = SimulatedJSON(text: text) { traffic(.received(event)) }
            perform(session.receive(text, at: now), context)
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .connectionClose:
            var body = frame.unmaskedData
            traffic(.closing(code: body.readInteger(as: UInt16.self).map { Int($0) }))
            if !isClosing {
                let answer = WebSocketFrame(fin: true, opcode: .connectionClose, data: frame.unmaskedData)
                context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
            }
            context.close(promise: nil)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func perform(_ outputs: [SocketOutput], _ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        for output in outputs {
            switch output {
            case .send(let event):
                traffic(.sent(event))
                write(.text, ByteBuffer(string: event.text), context)
            case .sendBinary(let event):
                traffic(.sent(event))
                write(.binary, ByteBuffer(string: event.text), context)
            case .sendText(let text): write(.text, ByteBuffer(string: text), context)
            case .close:
                isClosing = true
                write(.connectionClose, ByteBuffer(), context)
            case .drop:
                isClosing = true
                context.flush()
                context.close(promise: nil)
            }
        }
        context.flush()
    }

    private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: nil)
    }
}
