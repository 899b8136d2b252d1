/// Decides whether a token may be sent to an address: over TLS always, in the open only within the own network.
package enum TokenTransportPolicy {
    /// True for https and wss; else for loopback, private (RFC 1918), shared (RFC 6598) and link-local addresses,
    /// unique local addresses of IPv6, names under .local and .localhost, and names without a dot.
    package static func allows(_ url: ServerURL) -> Bool {
        if url.scheme == "https" || url.scheme == "wss" { return true }
        if url.host.contains(":") { return isNearIPv6(url.host) }
        if let address = ipv4(url.host) { return isNearIPv4(address) }
        var host = url.host[...]
        if host.last == "." { host.removeLast() }
        if host.hasSuffix(".local") || host.hasSuffix(".localhost") { return true }
        // "2130706433" and "0x7f000001" are addresses to some resolvers, so a bare name must begin with a letter.
        return !host.contains(".") && host.first?.isLetter == true
    }

    private static func isNearIPv4(_ address: [UInt8]) -> Bool {
        switch (address[0], address[1]) {
        case (127, _), (10, _), (192, 168), (172, 16...31), (100, 64...127), (169, 254): true
        default: false
        }
    }

    private static func isNearIPv6(_ host: String) -> Bool {
        if host == "::1" { return true }
        guard let first = host.split(separator: ":", omittingEmptySubsequences: false).first, first.count == 4,
            let group = UInt16(first, radix: 16)
        else { return false }
        return group & 0xFE00 == 0xFC00 || group & 0xFFC0 == 0xFE80
    }

    /// Dotted decimal in its one canonical form.
    private static func ipv4(_ host: String) -> [UInt8]? {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part in UInt8(part).flatMap { String($0) == part ? $0 : nil } }
        return parts.count == 4 && bytes.count == 4 ? bytes : nil
    }
}
