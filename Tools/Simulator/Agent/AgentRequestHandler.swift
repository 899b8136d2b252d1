internal import NIOCore
internal import NIOHTTP1

/// Serves the requests of one connection, one at a time.
final class AgentRequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// Largest accepted body, in bytes; the agent's own limit.
    private static let bodyLimit = 50 << 20

    /// What happens to the connection after the answer.
    private enum Ending {
        case normal
        case cutAfterHalf
        case cutBefore
    }

    private let agent: AgentStandIn
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    /// The request in progress: its serial number on this connection and its number in the record.
    private var pending: (serial: Int, number: Int?)?
    private var serial = 0

    init(agent: AgentStandIn) {
        self.agent = agent
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.removeAll()
        case .body(let buffer):
            if body.count + buffer.readableBytes <= Self.bodyLimit {
                body.append(contentsOf: buffer.readableBytesView)
            }
        case .end:
            guard let head else { return }
            self.head = nil
            serve(head, context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func leave() {
        if let pending { agent.abandoned(pending.number) }
        pending = nil
    }

    private func serve(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        // A second request before the first is answered: pipelining is not supported.
        guard pending == nil else { return context.close(promise: nil) }
        let request = AgentRequest(
            method: head.method.rawValue,
            target: head.uri,
            headers: head.headers.map { ($0.name, $0.value) },
            body: body,
            arrival: ContinuousClock.now
        )
        body.removeAll()
        let (number, decision) = agent.arrived(request)
        serial += 1
        pending = (serial, number)
        switch decision {
        case .answer(let answer): write(answer, .normal, context)
        case .run(let session, _, let named):
            let behaviour = agent.behaviour(request)
            let delay = TimeAmount.milliseconds(Int64(max(0, behaviour.delayMilliseconds)))
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            let mine = serial
            context.eventLoop.scheduleTask(in: delay) {
                let (handler, context) = bound.value
                guard handler.pending?.serial == mine else { return }
                handler.end(behaviour.outcome, session: session, named: named, context)
            }
        }
    }

    private func end(
        _ outcome: AgentBehaviour.Outcome,
        session: String,
        named: Bool,
        _ context: ChannelHandlerContext
    ) {
        func reply(_ words: String, _ reason: String = "stop") -> AgentModel.Answer {
            agent.finish(session: session, named: named, words: words, reason: reason)
        }
        let json = ["Content-Type": "application/json"]
        switch outcome {
        case .reply(let words): write(reply(words), .normal, context)
        case .replyAfterTools(let words): write(reply(words, "tool_calls"), .normal, context)
        case .emptyReply: write(reply(""), .normal, context)
        case .status(let status, let type, let message): write(.error(status, type, message), .normal, context)
        case .plain(let status, let text):
            write(.init(status: status, headers: ["Content-Type": "text/plain"], body: text), .normal, context)
        case .busy:
            write(
                .error(409, "conflict_error", "session is busy processing another request"), .normal, context
            )
        case .html: write(AgentModel.page, .normal, context)
        case .redirect(let location):
            write(.init(status: 307, headers: ["Location": location], body: ""), .normal, context)
        case .notJSON: write(.init(status: 200, headers: json, body: "this is not JSON {"), .normal, context)
        case .huge(let bytes): write(reply(String(repeating: "word ", count: bytes / 5)), .normal, context)
        case .silence: break
        case .cutMidBody: write(reply("This answer never arrives whole."), .cutAfterHalf, context)
        case .cut: write(.init(status: 200, headers: [:], body: ""), .cutBefore, context)
        }
    }

    private func write(_ answer: AgentModel.Answer, _ ending: Ending, _ context: ChannelHandlerContext) {
        agent.answered(pending?.number)
        pending = nil
        guard case .normal = ending else {
            if case .cutAfterHalf = ending { writeHead(answer, context) }
            if case .cutAfterHalf = ending { writeBody(answer.body.utf8.prefix(answer.body.utf8.count / 2), context) }
            context.flush()
            return context.close(promise: nil)
        }
        writeHead(answer, context)
        writeBody(answer.body.utf8[...], context)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    private func writeHead(_ answer: AgentModel.Answer, _ context: ChannelHandlerContext) {
        var headers = HTTPHeaders(answer.headers.map { ($0.key, $0.value) })
        headers.replaceOrAdd(name: "Content-Length", value: "\(answer.body.utf8.count)")
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: answer.status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func writeBody(_ bytes: Substring.UTF8View, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
    }
}
