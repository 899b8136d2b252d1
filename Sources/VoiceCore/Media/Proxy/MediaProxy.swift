internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Synchronization
internal import VoiceBase
internal import VoiceNetwork

/// A decoder's only way to the network: a proxy on 127.0.0.1 that resolves, checks and makes each connection itself.
///
///     ffmpeg --GET--> [ secret? address allowed? ] --connects to exactly that address, TLS for https--> server
///            <------- [ playlists and redirects: http and https only, renamed so that they lead back here ] <-
///
/// The decoder is started with an address of the proxy, which redirects it to that of the job: arguments can be read by every
/// user of the machine, and an address may hold a key. Cookies and passwords stay in the proxy, which adds them to requests.
///
/// The decoder has no TLS of its own, so nothing unverified reaches it over https. It does not matter where a redirect,
/// a segment of a playlist or a changed DNS answer sends the decoder.
///
/// Each job has its own proxy, whose secret is only in the environment of that job's ffmpeg. Bounded by `Limits`. One
/// thread accepts connections, and each connection has its own thread; all end with `close`.
final class MediaProxy: Sendable {
    struct Limits: Sendable, Equatable {
        /// Connections at a time; others are closed without an answer. ffmpeg uses one, or two for the segments of a
        /// live stream.
        var connections = 16
        /// Bytes from the servers over all connections; nil for a live station, which may play for days.
        var bytes: Int? = 4 << 30
        /// How long to wait for the request, and for each address to connect.
        var patience = Duration.seconds(5)
    }

    /// A host that stands for the job's address; it exists nowhere (RFC 6761 section 6.4).
    static let startHost = "media.invalid"

    /// The job's address, as for the decoder.
    let start: String
    let policy: MediaPolicy
    let limits: Limits
    /// PEM file with the certificates to trust instead of the system's.
    let caFile: String?
    let lookUp: @Sendable (String) -> [NetworkAddress]
    let home: @Sendable () -> HomeNetwork
    let tagged: @Sendable (OggTags.Title) -> Void
    /// Readable once everything is to end.
    let stop = clinux_eventfd()

    private let listener: StreamSocket
    /// Port on 127.0.0.1.
    let port: Int
    private let secret: String
    private let open = Atomic<Int>(0)
    private let received = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)
    private let problem = Mutex<String?>(nil)
    private let secrets: Mutex<ServerSecrets>

    /// - Parameters:
    ///   - place: of the job.
    ///   - lookUp: resolves a host name; may block.
    ///   - home: returns the current networks of this machine.
    ///   - tagged: called with the titles in an Ogg stream as it passes, on any thread; must not block.
    /// - Throws: errno.
    init(
        _ place: MediaSource.Place,
        policy: MediaPolicy,
        limits: Limits = Limits(),
        caFile: String? = nil,
        lookUp: @escaping @Sendable (String) -> [NetworkAddress] = NetworkAddress.lookUp,
        home: @escaping @Sendable () -> HomeNetwork = HomeNetwork.now,
        tagged: @escaping @Sendable (OggTags.Title) -> Void = { _ in }
    ) throws(SystemError) {
        start = SecureAddress.plain(place.address)
        secrets = Mutex(place.secrets)
        self.policy = policy
        self.limits = limits
        self.caFile = caFile
        self.lookUp = lookUp
        self.home = home
        self.tagged = tagged
        (listener, port) = try StreamSocket.listen()
        var random = SystemRandomNumberGenerator()
        secret = (0..<2).map { _ in String(random.next(), radix: 36) }.joined()
    }

    deinit { Glibc.close(stop) }

    /// The address that the decoder is given. It ends like the job's, which helps to recognise the format.
    static func startAddress(of address: String) -> String {
        let path = address.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").dropFirst(2).last ?? ""
        let ending = path.split(separator: ".").dropFirst().last ?? ""
        let isPlain = (1...5).contains(ending.utf8.count) && ending.utf8.allSatisfy(PercentEncoding.isUnreserved)
        return "http://\(startHost)/start" + (isPlain ? ".\(ending)" : "")
    }

    /// Environment variables for the decoder.
    var environment: [String] { ["http_proxy=http://jarvis:\(secret)@127.0.0.1:\(port)"] }

    /// Why the latest failed connection failed.
    var lastProblem: String? { problem.withLock { $0 } }

    /// If the thread cannot be started, no connection is accepted.
    func run() {
        _ = OwnThread.start("jv-proxy") { self.accept() }
    }

    /// Ends all connections; returns without waiting for them.
    func close() {
        isClosed.store(true, ordering: .releasing)
        clinux_eventfd_signal(stop)
    }

    // MARK: For the connections

    var isOver: Bool { isClosed.load(ordering: .acquiring) }

    func isKnown(_ credentials: String?) -> Bool {
        credentials == "Basic " + Data("jarvis:\(secret)".utf8).base64EncodedString()
    }

    func secrets(for server: ServerURL) -> [(name: String, value: String)] {
        secrets.withLock { $0.headers(for: server) }
    }

    func keep(cookie: String, from server: ServerURL) { secrets.withLock { $0.keep(cookie: cookie, from: server) } }

    func note(_ text: String) { problem.withLock { $0 = text } }

    /// Counts bytes from a server; false once they exceed the limit.
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
                // Out of descriptors, or the peer is already gone.
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
