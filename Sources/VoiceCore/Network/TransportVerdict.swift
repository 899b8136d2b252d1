/// Decides whether confidential data may travel to a server: over TLS always, unencrypted only within the local network.
///
/// Judged by the address connected to, not by the look of the name: only the name server of this network knows what
/// "homelab.lan" resolves to, and a public name may resolve to a local address.
package enum TransportVerdict: Equatable, Sendable {
    /// TLS.
    case encrypted
    /// Unencrypted to any address, because the user allows it: `allow_plain_http`.
    case allowed
    /// Unencrypted, to this address of the local network.
    case near(NetworkAddress, Nearness)
    /// Unencrypted, but the name has no address at present.
    case unresolved
    /// Refused: no address belongs to the local network. Holds the first one.
    case exposed(NetworkAddress)

    /// Why an address counts as local.
    package enum Nearness: String, Equatable, Sendable {
        /// 127.0.0.0/8, ::1 (RFC 6890), and 0.0.0.0 and ::, which on Linux reach the machine itself.
        case loopback
        /// 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 (RFC 1918).
        case privateUse = "private"
        /// 100.64.0.0/10 (RFC 6598); used by Tailscale.
        case shared
        /// 169.254.0.0/16 (RFC 3927), fe80::/10 (RFC 4291).
        case linkLocal = "link-local"
        /// fc00::/7 (RFC 4193).
        case uniqueLocal = "unique local"
        /// On a link of one of this machine's interfaces.
        case ownLink = "on a link of this machine"
    }

    /// - Parameters:
    ///   - addresses: the addresses of the name; libcurl connects only to those that are local.
    ///   - ownLinks: the links of this machine.
    package static func judge(
        isEncrypted: Bool,
        allowsPlain: Bool,
        addresses: [NetworkAddress],
        ownLinks: [NetworkPrefix]
    ) -> TransportVerdict {
        if isEncrypted { return .encrypted }
        if allowsPlain { return .allowed }
        guard let first = addresses.first else { return .unresolved }
        for address in addresses {
            if let nearness = nearness(of: address, ownLinks: ownLinks) { return .near(address, nearness) }
        }
        return .exposed(first)
    }

    /// Whether unencrypted sound must not go to this address. What a name resolves to is judged when it is connected to.
    package static func isExposed(_ address: NetworkAddress) -> Bool {
        nearness(of: address, ownLinks: NetworkPrefix.ownLinks()) == nil
    }

    /// The same for the host of an address; false for a name.
    package static func isExposed(host: String) -> Bool { NetworkAddress(text: host).map { isExposed($0) } ?? false }

    /// Why an address counts as local; nil for any other.
    ///
    /// Of the forms of IPv4 in IPv6, only the mapped one (::ffff:0:0/96) uses IPv4 itself. 6to4 and NAT64 pass through a
    /// gateway elsewhere, so the embedded address says nothing.
    static func nearness(of address: NetworkAddress, ownLinks: @autoclosure () -> [NetworkPrefix]) -> Nearness? {
        let isMapped =
            address.written.count == 16 && address.written.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        let bytes = isMapped ? Array(address.written.suffix(4)) : address.written
        if let known = bytes.count == 4 ? nearness4(bytes) : nearness6(bytes) { return known }
        guard let address = NetworkAddress(bytes) else { return nil }
        return ownLinks().contains { $0.contains(address) } ? .ownLink : nil
    }

    private static func nearness4(_ bytes: [UInt8]) -> Nearness? {
        switch (bytes[0], bytes[1]) {
        case (127, _): .loopback
        case (0, 0) where bytes[2] == 0 && bytes[3] == 0: .loopback
        case (10, _), (172, 16...31), (192, 168): .privateUse
        case (100, 64...127): .shared
        case (169, 254): .linkLocal
        default: nil
        }
    }

    private static func nearness6(_ bytes: [UInt8]) -> Nearness? {
        if bytes.dropLast().allSatisfy({ $0 == 0 }), bytes[15] <= 1 { return .loopback }
        if bytes[0] & 0xFE == 0xFC { return .uniqueLocal }
        return bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 ? .linkLocal : nil
    }
}
