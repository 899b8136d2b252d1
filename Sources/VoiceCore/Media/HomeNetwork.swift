// For the socket types.
internal import CCurl
internal import Glibc
internal import VoiceNetwork

/// The networks of this machine. With IPv6, the devices of a home have public addresses, which the address alone does
/// not distinguish from the internet.
struct HomeNetwork: Sendable, Equatable {
    struct Prefix: Sendable, Equatable {
        /// 4 or 16 bytes.
        var bytes: [UInt8]
        /// In bits.
        var length: Int
    }

    /// Longest prefix of a home, in bits. A home has several /64 networks below one prefix, and providers are advised
    /// to assign a /56 (RIPE-690 section 4.2, RFC 6177).
    private static let longestOfHome = 56

    private let prefixes: [Prefix]

    /// - Parameter interfaces: addresses of this machine, each with the prefix length of its network.
    init(_ interfaces: [Prefix]) {
        prefixes = interfaces.map { network in
            Prefix(
                bytes: network.bytes,
                length: network.bytes.count == 16 ? min(network.length, Self.longestOfHome) : network.length
            )
        }
    }

    func contains(_ address: NetworkAddress) -> Bool {
        [address.bytes, address.written].contains { bytes in
            prefixes.contains { Self.agree(bytes, $0.bytes, upTo: $0.length) }
        }
    }

    private static func agree(_ one: [UInt8], _ other: [UInt8], upTo length: Int) -> Bool {
        guard one.count == other.count, length >= 0, length <= one.count * 8 else { return false }
        let whole = length / 8
        guard one.prefix(whole) == other.prefix(whole) else { return false }
        guard length % 8 > 0 else { return true }
        return (one[whole] ^ other[whole]) >> UInt8(8 - length % 8) == 0
    }

    /// Returns the networks of the interfaces as they are now. A query to the kernel, which takes microseconds.
    static func now() -> HomeNetwork {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return HomeNetwork([]) }
        defer { freeifaddrs(list) }
        var found: [Prefix] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = bytes(entry.ifa_addr), let mask = bytes(entry.ifa_netmask) else { continue }
            found.append(Prefix(bytes: address, length: mask.reduce(0) { $0 + $1.nonzeroBitCount }))
        }
        return HomeNetwork(found)
    }

    private static func bytes(_ address: UnsafeMutablePointer<sockaddr>?) -> [UInt8]? {
        guard let address else { return nil }
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { four in
                withUnsafeBytes(of: four.pointee.sin_addr) { Array($0) }
            }
        case AF_INET6:
            return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { six in
                withUnsafeBytes(of: six.pointee.sin6_addr) { Array($0) }
            }
        default: return nil
        }
    }
}
