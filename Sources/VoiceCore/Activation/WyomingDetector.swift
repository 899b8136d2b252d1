internal import Glibc
internal import VoiceBase
internal import VoiceNetwork

/// Wake words from a Wyoming server (openWakeWord, microWakeWord and others), which receives the microphone signal.
///
/// Only creating it blocks: to resolve the name, ten seconds for each name server that is away, and to connect, for up to
/// two seconds per address. Up to a second of
/// audio waits for a slow server; beyond that, the detector fails and has to be recreated.
package final class WyomingDetector: WakeWordDetector {
    /// The end of a message, after the host.
    static let exposed =
        "is outside this network, and the microphone is sent unencrypted; local.allow_public = true allows that"
    private static let longestUnsent = 40_000
    /// Maximum number of bytes read at a time: a server only has to report a word now and then.
    private static let longestReceived = 256 << 10

    private let socket: Int32
    private let address: String
    /// The words that the server was asked to detect.
    private let words: [String]
    private var decoder = WyomingDecoder(keepsPayload: false)
    private var unsent: [UInt8] = []
    private var sent = 0

    /// - Parameters:
    ///   - address: "host:port", "[::1]:10400".
    ///   - words: names of the server's models. Stop words are not requested, as a server may refuse words it has no
    ///     model for; see `WakeEngines`.
    ///   - allowsPublic: whether the server may be outside this network.
    package init(address: String, words: WakeWords, allowsPublic: Bool = false) throws(WakeWordError) {
        self.address = address
        self.words = words.words.filter { !$0.isStop }.map(\.text)
        socket = try Self.connect(address, allowsPublic: allowsPublic)
        put(.detect(self.words))
        put(.audioStart(.microphone))
    }

    deinit { close(socket) }

    package func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate] {
        WyomingRequest.sound(samples, from: sent, chunk: max(1, samples.count)).forEach(put)
        sent += samples.count
        try flush()
        return try receive()
    }

    package func reset() {}

    private func put(_ request: WyomingRequest) {
        unsent += request.frame.bytes
    }

    private func flush() throws(WakeWordError) {
        while !unsent.isEmpty {
            let count = unsent.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 {
                unsent.removeFirst(count)
            } else if errno == EAGAIN {
                guard unsent.count <= Self.longestUnsent else {
                    throw WakeWordError("the Wyoming server at \(address) does not take the sound")
                }
                return
            } else if errno != EINTR {
                throw WakeWordError("the Wyoming server at \(address) has gone: \(Self.reason)")
            }
        }
    }

    private func receive() throws(WakeWordError) -> [WakeCandidate] {
        var found: [WakeCandidate] = []
        var room = [UInt8](repeating: 0, count: 4096)
        var received = 0
        while true {
            let count = room.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
            if count == 0 { throw WakeWordError("the Wyoming server at \(address) has gone") }
            if count < 0 {
                if errno == EINTR { continue }
                guard errno == EAGAIN else {
                    throw WakeWordError("the Wyoming server at \(address) has gone: \(Self.reason)")
                }
                return found
            }
            received += count
            guard received <= Self.longestReceived else {
                throw WakeWordError("the Wyoming server at \(address) sends more than it was asked for")
            }
            let frames: [WyomingFrame]
            do throws(WyomingFault) { frames = try decoder.consume(room[..<count]) } catch {
                throw WakeWordError("\(error)")
            }
            for frame in frames {
                guard case .detection(let name) = WyomingEvent(frame), let word = wanted(name) else { continue }
                found.append(WakeCandidate(word, .repeated))
            }
        }
    }

    /// Returns the requested word that the server reports; nil for any other. The server may append a version, as in
    /// "hey_jarvis_v0.1". If it gives no name, that is the only requested word, or "" if there are several.
    private func wanted(_ name: String) -> String? {
        let heard = Configuration.Word.plain(name)
        if heard.isEmpty { return words.count == 1 ? words[0] : "" }
        return words.first { word in
            let own = Configuration.Word.plain(word)
            guard heard.hasPrefix(own) else { return false }
            let rest = heard.dropFirst(own.count)
            return rest.isEmpty || rest.hasPrefix(" v") && rest.dropFirst(2).first?.isNumber == true
        }
    }

    // MARK: Connection

    private static func connect(_ address: String, allowsPublic: Bool) throws(WakeWordError) -> Int32 {
        guard let server = HostAndPort(address) else {
            throw WakeWordError("activation.wyoming_address \(HostAndPort.wanted)")
        }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(server.host, String(server.port), &hints, &list) == 0 else {
            throw WakeWordError("there is no host \(server.host) for the Wyoming server")
        }
        defer { freeaddrinfo(list) }
        var next = list
        var isRefused = false
        var isTried = false
        while let info = next?.pointee {
            // Judged by the addresses that the name resolves to now: the sound would go there.
            guard allowsPublic || isNear(info) else {
                isRefused = true
                next = info.ai_next
                continue
            }
            isTried = true
            let type = info.ai_socktype | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            let descriptor = Glibc.socket(info.ai_family, type, info.ai_protocol)
            if descriptor >= 0 {
                if isConnected(descriptor, info) { return descriptor }
                close(descriptor)
            }
            next = info.ai_next
        }
        if isRefused, !isTried { throw WakeWordError("activation.wyoming_address: \(server.host) \(exposed)") }
        throw WakeWordError("no Wyoming server answers at \(address)")
    }

    private static func isNear(_ info: addrinfo) -> Bool {
        let bytes = UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen))
        return NetworkAddress(socketAddress: bytes).map { !TransportVerdict.isExposed($0) } ?? false
    }

    private static func isConnected(_ descriptor: Int32, _ info: addrinfo) -> Bool {
        if Glibc.connect(descriptor, info.ai_addr, info.ai_addrlen) == 0 { return true }
        guard errno == EINPROGRESS else { return false }
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&wait, 1, 2000) == 1 else { return false }
        var problem: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &problem, &length) == 0 && problem == 0
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
