internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket
internal import Synchronization

/// One conversation of a simulated service that runs in real time: takes the client's messages and returns the
/// service's. Pure; times are ms since the connection was opened.
protocol SimulatedConversation: Sendable {
    mutating func receive(_ text: String, at now: Int) -> [SocketOutput]
    mutating func tick(at now: Int) -> [SocketOutput]
    /// The event in the form in which it is recorded.
    static func recorded(_ event: SimulatedJSON) -> SimulatedJSON
}

extension SimulatedConversation {
    static func recorded(_ event: SimulatedJSON) -> SimulatedJSON { event }
}

/// What a simulated service does with its socket.
enum SocketOutput: Sendable, Equatable {
    case send(SimulatedJSON)
    /// The same event in a binary frame.
    case sendBinary(SimulatedJSON)
    /// A text that need not be an event.
    case sendText(String)
    case close
    /// Drops the connection without a close frame.
    case drop
}

/// A WebSocket server on 127.0.0.1, without TLS, for conversations in real time.
///
///     GET path  ->  SocketConversationHandler  ->  SimulatedConversation (pure)
final class SocketSimulator<Conversation: SimulatedConversation>: Sendable {
    private struct State {
        var listener: (any Channel)?
        var channels: [Int: any Channel] = [:]
        var connections = 0
    }

    private let port: Int
    private let accepts: @Sendable (HTTPRequestHead) -> Bool
    private let plain: @Sendable () -> any RemovableChannelHandler
    private let begin: @Sendable (_ connection: Int) -> Conversation
    private let ended: @Sendable (Conversation) -> Void
    private let events: @Sendable (RealtimeSimulator.Event) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - port: 0 takes any free one.
    ///   - accepts: whether to upgrade this request.
    ///   - plain: creates the handler for requests that are not upgraded.
    ///   - begin: creates the conversation of a connection, counted from 1.
    ///   - ended: called with the conversation when its connection is closed.
    ///   - events: called on the connection's thread; must not block.
    init(
        port: Int,
        accepts: @escaping @Sendable (HTTPRequestHead) -> Bool,
        plain: @escaping @Sendable () -> any RemovableChannelHandler = { UpgradeRefusalHandler(status: 401) },
        begin: @escaping @Sendable (_ connection: Int) -> Conversation,
        ended: @escaping @Sendable (Conversation) -> Void,
        events: @escaping @Sendable (RealtimeSimulator.Event) -> Void
    ) {
        self.port = port
        self.accepts = accepts
        self.plain = plain
        self.begin = begin
        self.ended = ended
        self.events = events
    }

    /// Accepts requests with this bearer key for a path that `takes` accepts.
    convenience init(
        key: String,
        port: Int,
        takes: @escaping @Sendable (_ path: String) -> Bool,
        begin: @escaping @Sendable (_ connection: Int) -> Conversation,
        ended: @escaping @Sendable (Conversation) -> Void,
        events: @escaping @Sendable (RealtimeSimulator.Event) -> Void
    ) {
        self.init(
            port: port,
            accepts: { head in
                head.headers.first(name: "Authorization") == "Bearer \(key)" && takes(RequestTarget(head.uri).path)
            },
            begin: begin,
            ended: ended,
            events: events
        )
    }

    /// Starts to listen and returns the port; throws if the port is taken.
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
        try channel.pipeline.syncOperations.addHandlers([
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0,
                maxAccumulatedFrameCount: 1024,
                maxAccumulatedFrameSize: 1 << 25
            ),
            SocketConversationHandler(begin(number)) { traffic in self.note(traffic, number) },
        ])
    }

    private func note(_ traffic: SocketConversationHandler<Conversation>.Traffic, _ number: Int) {
        switch traffic {
        case .received(let event): events(.client(connection: number, Conversation.recorded(event)))
        case .sent(let event): events(.server(connection: number, Conversation.recorded(event)))
        case .closing(let code): events(.closing(connection: number, code: code))
        case .ended(let conversation): ended(conversation)
        }
    }
}

/// Connects one WebSocket to one conversation. Runs only on its event loop.
private final class SocketConversationHandler<Conversation: SimulatedConversation>: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    enum Traffic {
        case received(SimulatedJSON)
        case sent(SimulatedJSON)
        case closing(code: Int?)
        case ended(Conversation)
    }

    private var conversation: Conversation
    private let traffic: (Traffic) -> Void
    private let began = NIODeadline.now()
    private var ticks: RepeatedTask?
    private var isClosing = false

    init(_ conversation: Conversation, traffic: @escaping (Traffic) -> Void) {
        self.conversation = conversation
        self.traffic = traffic
    }

    private var now: Int { Int((NIODeadline.now() - began).nanoseconds / 1_000_000) }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let pace = TimeAmount.milliseconds(20)
        ticks = context.eventLoop.scheduleRepeatedTask(initialDelay: pace, delay: pace) { _ in
            let (handler, context) = bound.value
            guard context.channel.isActive else { return }
            handler.perform(handler.conversation.tick(at: handler.now), context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // The repeated task retains the handler, so both would leak without this.
        ticks?.cancel()
        ticks = nil
        traffic(.ended(conversation))
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text, .binary:
            let text = String(buffer: frame.unmaskedData)
            if let event = SimulatedJSON(text: text) { traffic(.received(event)) }
            perform(conversation.receive(text, at: now), context)
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
