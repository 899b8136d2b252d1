internal import Glibc
internal import NIOCore
internal import NIOHTTP1

/// Serves one connection of the media server.
final class MediaRequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// Audio bytes between two titles (ICY "icy-metaint").
    private static let titleInterval = 4000

    private let server: MediaServer
    private var head: HTTPRequestHead?
    private var ticks: RepeatedTask?
    private var reset: Scheduled<Void>?
    /// Bytes still to be sent; repeated if `isEndless`.
    private var body: [UInt8] = []
    private var offset = 0
    private var isEndless = false
    private var perTick = 0
    private var titles: [String] = []
    private var untilTitle = 0
    private var titlesSent = 0

    init(server: MediaServer) { self.server = server }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head else { return }
            self.head = nil
            answer(head, context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        ticks?.cancel()
        ticks = nil
        reset?.cancel()
        context.fireChannelInactive()
    }

    private func answer(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        switch server.reply(to: request.uri) {
        case .file(let type, let bytes, let headers):
            var fields: [(String, String)] = [("Content-Type", type), ("Accept-Ranges", "bytes")]
            fields += headers.map { ($0.key, $0.value) }
            let range = Self.range(request.headers.first(name: "Range"), of: bytes.count)
            if let range {
                let last = range.upperBound - 1
                fields.append(("Content-Range", "bytes \(range.lowerBound)-\(last)/\(bytes.count)"))
            }
            let rest = bytes[range ?? bytes.indices]
            fields.append(("Content-Length", "\(rest.count)"))
            begin(range == nil ? .ok : .partialContent, fields, context)
            write(rest, context)
            end(context)
        case .redirect(let place):
            begin(.found, [("Location", place), ("Content-Length", "0")], context)
            end(context)
        case .status(let code):
            begin(HTTPResponseStatus(statusCode: code), [("Content-Length", "0")], context)
            end(context)
        case .broken(let type, let bytes, let stalls):
            begin(.ok, [("Content-Type", type), ("Content-Length", "\(bytes.count * 2 + 1_000_000)")], context)
            write(bytes[...], context)
            context.flush()
            if !stalls { context.close(promise: nil) }
        case .reset(let type, let bytes, let whole):
            begin(.ok, [("Content-Type", type), ("Content-Length", "\(bytes.count * 2 + 1_000_000)")], context)
            write(bytes[...], context)
            context.flush()
            let channel = context.channel
            let (server, path) = (server, request.uri)
            reset = context.eventLoop.scheduleTask(in: .milliseconds(500)) {
                server.serve(path, .file(type: type, whole))
                (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                    .whenComplete { _ in channel.close(promise: nil) }
            }
        case .huge(let type, let bytes, let length):
            begin(.ok, [("Content-Type", type), ("Content-Length", "\(length)")], context)
            (body, perTick, isEndless) = (bytes, 4 << 20, true)
            startTicks(context)
        case .endless(let type, let bytes, let perTick, let titles):
            let wantsTitles = request.headers.first(name: "Icy-MetaData") == "1" && !titles.isEmpty
            var fields = [("Content-Type", type), ("icy-name", "Test Station")]
            if wantsTitles { fields.append(("icy-metaint", "\(Self.titleInterval)")) }
            begin(.ok, fields, context)
            (body, self.perTick, isEndless) = (bytes, perTick, true)
            self.titles = wantsTitles ? titles : []
            untilTitle = Self.titleInterval
            startTicks(context)
        case .drip(let type, let bytes, let perTick):
            begin(.ok, [("Content-Type", type), ("Content-Length", "\(bytes.count)")], context)
            (body, self.perTick, isEndless) = (bytes, perTick, false)
            startTicks(context)
        }
    }

    private func startTicks(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        ticks = context.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(100)) { _ in
            bound.value.0.tick(bound.value.1)
        }
    }

    private func tick(_ context: ChannelHandlerContext) {
        guard context.channel.isWritable, !body.isEmpty else { return }
        var left = perTick
        while left > 0 {
            var count = min(left, body.count - offset)
            if !titles.isEmpty { count = min(count, untilTitle) }
            write(body[offset..<offset + count], context)
            offset += count
            left -= count
            untilTitle -= count
            if !titles.isEmpty, untilTitle == 0 {
                write(title()[...], context)
                untilTitle = Self.titleInterval
            }
            guard offset == body.count else { continue }
            offset = 0
            if !isEndless {
                ticks?.cancel()
                return end(context)
            }
        }
        context.flush()
    }

    /// A block of ICY metadata: its length in units of 16 bytes, then the text, padded with zeros.
    private func title() -> [UInt8] {
        let text = Array("StreamTitle='\(titles[min(titlesSent, titles.count - 1)])';".utf8)
        titlesSent += 1
        let blocks = (text.count + 15) / 16
        return [UInt8(blocks)] + text + [UInt8](repeating: 0, count: blocks * 16 - text.count)
    }

    private func begin(_ status: HTTPResponseStatus, _ fields: [(String, String)], _ context: ChannelHandlerContext) {
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: HTTPHeaders(fields))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func write(_ bytes: ArraySlice<UInt8>, _ context: ChannelHandlerContext) {
        server.count(bytes.count)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
    }

    private func end(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    /// The bytes of "bytes=100-" and "bytes=100-199"; nil without a valid range.
    private static func range(_ header: String?, of count: Int) -> Range<Int>? {
        guard let header, header.hasPrefix("bytes="), let dash = header.firstIndex(of: "-"),
            let first = Int(header[..<dash].dropFirst("bytes=".count)), first < count
        else { return nil }
        let last = Int(header[header.index(after: dash)...]) ?? count - 1
        return last < first ? nil : first..<min(count, last + 1)
    }
}
