internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The only way of one decoder to the network: a proxy on 127.0.0.1 that looks up, checks and makes each connection itself.
///
///     ffmpeg --GET, CONNECT--> [ secret? address allowed? ] --connect to that very address--> server
///
/// So it does not matter what a redirect, a segment of a playlist or a changed answer of the DNS sends the decoder to. One
/// for each job: its secret is in the environment of that ffmpeg alone. Bounded: `Limits`.
///
/// One thread takes the connections, each has one of its own; all end with `close`.
final class MediaProxy: Sendable {
    struct Limits: Sendable, Equatable {
        /// At once; others are closed unanswered. ffmpeg has one, two with the segments of a live stream.
        var connections = 16
        /// Of all connections together, from the servers; nil for a live station, which may play for days.
        var bytes: Int? = 4 << 30
        /// For the request to come, and for each address to answer.
        var patience = Duration.seconds(5)
    }

    let policy: MediaPolicy
    let limits: Limits
    let lookUp: @Sendable (String) -> [NetworkAddress]
    /// Readable once all is to end.
    let stop = clinux_eventfd()

    private let listener: StreamSocket
    private let port: Int
    private let secret: String
    private let open = Atomic<Int>(0)
    private let received = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)
    private let problem = Mutex<String?>(nil)

    /// - Parameter lookUp: blocks.
    /// - Throws: errno.
    init(
        policy: MediaPolicy,
        limits: Limits = Limits(),
        lookUp: @escaping @Sendable (String) -> [NetworkAddress] = NetworkAddress.lookUp
    ) throws(SystemError) {
        self.policy = policy
        self.limits = limits
        self.lookUp = lookUp
        (listener, port) = try StreamSocket.listen()
        var random = SystemRandomNumberGenerator()
        secret = (0..<2).map { _ in String(random.next(), radix: 36) }.joined()
    }

    deinit { Glibc.close(stop) }

    /// For the decoder: https goes the same way (CONNECT).
    var environment: [String] { ["http_proxy=http://jarvis:\(secret)@127.0.0.1:\(port)"] }

    /// Why the last connection that came to nothing did.
    var lastProblem: String? { problem.withLock { $0 } }

    /// Without a thread nothing is let through.
    func start() {
        _ = OwnThread.start("jv-proxy") { self.accept() }
    }

    /// Ends all connections, soon.
    func close() {
        isClosed.store(true, ordering: .releasing)
        clinux_eventfd_signal(stop)
    }

    // MARK: For the connections

    var isOver: Bool { isClosed.load(ordering: .acquiring) }

    func isKnown(_ credentials: String?) -> Bool {
        credentials == "Basic " + Data("jarvis:\(secret)".utf8).base64EncodedString()
    }

    func note(_ text: String) { problem.withLock { $0 = text } }

    /// Counts what came from a server; false once that is more than may come.
    func mayTake(_ count: Int) -> Bool {
        guard let most = limits.bytes else { return true }
        if received.add(count, ordering: .relaxed).newValue <= most { return true }
        note("it is longer than \(most >> 20) MB")
        return false
    }

    // MARK: On the thread

    private func accept() {
        while !isOver {
            var entries = [
                pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
                pollfd(fd: listener.file, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&entries, 2, -1)
            if entries[0].revents != 0 { return }
            guard let socket = listener.accept() else {
                // Out of descriptors, or the other side has gone.
                usleep(10_000)
                continue
            }
            guard open.add(1, ordering: .relaxed).newValue <= limits.connections else {
                open.subtract(1, ordering: .relaxed)
                continue
            }
            let isServed = OwnThread.start("jv-proxy-line") {
                ProxyConnection(socket, of: self).run()
                self.open.subtract(1, ordering: .relaxed)
            }
            if !isServed { open.subtract(1, ordering: .relaxed) }
        }
    }
}
