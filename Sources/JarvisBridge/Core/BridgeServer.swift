internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import VoiceBase

/// The program's one event loop: browsers at one end, the daemon at the other.
package enum BridgeServer {
    /// Bytes that may wait for a connection that does not read: beyond the upper mark nothing is added, below the lower
    /// one a tab gets the whole status again.
    private static let waiting = ChannelOptions.Types.WriteBufferWaterMark(low: 32 << 10, high: 256 << 10)

    /// Serves until the process ends.
    ///
    /// - Parameters:
    ///   - names: further names of this machine besides those of the configuration, in lower case.
    ///   - socket: the daemon's.
    ///   - house: nil without a broker.
    ///   - native: nil without the native API.
    ///   - ready: is called once the port is open.
    ///   - log: gets one line for people; no token is in it.
    /// - Throws: why it cannot listen, or no longer does.
    package static func run(
        _ configuration: BridgeConfiguration,
        names: [String],
        socket: String,
        house: House?,
        native: NativeBox?,
        secrets: BridgeSecrets,
        sessions: SessionFile,
        files: [String: PageFile],
        ready: () -> Void,
        log: @escaping @Sendable (String) -> Void
    ) throws {
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let parts = loop.submit { () throws -> NIOLoopBound<(hub: BridgeHub, native: NativeServer?)> in
            let hub = BridgeHub(
                loop: loop, gate: BridgeGate(hosts: configuration.hosts + names, secrets: secrets), files: files,
                socket: socket, sessions: sessions, log: log
            )
            if let house {
                let observer = HouseObserver(house, loop: loop, socket: socket, log: log)
                hub.add(observer)
                try observer.start(house)
            }
            let native = native.map { NativeServer($0, loop: loop, socket: socket, log: log) }
            if let native { hub.add(native) }
            hub.follow()
            return NIOLoopBound((hub, native), eventLoop: loop)
        }
        let page = parts.flatMap { (parts: NIOLoopBound<(hub: BridgeHub, native: NativeServer?)>) in
            ServerBootstrap(group: loop)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                // The kernel would otherwise keep megabytes for each.
                .childChannelOption(.socketOption(.so_sndbuf), value: 128 << 10)
                .childChannelOption(.writeBufferWaterMark, value: waiting)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        // A second request during the first ends the connection, so pipelining needs no help, and without
                        // it a browser that leaves is noticed.
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                            withPipeliningAssistance: false, withEncoderConfiguration: .init(),
                            withDecoderLimitConfiguration: limits
                        )
                        try channel.pipeline.syncOperations.addHandler(HTTPConnection(hub: parts.value.hub))
                    }
                }
                .bind(host: configuration.listen, port: configuration.port)
        }
        let channel = try listening(page, at: configuration.listen, configuration.port)
        if let native {
            let listener = parts.flatMap { $0.value.native?.start() ?? page }
            _ = try listening(listener, at: native.settings.listen, native.settings.port)
        }
        ready()
        try channel.closeFuture.wait()
    }

    /// - Throws: why it does not listen.
    private static func listening(
        _ channel: EventLoopFuture<any Channel>,
        at address: String,
        _ port: Int
    ) throws -> any Channel {
        do {
            return try channel.wait()
        } catch let error as IOError {
            let reason = String(cString: strerror(error.errnoCode))
            throw BridgeConfiguration.Problem("cannot listen at \(address), port \(port): \(reason)")
        }
    }

    private static var limits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 8 << 10
        limits.maxHeaderListSize = 16 << 10
        limits.maxHeaderFieldCount = 64
        return limits
    }

    /// The first address of this machine that others can reach; IPv4 first.
    package static var ownAddress: String? {
        let addresses = ((try? System.enumerateDevices()) ?? []).compactMap(\.address)
        return addresses.filter { IPAddress($0.ipAddress ?? "")?.isLoopback == false }
            .sorted { $0.protocol == .inet && $1.protocol != .inet }
            .compactMap(\.ipAddress).first { !$0.hasPrefix("fe80") }
    }
}
