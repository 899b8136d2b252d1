internal import NIOCore
internal import NIOHTTP1

/// Serves the requests of one connection to a `RunningAgent`, one at a time.
final class RunningAgentHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let agent: RunningAgent
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var follows: (run: String, sent: Int)?
    private var isOpen = true

    init(agent: RunningAgent) {
        self.agent = agent
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.removeAll()
        case .body(let buffer): body.append(contentsOf: buffer.readableBytesView)
        case .end:
            guard let head else { return }
            self.head = nil
            serve(head, context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        follows = nil
        isOpen = false
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func serve(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let request = AgentRequest(
            method: head.method.rawValue,
            target: head.uri,
            headers: head.headers.map { ($0.name, $0.value) },
            body: body,
            arrival: ContinuousClock.now
        )
        carryOut(agent.decide(request), request, context)
    }

    private func carryOut(
        _ decision: AgentRuns.Decision?,
        _ request: AgentRequest,
        _ context: ChannelHandlerContext
    ) {
        switch decision {
        case nil: write(request.method == "GET" ? AgentModel.page : .error(405, "invalid_request_error", "no"), context)
        case .answer(let answer): write(answer, context)
        case .block:
            // Stops once the client is gone.
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: .milliseconds(5)) {
                let (handler, context) = bound.value
                guard handler.isOpen else { return }
                handler.carryOut(handler.agent.decideAgain(request), request, context)
            }
        case .follow(let run, let after, let isNew):
            let headers: HTTPHeaders = ["Content-Type": "text/event-stream", "x-response-id": run]
            context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: .ok, headers: headers))), promise: nil)
            follows = (run, after)
            if isNew { agent.drive(run) }
            pump(context)
        }
    }

    /// Writes the frames that the run has added since the last call.
    private func pump(_ context: ChannelHandlerContext) {
        guard let (run, sent) = follows else { return }
        guard let (frames, hasEnded) = agent.frames(run, after: sent) else { return context.close(promise: nil) }
        for frame in frames {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: frame)))), promise: nil)
        }
        follows = (run, sent + frames.count)
        if hasEnded {
            follows = nil
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            return agent.wrote(run, frames: sent + frames.count)
        }
        context.flush()
        agent.wrote(run, frames: sent + frames.count)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(5)) {
            let (handler, context) = bound.value
            handler.pump(context)
        }
    }

    private func write(_ answer: AgentModel.Answer, _ context: ChannelHandlerContext) {
        var headers = HTTPHeaders(answer.headers.map { ($0.key, $0.value) })
        headers.replaceOrAdd(name: "Content-Length", value: "\(answer.body.utf8.count)")
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: answer.status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
