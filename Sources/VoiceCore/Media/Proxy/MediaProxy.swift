internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Synchronization
internal import VoiceBase
internal import VoiceNetwork

/// The only way of one decoder to the network: a proxy on 127.0.0.1 that looks up, checks and makes each connection itself.
///
///     ffmpeg --GET--> [ secret? address allowed? ] --connect to that very address, TLS for https--> server
///            <------- [ playlists and redirects: http and https alone, named so that they come back here ] <-
///
/// The decoder itself knows no TLS, so that nothing reaches it over https that was not verified. It does not matter what a redirect, a segment of a playlist or a changed answer of the DNS sends the decoder to. One
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
    /// PEM file with the certificates to trust instead of the system's.
    let caFile: String?
    let lookUp: @Sendable (String) -> [NetworkAddress]
    let home: @Sendable () -> HomeNetwork
    /// Readable once all is to end.
    let stop = clinux_eventfd()

    private let listener: StreamSocket
    /// Of 127.0.0.1.
    let port: Int
    private let secret: String
    private let open = Atomic<Int>(0)
    private let received = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)
    private let problem = Mutex<String?>(nil)

    /// - Parameters:
    ///   - lookUp: blocks.
    ///   - home: the network that this machine is in, at the time.
    /// - Throws: errno.
    init(
        policy: MediaPolicy,
        limits: Limits = Limits(),
        caFile: String? = nil,
        lookUp: @escaping @Sendable (String) -> [NetworkAddress] = NetworkAddress.lookUp,
        home: @escaping @Sendable () -> HomeNetwork = HomeNetwork.now
    ) throws(SystemError) {
        self.policy = policy
        self.limits = limits
        self.caFile = caFile
        self.lookUp = lookUp
        self.home = home
        (listener, port) = try StreamSocket.listen()
        var random = SystemRandomNumberGenerator()
        secret = (0..<2).map { _ in String(random.next(), radix: 36) }.joined()
    }

    deinit { Glibc.close(stop) }

    /// For the decoder.
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
