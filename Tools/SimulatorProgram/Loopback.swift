import Glibc
import VoiceBase

/// The way over which the programs of a demonstration reach each other.
enum Loopback {
    /// - Throws: if there is none, as in a network namespace whose loopback interface is down: the daemon would try to connect until
    ///   it is stopped.
    static func check() throws(LoopbackError) {
        let end = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        guard end >= 0 else { throw LoopbackError(code: errno) }
        defer { close(end) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(9).bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        // Datagrams: nothing is sent, but the kernel looks for the way.
        let status = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(end, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw LoopbackError(code: errno) }
    }
}

struct LoopbackError: Error, CustomStringConvertible {
    let code: Int32

    var description: String {
        "this machine does not reach itself at 127.0.0.1 (\(String(cString: strerror(code)))): bring up its loopback "
            + "interface, as root: ip link set lo up"
    }
}
