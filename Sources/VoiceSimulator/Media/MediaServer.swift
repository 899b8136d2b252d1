internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// A web server on 127.0.0.1 with media, and with all that goes wrong with media.
package final class MediaServer: Sendable {
    private struct State {
        var replies: [String: MediaReply] = [:]
        var requests: [String] = []
        var listener: (any Channel)?
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    /// Requests that are kept for inspection.
    package static let recordLimit = 10_000

    private let state = Mutex(State())

    package init() {}

    /// Starts to listen and returns the port.
    package func start() async throws -> Int {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                self.track(channel)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
                    try channel.pipeline.syncOperations.addHandler(MediaRequestHandler(server: self))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        state.withLock { $0.listener = listener }
        return listener.localAddress?.port ?? 0
    }

    /// Closes the listener and every connection.
    package func stop() async {
        let channels = state.withLock { state in
            defer { state.listener = nil }
            return Array(state.channels.values) + (state.listener.map { [$0] } ?? [])
        }
        for channel in channels { try? await channel.close().get() }
    }

    /// Answers a path from now on; other paths are 404.
    package func serve(_ path: String, _ reply: MediaReply) {
        state.withLock { $0.replies[path] = reply }
    }

    /// The paths asked for, in order.
    package var requests: [String] { state.withLock { $0.requests } }

    func reply(to path: String) -> MediaReply {
        state.withLock { state in
            if state.requests.count < Self.recordLimit { state.requests.append(path) }
            return state.replies[path] ?? .status(404)
        }
    }

    private func track(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        state.withLock { $0.channels[id] = channel }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in _ = state.channels.removeValue(forKey: id) }
        }
    }
}
