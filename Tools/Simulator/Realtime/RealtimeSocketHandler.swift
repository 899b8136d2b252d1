internal import Glibc
internal import NIOCore
internal import NIOWebSocket

/// Connects one WebSocket to one `SimulatedSession`.
///
/// Runs only on its event loop. The session's actions are performed in order; its timers run on the loop.
final class RealtimeSocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// Traffic on the wire.
    enum Traffic {
        case received(SimulatedJSON)
        case sent(SimulatedJSON, line: String)
        /// The client's close frame.
        case closing(code: Int?)
        case fault(FaultKind)
    }

    private var session: SimulatedSession
    private let refusal: SimulatedRefusal?
    private let traffic: (Traffic) -> Void
    private let pingSeconds: Int
    private var pings: RepeatedTask?
    private var isClosing = false
    /// Whether the handler ignores input. It keeps reading, so that it sees the client leave.
    private var isSilent = false
    /// Actions held back until a stall ends; nil without a stall.
    private var held: [SimulatedAction]?

    init(
        session: SimulatedSession,
        refusal: SimulatedRefusal?,
        pingSeconds: Int,
        traffic: @escaping (Traffic) -> Void
    ) {
        self.pingSeconds = pingSeconds
        self.session = session
        self.refusal = refusal
        self.traffic = traffic
    }

    func handlerAdded(context: ChannelHandlerContext) {
        perform(session.open(refusal: refusal), context)
        guard pingSeconds > 0 else { return }
        let interval = TimeAmount.seconds(Int64(pingSeconds))
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        pings = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            let (handler, context) = bound.value
            guard !handler.isClosing, !handler.isSilent, context.channel.isActive else { return }
            let ping = WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer())
            context.writeAndFlush(handler.wrapOutboundOut(ping), promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // The repeated task retains the handler, so both would leak without this.
        pings?.cancel()
        pings = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isSilent else { return }
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text:
            guard !isClosing else { return }
            let text = String(buffer: frame.unmaskedData)
            if let event = SimulatedJSON(text: text) { traffic(.received(event)) }
            perform(session.receive(text), context)
        case .binary:
            guard !isClosing else { return }
            perform(session.receiveBinary(), context)
        case .ping:
            guard held == nil else { return }
            let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .connectionClose:
            var body = frame.unmaskedData
            traffic(.closing(code: body.readInteger(as: UInt16.self).map { Int($0) }))
            if isClosing {
                context.close(promise: nil)
            } else {
                isClosing = true
                let answer = WebSocketFrame(fin: true, opcode: .connectionClose, data: frame.unmaskedData)
                context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
                close(context, afterMilliseconds: 0)
            }
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func perform(_ actions: [SimulatedAction], _ context: ChannelHandlerContext) {
        for action in actions {
            guard !isClosing, !isSilent else { break }
            guard held == nil else {
                held?.append(action)
                continue
            }
            switch action {
            case .report(let fault): traffic(.fault(fault))
            case .sendText(let text): write(.text, ByteBuffer(string: text), context)
            case .sendBinary(let bytes): write(.binary, ByteBuffer(bytes: bytes), context)
            case .stallWriting(let milliseconds): stallWriting(milliseconds, context)
            case .stallReading(let milliseconds): stallReading(milliseconds, context)
            case .fallSilent: isSilent = true
            case .reset:
                isClosing = true
                context.flush()
                reset(context)
            case .send(let event):
                let line = event.text
                traffic(.sent(event, line: line))
                let frame = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: line))
                context.write(wrapOutboundOut(frame), promise: nil)
            case .after(let milliseconds, let timer): wait(milliseconds, timer, context)
            case .close(let code, let reason):
                isClosing = true
                var data = ByteBuffer()
                data.write(webSocketErrorCode: WebSocketErrorCode(codeNumber: code))
                // A close frame holds at most 125 bytes (RFC 6455 section 5.5).
                data.writeBytes(reason.utf8.prefix(123))
                context.write(
                    wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: data)), promise: nil
                )
                // Waits for the client's close frame, for one second at most.
                close(context, afterMilliseconds: 1000)
            case .drop:
                isClosing = true
                context.flush()
                close(context, afterMilliseconds: 0)
            }
        }
        context.flush()
    }

    private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: nil)
    }

    private func stallWriting(_ milliseconds: Int, _ context: ChannelHandlerContext) {
        context.flush()
        held = []
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(Int64(milliseconds))) {
            let (handler, context) = bound.value
            let actions = handler.held ?? []
            handler.held = nil
            guard context.channel.isActive else { return }
            handler.perform(actions, context)
        }
    }

    private func stallReading(_ milliseconds: Int, _ context: ChannelHandlerContext) {
        let channel = context.channel
        channel.setOption(.autoRead, value: false).whenFailure { _ in }
        channel.eventLoop.scheduleTask(in: .milliseconds(Int64(milliseconds))) {
            channel.setOption(.autoRead, value: true).whenFailure { _ in }
        }
    }

    /// Closes and discards unsent data, which the peer sees as a reset.
    private func reset(_ context: ChannelHandlerContext) {
        let channel = context.channel
        guard let options = channel as? any SocketOptionProvider else { return channel.close(promise: nil) }
        options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
    }

    private func wait(_ milliseconds: Int, _ timer: SimulatedTimer, _ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(Int64(milliseconds))) {
            let (handler, context) = bound.value
            guard !handler.isClosing, context.channel.isActive else { return }
            handler.perform(handler.session.fire(timer), context)
        }
    }

    private func close(_ context: ChannelHandlerContext, afterMilliseconds delay: Int) {
        let channel = context.channel
        guard delay > 0 else { return channel.close(promise: nil) }
        channel.eventLoop.scheduleTask(in: .milliseconds(Int64(delay))) { channel.close(promise: nil) }
    }
}
