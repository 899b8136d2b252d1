internal import NIOCore
internal import NIOPosix
internal import VoiceBase

/// Splits the daemon's bytes into lines.
struct LineDecoder: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    /// A longer line ends the connection; a status has some 50 KB.
    static let longestLine = 1 << 20

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) -> DecodingState {
        guard let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")),
            let line = buffer.readSlice(length: end - buffer.readerIndex)
        else { return .needMoreData }
        buffer.moveReaderIndex(forwardBy: 1)
        context.fireChannelRead(wrapInboundOut(line))
        return .continue
    }

    mutating func decodeLast(context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool) -> DecodingState {
        buffer.clear()
        return .needMoreData
    }
}

extension JSONValue {
    /// nil if it is not JSON, too long or nested too deeply.
    static func parse(_ bytes: ByteBuffer, atMost limit: Int = LineDecoder.longestLine) -> JSONValue? {
        OutsideJSON.decode(JSONValue.self, from: bytes.readableBytesView, atMost: limit)
    }
}

/// One connection to the daemon: checks its greeting, sends one request, hands over the lines that follow.
final class DaemonLines: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let onLine: (JSONValue, ByteBuffer) -> String?
    private let onEnd: (String) -> Void
    private var request: JSONValue
    /// nil before the greeting and after the end.
    private var context: ChannelHandlerContext?
    private var end = "the daemon closed the connection"

    private init(
        request: JSONValue,
        onLine: @escaping (JSONValue, ByteBuffer) -> String?,
        onEnd: @escaping (String) -> Void
    ) {
        self.request = request
        self.onLine = onLine
        self.onEnd = onEnd
    }

    /// Connects, on the loop it is called on.
    ///
    /// - Parameters:
    ///   - patience: the longest silence, and the longest time to connect.
    ///   - mayBeSilent: whether silence does not end the connection, because another connection watches the daemon.
    ///   - onLine: gets every line after the greeting, parsed and as received; returns a reason to make it the last line, or nil.
    ///   - onEnd: is called once, with the reason in one line.
    @discardableResult static func open(
        _ path: String,
        on loop: any EventLoop,
        sending request: JSONValue,
        patience: TimeAmount,
        mayBeSilent: Bool = false,
        onLine: @escaping (JSONValue, ByteBuffer) -> String?,
        onEnd: @escaping (String) -> Void
    ) -> DaemonLines {
        let lines = DaemonLines(request: request, onLine: onLine, onEnd: onEnd)
        let bound = NIOLoopBound(lines, eventLoop: loop)
        ClientBootstrap(group: loop)
            .connectTimeout(patience)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandlers([
                        IdleStateHandler(readTimeout: mayBeSilent ? nil : patience),
                        ByteToMessageHandler(LineDecoder(), maximumBufferSize: LineDecoder.longestLine),
                        bound.value,
                    ])
                }
            }
            .connect(unixDomainSocketPath: path)
            .whenFailure { error in
                let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
                bound.value.onEnd("\(path): \(reason)")
            }
        return lines
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        // A carriage return would end a line of the browsers' stream; JSON needs none.
        guard let line = JSONValue.parse(bytes), !bytes.readableBytesView.contains(UInt8(ascii: "\r")) else {
            return close(context, "the daemon sent a line that is not JSON")
        }
        guard self.context == nil else {
            if let reason = onLine(line, bytes) { close(context, reason) }
            return
        }
        guard line["hello"] == "jarvis-voiced" else {
            return close(context, line["error"]?["message"]?.stringValue ?? "the socket is not jarvis-voiced's")
        }
        guard line["protocol"]?.intValue ?? 0 >= 2 else {
            return close(context, "the daemon is older than this program: restart jarvis-voiced")
        }
        self.context = context
        send(request)
    }

    /// Sends another request, in place of the first if that is not sent yet.
    func send(_ request: JSONValue) {
        guard let context else {
            self.request = request
            return
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request.line + "\n")), promise: nil)
    }

    /// Ends the connection of a browser that has left.
    func leave() { if let context { close(context, "the browser has left") } }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { close(context, "the daemon says nothing: it may hang") }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close(context, "\(error)") }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        onEnd(end)
    }

    private func close(_ context: ChannelHandlerContext, _ reason: String) {
        end = reason
        context.close(promise: nil)
    }
}
