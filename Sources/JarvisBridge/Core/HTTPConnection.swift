internal import NIOCore
internal import NIOHTTP1
internal import VoiceBase

/// One connection of a browser: a request at a time, or an event stream until it ends.
final class HTTPConnection: ChannelInboundHandler, Tab {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// Largest body, in bytes: the daemon's longest request.
    private static let largestBody = 16 << 10
    /// How long a request, or the pause before it, may take.
    private static let patience = TimeAmount.seconds(15)
    /// How long a tab may leave its waiting bytes unread.
    private static let tabPatience = TimeAmount.seconds(30)

    /// Headers of every answer.
    private static let safety: [(String, String)] = [
        (
            "Content-Security-Policy",
            "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    private enum Phase {
        case waiting
        case reading(BridgeGate.Verdict)
        /// Everything else the browser sends on this connection ends it.
        case answering
        case streaming
    }

    private let hub: BridgeHub
    private var context: ChannelHandlerContext?
    private var phase = Phase.waiting
    private var staysOpen = true
    /// From the head of the request: a client of HTTP/1.0 knows no chunks, and the answer to HEAD has no body.
    private var version = HTTPVersion.http1_1
    private var isHead = false
    private var takesGzip = false
    private var body = ByteBuffer()
    private var deadline: Scheduled<Void>?
    /// Ends the daemon's answer that is being read here.
    private var leave: (() -> Void)?
    /// Changes this tab did not get, and since when it reads nothing.
    private var missed = 0
    private var blockedSince: NIODeadline?

    init(hub: BridgeHub) { self.hub = hub }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        setDeadline(context)
        let network = context.remoteAddress?.ipAddress.flatMap(IPAddress.init)?.network ?? []
        hub.connected(self, from: network)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        hub.disconnected(self)
        deadline?.cancel()
        leave?()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    // MARK: - Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), phase) {
        case (.head(let head), .waiting):
            body.clear()
            version = head.version == .http1_0 ? .http1_0 : .http1_1
            staysOpen = head.isKeepAlive && version == .http1_1
            isHead = head.method == .HEAD
            takesGzip = Self.takesGzip(head.headers["Accept-Encoding"])
            phase = .reading(hub.gate.judge(self.head(head, context)))
            // RFC 9110, section 10.1.1: the client may wait for it before it sends the body.
            if version == .http1_1, head.headers["Expect"].contains(where: { $0.lowercased() == "100-continue" }) {
                context.writeAndFlush(wrapOutboundOut(.head(.init(version: version, status: .continue))), promise: nil)
            }
        case (.body(let part), .reading):
            guard body.readableBytes + part.readableBytes <= Self.largestBody else {
                staysOpen = false
                phase = .answering
                return answer(413, "the body is too large")
            }
            body.writeImmutableBuffer(part)
        case (.end, .reading(let verdict)):
            deadline?.cancel()
            phase = .answering
            act(verdict)
        default: context.close(promise: nil)
        }
    }

    private func head(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> BridgeGate.Head {
        func only(_ name: String) -> String? {
            let values = head.headers[name]
            return values.count == 1 ? values.first : nil
        }
        let host = only("Host") ?? (version == .http1_0 && !head.headers.contains(name: "Host") ? localHost : nil)
        let target = BridgeGate.target(head.uri)
        var result = BridgeGate.Head(
            method: head.method.rawValue,
            path: target.path,
            host: host == nil ? nil : target.authority ?? host,
            isLocal: context.remoteAddress?.ipAddress.flatMap(IPAddress.init)?.isLoopback == true
                && !head.headers.contains { BridgeGate.isOfProxy($0.name) }
        )
        // Several Origin headers match no host.
        result.origin = head.headers["Origin"].isEmpty ? nil : head.headers["Origin"].joined(separator: " ")
        result.site = only("Sec-Fetch-Site")
        result.type = only("Content-Type")
        result.authorization = only("Authorization")
        return result
    }

    /// Whether one of the codings is gzip, and not with the weight 0 (RFC 9110, section 12.5.3).
    private static func takesGzip(_ headers: [String]) -> Bool {
        headers.joined(separator: ",").lowercased().split(separator: ",").contains { coding in
            let parts = coding.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return parts.first == "gzip" && weight > 0
        }
    }

    /// The address of this machine that the client has reached: HTTP/1.0 needs no Host, and no browser speaks it.
    private var localHost: String? {
        context?.localAddress?.ipAddress.map { $0.contains(":") ? "[\($0)]" : $0 }
    }

    private func act(_ verdict: BridgeGate.Verdict) {
        switch verdict {
        case .refuse(let status, let reason): answer(status, reason)
        case .wrongToken: wrongToken()
        case .file(let path):
            guard let file = hub.files[path] else { return answer(404, "there is nothing here") }
            var more = [("Cache-Control", "no-cache"), ("Vary", "Accept-Encoding")]
            let packed = takesGzip ? file.packed : nil
            if packed != nil { more.append(("Content-Encoding", "gzip")) }
            answer(200, type: file.type, packed ?? file.bytes, more)
        case .metrics:
            let text = ByteBuffer(string: hub.metricsText())
            answer(200, type: "text/plain; version=0.0.4; charset=utf-8", text)
        case .session(let host, let old):
            guard let token = JSONValue.parse(body)?["token"]?.stringValue, hub.gate.accepts(token: token) else {
                return wrongToken()
            }
            let session = hub.signIn(host: host, replacing: old)
            hub.connections.isKnown(ObjectIdentifier(self))
            let line = JSONValue.object(["session": .string(session.revealed)]).line
            answer(200, type: "application/json", ByteBuffer(string: line))
        case .logout(let claim):
            hub.signOut(claim)
            answer(204, type: nil, ByteBuffer())
        case .command(let claim):
            guard accepts(claim) else { return answer(401, BridgeGate.signedOut) }
            leave = hub.command(body) { [self] told in
                switch told {
                case .reply(let reply): answer(200, type: "application/json", ByteBuffer(string: reply.line))
                case .begins(let reply):
                    guard let context else { return }
                    deadline?.cancel()
                    phase = .streaming
                    begin(context, type: "application/x-ndjson")
                    write(ByteBuffer(string: reply.line + "\n"))
                case .line(let bytes):
                    var line = bytes
                    line.writeStaticString("\n")
                    write(line)
                case .ended:
                    leave = nil
                    guard let context else { return }
                    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
                        context.close(promise: nil)
                    }
                }
            }
        case .events(let claim):
            guard accepts(claim) else { return answer(401, BridgeGate.signedOut) }
            stream(claim.session)
        case .wrongMethod(let allowed):
            answer(
                405, type: "text/plain; charset=utf-8", ByteBuffer(string: "\(allowed) only\n"), [("Allow", allowed)]
            )
        }
    }

    private func accepts(_ claim: BridgeGate.Claim) -> Bool {
        guard hub.accepts(claim) else { return false }
        hub.connections.isKnown(ObjectIdentifier(self))
        return true
    }

    private func wrongToken() {
        let isDelayed = hub.delayWrongToken { [self] in answer(403, "this is not the token: see jarvis-bridge link") }
        if !isDelayed { answer(429, "too many wrong tokens: try again soon") }
    }

    private func answer(_ status: Int, _ sentence: String) {
        answer(status, type: "text/plain; charset=utf-8", ByteBuffer(string: sentence + "\n"))
    }

    private func answer(_ status: Int, type: String?, _ body: ByteBuffer, _ more: [(String, String)] = []) {
        // The browser may have left in the meantime.
        guard let context else { return }
        var headers = HTTPHeaders(Self.safety + more)
        if let type { headers.add(name: "Content-Type", value: type) }
        if status != 204 { headers.add(name: "Content-Length", value: "\(body.readableBytes)") }
        if !headers.contains(name: "Cache-Control") { headers.add(name: "Cache-Control", value: "no-store") }
        if !staysOpen { headers.add(name: "Connection", value: "close") }
        let head = HTTPResponseHead(version: version, status: .init(statusCode: status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if body.readableBytes > 0, !isHead { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        let sent = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        // Also ends a browser that does not read its answer.
        setDeadline(context)
        if staysOpen {
            phase = .waiting
        } else {
            sent.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        }
    }

    private func setDeadline(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { context.close(promise: nil) }
    }

    // MARK: - Event stream

    private func stream(_ session: String) {
        guard let context else { return }
        let type = "text/event-stream"
        if isHead { return answer(200, type: type, ByteBuffer()) }
        guard hub.open(self, session: session) else { return answer(503, "too many open pages") }
        phase = .streaming
        begin(context, type: type)
        write(hub.snapshot(missed: 0))
    }

    /// Begins an answer whose length is not known.
    private func begin(_ context: ChannelHandlerContext, type: String) {
        var headers = HTTPHeaders(
            Self.safety + [
                ("Content-Type", type), ("Cache-Control", "no-store"),
                // nginx would collect the lines otherwise.
                ("X-Accel-Buffering", "no"),
            ]
        )
        if !staysOpen { headers.add(name: "Connection", value: "close") }
        context.write(wrapOutboundOut(.head(.init(version: version, status: .ok, headers: headers))), promise: nil)
    }

    func end() { context?.close(promise: nil) }

    func send(_ event: ByteBuffer) {
        guard let context else { return }
        if context.channel.isWritable { return write(event) }
        missed += 1
        let since = blockedSince ?? .now()
        blockedSince = since
        if .now() - since > Self.tabPatience { context.close(promise: nil) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard context.channel.isWritable, missed > 0 else { return }
        let snapshot = hub.snapshot(missed: missed)
        (missed, blockedSince) = (0, nil)
        write(snapshot)
    }

    private func write(_ event: ByteBuffer) {
        context?.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(event))), promise: nil)
    }
}
