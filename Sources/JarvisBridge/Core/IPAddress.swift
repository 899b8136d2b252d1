internal import Glibc

/// An IPv4 or IPv6 address, written without brackets.
struct IPAddress {
    /// The range that one household or attacker controls: an IPv4 address, or 64 bits of IPv6. Empty for an unknown address.
    typealias Network = [UInt8]

    private let bytes: [UInt8]

    /// nil if it is not an address.
    init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            // An IPv4 peer of an IPv6 socket: ::ffff:a.b.c.d.
            let isMapped = bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
            self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
        } else {
            return nil
        }
    }

    var network: Network { bytes.count == 4 ? bytes : Array(bytes.prefix(8)) }

    /// 127.0.0.0/8 or ::1.
    var isLoopback: Bool {
        bytes.count == 4 ? bytes.first == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// 0.0.0.0 or ::.
    var isWildcard: Bool { bytes.allSatisfy { $0 == 0 } }
}
