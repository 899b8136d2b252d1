internal import Glibc

/// One connection of the decoder: its request, the check, then bytes in both directions. Confined to its thread.
final class ProxyConnection {
    private static let block = 64 << 10

    private let decoder: StreamSocket
    private let proxy: MediaProxy
    private var buffer = [UInt8](repeating: 0, count: ProxyConnection.block)

    init(_ decoder: StreamSocket, of proxy: MediaProxy) {
        self.decoder = decoder
        self.proxy = proxy
    }

    /// Until either side has ended, or the proxy.
    func run() {
        do {
            guard let (request, rest) = try receive() else { return }
            guard proxy.isKnown(request.credentials) else { return try answer(.needsCredentials) }
            let server: StreamSocket
            do throws(MediaProblem) {
                server = try connect(request.server)
            } catch {
                proxy.note(error.description)
                if case .refusedHost = error { return try answer(.refused) }
                return try answer(.unreachable)
            }
            if request.isTunnel { try send(ProxyReply.tunnelled.bytes) }
            // What came behind the request for a page would be a second one.
            try carry(server, first: request.isTunnel ? rest : request.forwarded, isTunnel: request.isTunnel)
        } catch is ProxyRequest.Problem {
            try? answer(.notUnderstood)
        } catch {
            // The connection broke: whoever waits at its other end is to learn that.
            decoder.spoil()
        }
    }

    private func receive() throws -> (ProxyRequest, rest: [UInt8])? {
        var bytes: [UInt8] = []
        let end = Monotonic.now() + proxy.limits.patience
        while true {
            if let request = try ProxyRequest.parse(bytes) { return (request, Array(bytes[request.length...])) }
            let left = end - Monotonic.now()
            guard left > .zero, wait(decoder, POLLIN, left) else { return nil }
            guard let count = try read(decoder) else { continue }
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }

    /// To an address that was checked just now, so that nothing can come between.
    private func connect(_ server: ServerURL) throws(MediaProblem) -> StreamSocket {
        let literal = NetworkAddress(text: server.host)
        let addresses = literal.map { [$0] } ?? proxy.lookUp(server.host)
        if proxy.isOver { throw .failed("it was stopped") }
        guard !addresses.isEmpty else { throw .failed("the host \(server.host) is not known") }
        guard proxy.policy.allows(addresses, of: server) else { throw .refusedHost(server.host) }
        var reason = "it cannot be reached"
        for address in addresses.prefix(4) {
            do throws(SystemError) {
                let patience = proxy.limits.patience
                return try StreamSocket.connect(to: address, port: server.port, patience: patience, stop: proxy.stop)
            } catch {
                reason = "\(error)"
                if proxy.isOver { break }
            }
        }
        throw .failed("\(server.host): \(reason)")
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

    private func read(_ socket: StreamSocket) throws -> Int? {
        try buffer.withUnsafeMutableBytes { try socket.read(into: $0) }
    }

    /// False when the time is over, or all is.
    private func wait(_ socket: StreamSocket, _ event: Int32, _ time: Duration) -> Bool {
        var entries = [
            pollfd(fd: proxy.stop, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket.file, events: Int16(event), revents: 0),
        ]
        let count = poll(&entries, 2, Int32(clamping: max(0, time.wholeMilliseconds)))
        return count > 0 && entries[0].revents == 0
    }

    /// One block in each direction at most is held: who does not read holds up whom it does not read from. There is no limit
    /// of time: a recording may be paused for hours, and the job ends a decoder that waits in vain.
    private func carry(_ server: StreamSocket, first: [UInt8], isTunnel: Bool) throws {
        var (toServer, toDecoder) = (first[...], ArraySlice<UInt8>())
        var answer: ProxyAnswer? = isTunnel ? nil : ProxyAnswer()
        var isServerOver = false
        while !isServerOver || !toDecoder.isEmpty {
            let decoderEvents = (toServer.isEmpty ? POLLIN : 0) | (toDecoder.isEmpty ? 0 : POLLOUT)
            if isServerOver { toServer = [] }
            let serverEvents =
                isServerOver ? 0 : (toDecoder.isEmpty ? POLLIN : 0) | (toServer.isEmpty ? 0 : POLLOUT)
            var entries = [
                pollfd(fd: proxy.stop, events: Int16(POLLIN), revents: 0),
                pollfd(fd: decoder.file, events: Int16(decoderEvents), revents: 0),
                pollfd(fd: serverEvents == 0 ? -1 : server.file, events: Int16(serverEvents), revents: 0),
            ]
            _ = poll(&entries, 3, -1)
            if entries[0].revents != 0 || Int32(entries[1].revents) & (POLLHUP | POLLERR) != 0 { return }
            if entries[1].revents != 0, toServer.isEmpty, let count = try read(decoder) {
                if count == 0 { return }
                if isTunnel { toServer = buffer[..<count] }
            }
            if !toServer.isEmpty { toServer = toServer.dropFirst(try server.write(toServer)) }
            if entries[2].revents != 0, toDecoder.isEmpty, !isServerOver, let count = try read(server) {
                guard proxy.mayTake(count) else { throw SystemError(code: EFBIG) }
                isServerOver = count == 0
                if isServerOver {
                    toDecoder = (answer?.end() ?? [])[...]
                } else {
                    toDecoder = (answer?.pass(buffer[..<count]) ?? Array(buffer[..<count]))[...]
                }
            }
            if !toDecoder.isEmpty { toDecoder = toDecoder.dropFirst(try decoder.write(toDecoder)) }
        }
    }
}
