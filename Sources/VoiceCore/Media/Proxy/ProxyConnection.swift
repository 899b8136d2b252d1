internal import Glibc
internal import VoiceBase
internal import VoiceNetwork

/// One connection of the decoder: its request, the checks, then bytes in both directions. Confined to its thread.
final class ProxyConnection {
    private static let block = 64 << 10

    private let decoder: StreamSocket
    private let proxy: MediaProxy
    private var buffer = [UInt8](repeating: 0, count: ProxyConnection.block)

    init(_ decoder: StreamSocket, of proxy: MediaProxy) {
        self.decoder = decoder
        self.proxy = proxy
    }

    /// Runs until either side or the proxy ends.
    func run() {
        do {
            guard let request = try receive() else { return }
            guard proxy.isKnown(request.credentials) else {
                return try answer(.needsCredentials(from: request.firstByte))
            }
            if request.server.host == MediaProxy.startHost { return try answer(.begin(proxy.start)) }
            let server: any ServerStream
            do throws(MediaProblem) {
                server = try connect(request.server)
            } catch {
                proxy.note(error.description)
                if case .refusedHost = error { return try answer(.refused) }
                return try answer(.unreachable)
            }
            // Bytes after the request are ignored: they would be a second request.
            try carry(server, request)
        } catch is ProxyRequest.Problem {
            try? answer(.notUnderstood)
        } catch let refusal as ProxyAnswer.Refusal {
            proxy.note(refusal.description)
            decoder.spoil()
        } catch {
            // The connection broke; a reset tells the decoder that the answer is incomplete.
            decoder.spoil()
        }
    }

    private func receive() throws -> ProxyRequest? {
        var bytes: [UInt8] = []
        let end = Monotonic.now() + proxy.limits.patience
        while true {
            if let request = try ProxyRequest.parse(bytes) { return request }
            let left = end - Monotonic.now()
            guard left > .zero, wait(decoder, POLLIN, left) else { return nil }
            guard let count = try read(decoder) else { continue }
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }

    /// Connects to an address that has just been checked, so that it cannot change in between.
    private func connect(_ server: ServerURL) throws(MediaProblem) -> any ServerStream {
        let literal = NetworkAddress(text: server.host)
        let addresses = literal.map { [$0] } ?? proxy.lookUp(server.host)
        if proxy.isOver { throw .failed("it was stopped") }
        guard !addresses.isEmpty else { throw .failed("the host \(server.host) cannot be resolved") }
        guard proxy.policy.allows(addresses, of: server, home: proxy.home()) else { throw .refusedHost(server.host) }
        var problem = MediaProblem.failed("\(server.host): it cannot be reached")
        for address in addresses.prefix(4) {
            do throws(MediaProblem) {
                return try connect(to: address, of: server)
            } catch {
                problem = error
                if proxy.isOver { break }
            }
        }
        throw problem
    }

    private func connect(to address: NetworkAddress, of server: ServerURL) throws(MediaProblem) -> any ServerStream {
        let patience = proxy.limits.patience
        if server.scheme == "https" {
            return try SecureSocket(
                to: address, of: server, caFile: proxy.caFile, patience: patience, stop: proxy.stop
            )
        }
        do throws(SystemError) {
            return try StreamSocket.connect(to: address, port: server.port, patience: patience, stop: proxy.stop)
        } catch {
            throw .failed("\(server.host): \(error)")
        }
    }

    private func answer(_ reply: ProxyReply) throws { try send(reply.bytes) }

    private func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        let end = Monotonic.now() + proxy.limits.patience
        while !rest.isEmpty {
            rest = rest.dropFirst(try decoder.write(rest))
            if rest.isEmpty { return }
            guard wait(decoder, POLLOUT, end - Monotonic.now()) else { throw SystemError(code: ETIMEDOUT) }
        }
    }

    private func read(_ socket: some ServerStream) throws -> Int? {
        try buffer.withUnsafeMutableBytes { try socket.read(into: $0) }
    }

    /// Returns false on timeout, or if the proxy ends.
    private func wait(_ socket: StreamSocket, _ event: Int32, _ time: Duration) -> Bool {
        var entries = [
            pollfd(fd: proxy.stop, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket.file, events: Int16(event), revents: 0),
        ]
        let count = poll(&entries, 2, Int32(clamping: max(0, time.wholeMilliseconds)))
        return count > 0 && entries[0].revents == 0
    }

    /// Holds one block per direction at most, so backpressure reaches the sender. There is no time limit: a recording
    /// may be paused for hours, and the job ends a decoder that waits in vain.
    private func carry(_ server: some ServerStream, _ request: ProxyRequest) throws {
        let asked = request.forwarded(adding: proxy.secrets(for: request.server))
        var (toServer, toDecoder) = (asked[...], ArraySlice<UInt8>())
        var answer = ProxyAnswer(isSecure: request.server.scheme == "https", hasNoBody: request.isHead)
        var tags = OggTags()
        var isServerOver = false
        // TLS may hold bytes that were already read from the socket, which poll does not see.
        var mayHoldMore = false
        while !isServerOver || !toDecoder.isEmpty {
            let decoderEvents = POLLIN | (toDecoder.isEmpty ? 0 : POLLOUT)
            if isServerOver { toServer = [] }
            let serverEvents =
                isServerOver ? 0 : (toDecoder.isEmpty ? POLLIN : 0) | (toServer.isEmpty ? 0 : POLLOUT)
            var entries = [
                pollfd(fd: proxy.stop, events: Int16(POLLIN), revents: 0),
                pollfd(fd: decoder.file, events: Int16(decoderEvents), revents: 0),
                pollfd(fd: serverEvents == 0 ? -1 : server.file, events: Int16(serverEvents), revents: 0),
            ]
            _ = poll(&entries, 3, mayHoldMore && toDecoder.isEmpty ? 0 : -1)
            if entries[0].revents != 0 || Int32(entries[1].revents) & (POLLHUP | POLLERR) != 0 { return }
            if Int32(entries[1].revents) & POLLIN != 0, let count = try read(decoder), count == 0 { return }
            if !toServer.isEmpty { toServer = toServer.dropFirst(try server.write(toServer)) }
            if entries[2].revents != 0 || mayHoldMore, toDecoder.isEmpty, !isServerOver {
                let count = try read(server)
                mayHoldMore = count.map { $0 > 0 } ?? false
                if let count {
                    guard proxy.mayTake(count) else { throw SystemError(code: EFBIG) }
                    if count == 0 {
                        toDecoder = try answer.end()[...]
                        // A truncated body must be an error, not a regular end.
                        if answer.isCutShort { throw SystemError(code: ECONNRESET) }
                    } else {
                        toDecoder = try answer.pass(buffer[..<count])[...]
                        // Before the decoder follows a redirect.
                        for cookie in answer.takeCookies() { proxy.keep(cookie: cookie, from: request.server) }
                        for title in tags.read(toDecoder) { proxy.tagged(title) }
                    }
                    isServerOver = count == 0 || answer.isOver
                }
            }
            if !toDecoder.isEmpty { toDecoder = toDecoder.dropFirst(try decoder.write(toDecoder)) }
        }
    }
}
