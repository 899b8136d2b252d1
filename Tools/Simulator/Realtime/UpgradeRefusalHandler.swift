package import NIOCore
package import NIOHTTP1

/// Answers a request that is not a WebSocket upgrade, or an upgrade that must be refused, with a plain HTTP status.
package final class UpgradeRefusalHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias OutboundOut = HTTPServerResponsePart

    static let name = "upgrade-refusal"
    private let status: Int

    package init(status: Int) {
        self.status = status
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let body = ByteBuffer(string: #"{"error":{"message":"refused","type":"invalid_request_error"}}"#)
        let head = HTTPResponseHead(
            version: .http1_1,
            status: .init(statusCode: status),
            headers: [
                "Content-Type": "application/json", "Content-Length": "\(body.readableBytes)", "Connection": "close",
            ]
        )
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            loopBound.value.close(promise: nil)
        }
    }
}
