import CCurl
import Glibc

/// The addresses on one link: a network address and its prefix length.
package struct NetworkPrefix: Equatable, Sendable {
    /// In network order; 4 or 16 bytes.
    let bytes: [UInt8]
    let bits: Int

    /// nil if `bits` exceeds the length of the address.
    init?(_ address: NetworkAddress, bits: Int) {
        guard (0...address.written.count * 8).contains(bits) else { return nil }
        bytes = address.written
        self.bits = bits
    }

    /// "192.0.2.0/24"; nil for anything else.
    package init?(text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = NetworkAddress(text: String(parts[0])), let bits = Int(parts[1]) else {
            return nil
        }
        self.init(address, bits: bits)
    }

    func contains(_ address: NetworkAddress) -> Bool {
        guard address.written.count == bytes.count else { return false }
        return bytes.indices.allSatisfy { index in
            let counted = min(8, max(0, bits - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> counted)
            return bytes[index] & mask == address.written[index] & mask
        }
    }

    /// The links of this machine's interfaces that are up at present.
    ///
    /// For a tunnel, only the near end counts: the far end may be anywhere. Prefixes shorter than 16 bits for IPv4 or 48
    /// for IPv6 are not those of a home and count as the machine's own address alone.
    package static func ownLinks() -> [NetworkPrefix] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [NetworkPrefix] = []
        var entry = list
        while let interface = entry?.pointee {
            entry = interface.ifa_next
            guard interface.ifa_flags & UInt32(IFF_UP) != 0, let address = address(interface.ifa_addr) else {
                continue
            }
            let whole = address.written.count * 8
            let mask = Self.address(interface.ifa_netmask)?.written ?? []
            let bits = mask.reduce(0) { $0 + $1.nonzeroBitCount }
            let isTunnel = interface.ifa_flags & UInt32(IFF_POINTOPOINT) != 0
            let isHome = !isTunnel && bits >= (whole == 32 ? 16 : 48)
            if let prefix = NetworkPrefix(address, bits: isHome ? bits : whole) { found.append(prefix) }
        }
        return found
    }

    private static func address(_ pointer: UnsafeMutablePointer<sockaddr>?) -> NetworkAddress? {
        guard let pointer else { return nil }
        let size =
            switch Int32(pointer.pointee.sa_family) {
            case AF_INET: MemoryLayout<sockaddr_in>.size
            case AF_INET6: MemoryLayout<sockaddr_in6>.size
            default: 0
            }
        return NetworkAddress(socketAddress: UnsafeRawBufferPointer(start: pointer, count: size))
    }
}
