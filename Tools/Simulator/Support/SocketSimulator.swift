package import NIOCore
package import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket
internal import Synchronization

/// One conversation of a simulated service that runs in real time: takes the client's messages and returns the
/// service's. Pure; times are ms since the connection was opened.
package protocol SimulatedConversation: Sendable {
    mutating func receive(_ text: String, at now: Int) -> [SocketOutput]
    mutating func tick(at now: Int) -> [SocketOutput]
    /// Faults of the protocol itself that have struck since the last call.
    mutating func takeStruck() -> [FaultKind]
    /// The event in the form in which it is recorded.
    static func recorded(_ event: SimulatedJSON) -> SimulatedJSON
}

extension SimulatedConversation {
    package static func recorded(_ event: SimulatedJSON) -> SimulatedJSON { event }
    package mutating func takeStruck() -> [FaultKind] { [] }
}

/// What a simulated service does with its socket.
package enum SocketOutput: Sendable, Equatable {
    case send(SimulatedJSON)
    /// The same event in a binary frame.
    case sendBinary(SimulatedJSON)
    /// A text that need not be an event.
    case sendText(String)
    case close
    /// A close frame with this code and reason.
    case end(code: Int, reason: String)
    /// Drops the connection without a close frame.
    case drop
}

/// A WebSocket server on 127.0.0.1, without TLS, for conversations in real time.
///
///     GET path  ->  SocketConversationHandler  ->  SimulatedConversation (pure)
package final class SocketSimulator<Conversation: SimulatedConversation>: Sendable {
    private struct State {
        var listener: (any Channel)?
        var channels: [Int: any Channel] = [:]
        var connections = 0
        /// TCP connections, those included that never come to an upgrade.
        var attempts = 0
        var isCalm = false
    }

    private let port: Int
    private let trouble: SocketTrouble?
    private let struck: @Sendable (FaultKind, Int?) -> Void
    private let accepts: @Sendable (HTTPRequestHead) -> Bool
    private let plain: @Sendable () -> any RemovableChannelHandler
    private let begin: @Sendable (_ connection: Int, _ faults: SplitMix?) -> Conversation
    private let ended: @Sendable (Conversation) -> Void
    private let events: @Sendable (RealtimeSimulator.Event) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - port: 0 takes any free one.
    ///   - accepts: whether to upgrade this request.
    ///   - plain: creates the handler for requests that are not upgraded.
    ///   - begin: creates the conversation of a connection, counted from 1. `faults` is the random source of the
    ///     protocol's own faults; nil for none.
    ///   - ended: called with the conversation when its connection is closed.
    ///   - events: called on the connection's thread; must not block.
    ///   - trouble: faults on the wire.
    ///   - struck: called with each fault and its connection, if it has one; like `events`.
    package init(
        port: Int,
        trouble: SocketTrouble? = nil,
        struck: @escaping @Sendable (FaultKind, Int?) -> Void = { _, _ in },
        accepts: @escaping @Sendable (HTTPRequestHead) -> Bool,
        plain: @escaping @Sendable () -> any RemovableChannelHandler = { UpgradeRefusalHandler(status: 401) },
        begin: @escaping @Sendable (_ connection: Int, _ faults: SplitMix?) -> Conversation,
        ended: @escaping @Sendable (Conversation) -> Void,
        events: @escaping @Sendable (RealtimeSimulator.Event) -> Void
    ) {
        self.port = port
        self.trouble = trouble
        self.struck = struck
        self.accepts = accepts
        self.plain = plain
        self.begin = begin
        self.ended = ended
        self.events = events
    }

    /// Accepts requests with this bearer key for a path that `takes` accepts.
    package convenience init(
        key: String,
        in header: (name: String, prefix: String) = ("Authorization", "Bearer "),
        port: Int,
        trouble: SocketTrouble? = nil,
        struck: @escaping @Sendable (FaultKind, Int?) -> Void = { _, _ in },
        takes: @escaping @Sendable (_ path: String) -> Bool,
        begin: @escaping @Sendable (_ connection: Int, _ faults: SplitMix?) -> Conversation,
        ended: @escaping @Sendable (Conversation) -> Void,
        events: @escaping @Sendable (RealtimeSimulator.Event) -> Void
    ) {
        self.init(
            port: port,
            trouble: trouble,
            struck: struck,
            accepts: { head in
                head.headers.first(name: header.name) == header.prefix + key && takes(RequestTarget(head.uri).path)
            },
            begin: begin,
            ended: ended,
            events: events
        )
    }

    /// Starts to listen and returns the port; throws if the port is taken.
    package func start() async throws -> Int {
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

    /// TCP connections so far.
    package var attempts: Int { state.withLock { $0.attempts } }

    /// Ends the faults of connections that begin from now on. Open connections keep theirs.
    package func calmDown() { state.withLock { $0.isCalm = true } }

    private var activeTrouble: SocketTrouble? { state.withLock { $0.isCalm } ? nil : trouble }

    /// Closes the listener and every connection.
    package func stop() async {
        let channels = state.withLock { state in
            let open = Array(state.channels.values) + (state.listener.map { [$0] } ?? [])
            state.listener = nil
            return open
        }
        for channel in channels { try? await channel.close().get() }
    }

    private func configure(_ channel: any Channel) throws {
        let attempt = state.withLock { state in
            state.attempts += 1
            return state.attempts
        }
        let trouble = activeTrouble
        let plan = trouble?.plan(attempt)
        var (accepts, plain) = (accepts, plain)
        switch plan?.opening {
        case .hang:
            struck(.hangsAtUpgrade, nil)
            // The messages are read but not answered.
            channel.eventLoop.scheduleTask(in: .seconds(20)) { channel.close(promise: nil) }
            return
        case .cut:
            struck(.cutAtUpgrade, nil)
            channel.eventLoop.scheduleTask(in: .milliseconds(2)) { channel.close(promise: nil) }
            return
        case .garbage:
            struck(.garbageAtUpgrade, nil)
            channel.eventLoop.scheduleTask(in: .milliseconds(2)) {
                channel.writeAndFlush(ByteBuffer(string: "SSH-2.0-OpenSSH_9.2\r\n\r\n"), promise: nil)
            }
            return
        case .refuse(let status):
            struck(.refused, nil)
            accepts = { _ in false }
            let refusal = trouble?.refusal(status) ?? status
            plain = { UpgradeRefusalHandler(status: refusal) }
        case .sound, .silent, .invalidKey, .rejectSettings, .lateSettings, nil: break
        }
        let faults = plan.map { SocketFaults($0, errors: trouble?.errors ?? []) }
        let upgrader = self.upgrader(accepts, faults)
        let upgrade: NIOHTTPServerUpgradeConfiguration = (
            upgraders: [upgrader],
            completionHandler: { context in
                context.pipeline.syncOperations.removeHandler(name: UpgradeRefusalHandler.name, promise: nil)
            }
        )
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withServerUpgrade: upgrade)
        try channel.pipeline.syncOperations.addHandler(plain(), name: UpgradeRefusalHandler.name)
    }

    private func upgrader(
        _ accepts: @escaping @Sendable (HTTPRequestHead) -> Bool,
        _ faults: SocketFaults?
    ) -> NIOWebSocketServerUpgrader {
        NIOWebSocketServerUpgrader(
            maxFrameSize: 1 << 25,
            shouldUpgrade: { channel, head in
                channel.eventLoop.makeSucceededFuture(accepts(head) ? HTTPHeaders() : nil)
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture { try self.upgrade(channel, faults) }
            }
        )
    }

    private func upgrade(_ channel: any Channel, _ faults: SocketFaults?) throws {
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
        // A sound connection has no faults of the protocol either; its number may be lower than that of its attempt.
        let own = faults == nil ? nil : activeTrouble?.own(number)
        try channel.pipeline.syncOperations.addHandlers([
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1024, maxAccumulatedFrameSize: 1 << 25
            ),
            SocketConversationHandler(begin(number, own), faults) { traffic in
                self.note(traffic, number)
            },
        ])
    }

    private func note(_ traffic: SocketConversationHandler<Conversation>.Traffic, _ number: Int) {
        switch traffic {
        case .received(let event): events(.client(connection: number, Conversation.recorded(event)))
        case .sent(let event): events(.server(connection: number, Conversation.recorded(event)))
        case .closing(let code): events(.closing(connection: number, code: code))
        case .ended(let conversation): ended(conversation)
        case .struck(let kind): struck(kind, number)
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
        case struck(FaultKind)
    }

    private var faults: SocketFaults?
    private var conversation: Conversation
    private let traffic: (Traffic) -> Void
    private let began = NIODeadline.now()
    private var ticks: RepeatedTask?
    private var isClosing = false

    init(_ conversation: Conversation, _ faults: SocketFaults?, traffic: @escaping (Traffic) -> Void) {
        self.conversation = conversation
        self.faults = faults
        self.traffic = traffic
    }

    private var now: Int { Int((NIODeadline.now() - began).nanoseconds / 1_000_000) }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let pace = TimeAmount.milliseconds(20)
        ticks = context.eventLoop.scheduleRepeatedTask(initialDelay: pace, delay: pace) { _ in
            let (handler, context) = bound.value
            guard context.channel.isActive else { return }
            handler.receive(nil, context)
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
            receive(String(buffer: frame.unmaskedData), context)
        case .ping where faults?.isDead == true: break
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

    /// - Parameter text: nil: what could not be read until now.
    private func receive(_ text: String?, _ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        let texts = faults == nil ? text.map { [$0] } ?? [] : faults?.read(text, at: now) ?? []
        for text in texts {
            if let event = SimulatedJSON(text: text) { traffic(.received(event)) }
            perform(conversation.receive(text, at: now), context)
        }
    }

    private func perform(_ outputs: [SocketOutput], _ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        let outputs = faults == nil ? outputs : faults?.write(outputs, at: now) ?? []
        for kind in (faults?.takeStruck() ?? []) + conversation.takeStruck() { traffic(.struck(kind)) }
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
            case .end(let code, let reason):
                isClosing = true
                var body = ByteBuffer()
                body.writeInteger(UInt16(code))
                body.writeString(reason)
                write(.connectionClose, body, context)
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
