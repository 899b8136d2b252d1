internal import CLinux
internal import Glibc
internal import VoiceBase
internal import VoiceNetwork

/// A non-blocking stream of bytes to and from a server.
protocol ServerStream {
    /// For poll only: bytes may be buffered above it, which poll does not see.
    var file: Int32 { get }
    /// Returns the number of bytes read; 0 at the end; nil if there are none yet.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int?
    /// Returns the number of bytes written, possibly 0.
    func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int
}

/// A TCP socket: non-blocking, closed on exec and with its last reference.
final class StreamSocket: ServerStream, Sendable {
    let file: Int32

    /// Takes ownership of the descriptor.
    private init(_ file: Int32) { self.file = file }

    deinit { close(file) }

    /// Listens on 127.0.0.1.
    static func listen() throws(SystemError) -> (socket: StreamSocket, port: Int) {
        guard let socket = make(AF_INET) else { throw SystemError(code: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket.file, address, size) == 0 && Glibc.listen(socket.file, 16) == 0
                    && getsockname(socket.file, address, &size) == 0
            }
        }
        guard isListening else { throw SystemError(code: errno) }
        return (socket, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Accepts the next connection; nil if there is none.
    func accept() -> StreamSocket? {
        let file = clinux_local_accept(file)
        return file < 0 ? nil : StreamSocket(file)
    }

    /// Connects to exactly this address.
    /// - Parameter stop: a descriptor that ends the wait when it becomes readable.
    /// - Throws: errno; ETIMEDOUT after `patience`, ECANCELED if stopped.
    static func connect(
        to address: NetworkAddress,
        port: Int,
        patience: Duration,
        stop: Int32
    ) throws(SystemError) -> StreamSocket {
        guard let socket = make(address.family) else { throw SystemError(code: errno) }
        if address.withSocketAddress(port: port, { Glibc.connect(socket.file, $0, $1) }) != 0 {
            guard errno == EINPROGRESS else { throw SystemError(code: errno) }
            var entries = [
                pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
                pollfd(fd: socket.file, events: Int16(POLLOUT), revents: 0),
            ]
            let count = poll(&entries, 2, Int32(clamping: patience.wholeMilliseconds))
            guard entries[0].revents == 0 else { throw SystemError(code: ECANCELED) }
            guard count > 0 else { throw SystemError(code: ETIMEDOUT) }
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(socket.file, SOL_SOCKET, SO_ERROR, &code, &size)
            guard code == 0 else { throw SystemError(code: code) }
        }
        return socket
    }

    /// Returns the number of bytes read; 0 at the end; nil if there are none yet. A broken connection throws, usually
    /// `ECONNRESET`.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
        let count = recv(file, buffer.baseAddress, buffer.count, 0)
        if count >= 0 { return count }
        guard errno == EAGAIN || errno == EINTR else { throw SystemError(code: errno) }
        return nil
    }

    /// Returns the number of bytes written, possibly 0.
    func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        let count = bytes.withUnsafeBytes { send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count >= 0 { return count }
        guard errno == EAGAIN || errno == EINTR else { throw SystemError(code: errno) }
        return 0
    }

    /// Makes the socket close with a reset, so that the peer does not mistake a truncated answer for a complete one.
    func spoil() {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(file, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    private static func make(_ family: Int32) -> StreamSocket? {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let file = Glibc.socket(family, kind, 0)
        guard file >= 0 else { return nil }
        var on: Int32 = 1
        setsockopt(file, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return StreamSocket(file)
    }
}
