internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// The listening socket of a simulated HTTP/1.1 server on 127.0.0.1, and its connections.
final class LoopbackListener: Sendable {
    private struct State {
        var listener: (any Channel)?
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state = Mutex(State())

    /// Starts to listen and returns the port; throws if the port is taken.
    ///
    /// - Parameters:
    ///   - port: 0 takes any free one.
    ///   - handler: creates the handler of a connection.
    func start(port: Int = 0, handler: @escaping @Sendable () -> any ChannelHandler) async throws -> Int {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                self.track(channel)
                return channel.eventLoop.makeCompletedFuture {
                    // Without pipelining assistance the channel keeps reading, and so sees a client that leaves.
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
                    try channel.pipeline.syncOperations.addHandler(handler())
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        state.withLock { $0.listener = listener }
        return listener.localAddress?.port ?? 0
    }

    /// Closes the socket and every connection.
    func stop() async {
        let listener = state.withLock { state in
            defer { state.listener = nil }
            return state.listener
        }
        try? await listener?.close().get()
        await cut()
    }

    /// Closes every connection.
    func cut() async {
        let channels = state.withLock { Array($0.channels.values) }
        for channel in channels { try? await channel.close().get() }
    }

    private func track(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        state.withLock { $0.channels[id] = channel }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { _ = $0.channels.removeValue(forKey: id) }
        }
    }
}
