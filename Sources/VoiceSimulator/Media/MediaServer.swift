internal import Synchronization

/// A web server on 127.0.0.1 with media, and with all that goes wrong with media.
package final class MediaServer: Sendable {
    private struct State {
        var replies: [String: MediaReply] = [:]
        var requests: [String] = []
        var sent = 0
    }

    /// Requests that are kept for inspection.
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

    /// Answers a path from now on; other paths are 404.
    package func serve(_ path: String, _ reply: MediaReply) {
        state.withLock { $0.replies[path] = reply }
    }

    /// The paths asked for, in order.
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

/// How a media server answers one address.
package enum MediaReply: Sendable {
    /// A whole file.
    case file(type: String, [UInt8], headers: [String: String] = [:])
    case redirect(to: String)
    case status(Int)
    /// Promises more than it sends: closes the connection after so many bytes, or says nothing more.
    case broken(type: String, [UInt8], stalls: Bool)
    /// The same, but half a second later the connection is reset (RST), and the address has a whole file from then on.
    case reset(type: String, [UInt8], then: [UInt8])
    /// The bytes again and again as fast as they are taken, promising so many of them.
    case huge(type: String, [UInt8], length: Int)
    /// The bytes again and again, so many a tenth of a second; with titles between them (ICY) when there are any.
    case endless(type: String, [UInt8], bytesPerTick: Int, titles: [String])
    /// The bytes once, slowly.
    case drip(type: String, [UInt8], bytesPerTick: Int)
}
