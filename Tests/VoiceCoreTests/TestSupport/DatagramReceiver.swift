import CLinux
import Glibc
import Testing

/// The receiver of datagrams, in place of a journal or a service manager. `path` may be abstract ("@name").
final class DatagramReceiver {
    private let socket: Int32
    private let path: String

    init(path: String) throws {
        self.path = path
        socket = clinux_local_datagram()
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        if path.hasPrefix("@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let socket = socket
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
        }
        try #require(bound == 0)
    }

    deinit {
        close(socket)
        if !path.hasPrefix("@") { unlink(path) }
    }

    /// Receives the next datagram as a whole, even if it was sent as a file in memory.
    func next() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var memory: Int32 = -1
        let count = clinux_local_receive(socket, &bytes, bytes.count, &memory)
        guard memory >= 0 else { return Array(bytes.prefix(max(0, count))) }
        defer { close(memory) }
        var whole: [UInt8] = []
        var offset: off_t = 0
        while case let count = pread(memory, &bytes, bytes.count, offset), count > 0 {
            whole += bytes[..<count]
            offset += count
        }
        return whole
    }
}
