import Glibc

@testable import VoiceBase

/// A TCP server on loopback that plays one script per connection, on its own thread.
final class LoopbackServer: Sendable {
    typealias Script = @Sendable (LoopbackSocket) -> Void

    let port: UInt16
    private let listener: Int32
    private let thread: OwnThread

    /// - Parameter scripts: one per connection, in order of arrival; then the server closes.
    convenience init(_ scripts: Script...) throws {
        try self.init(serve: { Self.play(scripts, on: $0) })
    }

    /// - Parameter script: played for every connection, each on a thread of its own.
    static func playing(toAll script: @escaping Script) throws -> LoopbackServer {
        try LoopbackServer(serve: { listener in
            while case let file = accept(listener, nil, nil), file >= 0 {
                let thread = try? OwnThread("loopback-each") {
                    script(LoopbackSocket(file))
                    close(file)
                }
                if thread == nil { close(file) }
            }
        })
    }

    /// - Parameter serve: accepts connections of this listener until it fails.
    private init(serve: @escaping @Sendable (Int32) -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening else { throw LoopbackFailure() }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        thread = try OwnThread("loopback") { serve(listener) }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        thread.join()
        close(listener)
    }

    private static func play(_ scripts: [Script], on listener: Int32) {
        for script in scripts {
            let file = accept(listener, nil, nil)
            guard file >= 0 else { return }
            script(LoopbackSocket(file))
            close(file)
        }
    }
}

struct LoopbackFailure: Error {}

/// One connection of the server; blocking, with a timeout that only ends a broken test.
struct LoopbackSocket {
    private let file: Int32

    init(_ file: Int32) {
        self.file = file
        var limit = timeval(tv_sec: 600, tv_usec: 0)
        setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Reads up to so many bytes; empty at the end of the connection.
    func read(_ count: Int = 65_536) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            used = max(0, recv(file, buffer.baseAddress, count, 0))
        }
    }

    /// Reads exactly so many bytes, or fewer at the end of the connection.
    func read(exactly count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let piece = read(count - bytes.count)
            guard !piece.isEmpty else { break }
            bytes += piece
        }
        return bytes
    }

    /// Reads a request's header up to the empty line.
    func readHeader() -> String {
        var text = ""
        while !text.hasSuffix("\r\n\r\n") {
            let byte = read(1)
            guard !byte.isEmpty else { break }
            text += String(decoding: byte, as: UTF8.self)
        }
        return text
    }

    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    /// Sends the bytes; returns whether the other side took all of them.
    func offer(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Blocks until the other side has closed.
    func waitForEnd() {
        while !read().isEmpty {}
    }
}
