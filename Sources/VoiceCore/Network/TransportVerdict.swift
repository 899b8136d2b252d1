/// Whether what is confidential may travel to a server: over TLS always, in the open within the own network alone.
///
/// Judged by the address that is connected to, not by the look of a name: what "homelab.lan" stands for, only the name server of
/// this network knows, and a name of the public internet may lead home.
package enum TransportVerdict: Equatable, Sendable {
    /// TLS.
    case encrypted
    /// In the open wherever it leads, because the user says so: `allow_plain_http`.
    case allowed
    /// In the open, to this address of the own network.
    case near(NetworkAddress, Nearness)
    /// In the open, and the name has no address now.
    case unresolved
    /// Not in the open: no address belongs to the own network; the first one.
    case exposed(NetworkAddress)

    /// Why an address counts as of the own network.
    package enum Nearness: String, Equatable, Sendable {
        /// 127.0.0.0/8, ::1 (RFC 6890), and 0.0.0.0 and ::, with which Linux reaches itself.
        case loopback
        /// 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 (RFC 1918).
        case privateUse = "private"
        /// 100.64.0.0/10 (RFC 6598): Tailscale's.
        case shared
        /// 169.254.0.0/16 (RFC 3927), fe80::/10 (RFC 4291).
        case linkLocal = "link-local"
        /// fc00::/7 (RFC 4193).
        case uniqueLocal = "unique local"
        /// On a link of one of this machine's interfaces.
        case ownLink = "on a link of this machine"
    }

    /// - Parameters:
    ///   - addresses: what the name stands for; libcurl connects to those alone that are near.
    ///   - ownLinks: of this machine.
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

    /// Nil for an address outside the own network.
    ///
    /// Of the forms that hold IPv4 in IPv6 only the mapped one (::ffff:0:0/96) stays on IPv4; 6to4 and NAT64 go through a gateway
    /// elsewhere, so what they hold says nothing.
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
