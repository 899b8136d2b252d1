internal import Synchronization

/// A web server on 127.0.0.1 that serves media, and simulates the faults of media servers.
package final class MediaServer: Sendable {
    private struct State {
        var replies: [String: MediaReply] = [:]
        var requests: [String] = []
        var sent = 0
    }

    /// Number of requests kept for inspection.
    package static let recordLimit = 10_000

    private let state = Mutex(State())
    private let listener = LoopbackListener()

    package init() {}

    /// Starts to listen and returns the port.
    package func start() async throws -> Int {
        try await listener.start { MediaRequestHandler(server: self) }
    }

    /// Closes the listener and every connection.
    package func stop() async { await listener.stop() }

    /// Sets the reply for a path from now on; other paths get 404.
    package func serve(_ path: String, _ reply: MediaReply) {
        state.withLock { $0.replies[path] = reply }
    }

    /// The requested paths, in order.
    package var requests: [String] { state.withLock { $0.requests } }

    /// Bytes of media handed to the network.
    package var sent: Int { state.withLock { $0.sent } }

    func count(_ bytes: Int) { state.withLock { $0.sent += bytes } }

    func reply(to path: String) -> MediaReply {
        state.withLock { state in
            if state.requests.count < Self.recordLimit { state.requests.append(path) }
            return state.replies[path] ?? .status(404)
        }
    }
}

/// The reply of a media server to one address.
package enum MediaReply: Sendable {
    /// A whole file.
    case file(type: String, [UInt8], headers: [String: String] = [:])
    case redirect(to: String)
    case status(Int)
    /// Announces more than it sends: closes the connection after these bytes, or stalls.
    case broken(type: String, [UInt8], stalls: Bool)
    /// The same, but half a second later the connection is reset (RST), and from then on the address serves a whole
    /// file.
    case reset(type: String, [UInt8], then: [UInt8])
    /// Repeats the bytes as fast as the client takes them, and announces `length` bytes.
    case huge(type: String, [UInt8], length: Int)
    /// Repeats the bytes, `bytesPerTick` every tenth of a second, with titles between them (ICY) if there are any.
    case endless(type: String, [UInt8], bytesPerTick: Int, titles: [String])
    /// Sends the bytes once, `bytesPerTick` every tenth of a second.
    case drip(type: String, [UInt8], bytesPerTick: Int)
}
