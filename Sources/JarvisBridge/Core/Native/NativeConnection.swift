internal import NIOCore
internal import VoiceBase

/// One connection of Home Assistant, on the event loop: passes received bytes to `NativeWire` and `NativeMachine`, and
/// carries out their effects.
final class NativeConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How long a client may take to identify itself.
    static let patience = TimeAmount.seconds(20)

    private let server: NativeServer
    private var wire: NativeWire
    private var machine: NativeMachine
    /// nil before the connection is open and after its end.
    private var context: ChannelHandlerContext?
    /// Cancelled at the end, because it holds the connection and the bytes of a stranger.
    private var deadline: Scheduled<Void>?

    init(_ server: NativeServer) {
        self.server = server
        (wire, machine) = server.newConnection()
    }

    /// The address of the other side.
    var address: String? { context?.remoteAddress?.ipAddress }

    func channelActive(context: ChannelHandlerContext) {
        // Home Assistant tries again, and shows the box as unavailable until then.
        guard server.isReady else { return context.close(promise: nil) }
        self.context = context
        server.connected(self, from: context.remoteAddress?.ipAddress ?? "")
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: Self.patience) {
            if !bound.value.machine.isGreeted { bound.value.close() }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let wasGreeted = machine.isGreeted
        let outputs = wire.receive(unwrapInboundIn(data).readableBytesView)
        for output in outputs {
            switch output {
            case .send(let bytes): write(bytes)
            case .message(let message):
                handle(.message(message))
                guard self.context != nil else {
                    if case .close(let reason)? = outputs.last { server.refused(reason) }
                    return
                }
            case .close(let reason):
                server.refused(reason)
                close()
            }
        }
        if machine.isGreeted, !wasGreeted { server.isKnown(self) }
        self.context?.flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        deadline?.cancel()
        server.disconnected(self)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { handle(.silence) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close() }

    /// Does nothing after the end of the connection.
    func handle(_ event: NativeMachine.Event) {
        guard context != nil else { return }
        for effect in machine.handle(event) {
            switch effect {
            case .send(let message):
                guard let bytes = wire.send(message) else { return close() }
                write(bytes)
            case .order(let entity, let order): server.give(order, of: entity, for: self)
            case .announce(let number, let addresses): server.announce(addresses, number, for: self)
            case .assist(let message): server.assist.hear(message, from: self)
            case .question(let isDone): server.assist.ask(from: self, isDone: isDone)
            case .log(let line): server.note(line)
            case .close: return close()
            }
        }
        context?.flush()
    }

    /// Sends a message of the pipeline.
    func tell(_ message: NativeMessage) {
        guard context != nil else { return }
        guard let bytes = wire.send(message) else { return close() }
        write(bytes)
        context?.flush()
    }

    private func write(_ bytes: [UInt8]) {
        guard let context else { return }
        // A client that does not read is disconnected, so that no messages pile up.
        guard context.channel.isWritable else { return close() }
        context.write(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }

    func close() {
        guard let context else { return }
        self.context = nil
        context.flush()
        context.close(promise: nil)
    }
}
