package import CCurl
internal import Glibc

/// An IPv4 or IPv6 address, and whether it belongs to the public internet.
package struct NetworkAddress: Equatable, Sendable {
    /// 4 or 16 bytes in network order, used to decide whether the address is public.
    package let bytes: [UInt8]
    /// The bytes as given, used to connect.
    package let written: [UInt8]

    /// nil for anything but 4 or 16 bytes. IPv4 inside IPv6 (::ffff:0:0/96, 64:ff9b::/96, 2002::/16) is judged as IPv4.
    package init?(_ bytes: [UInt8]) {
        written = bytes
        guard bytes.count == 16 else {
            guard bytes.count == 4 else { return nil }
            self.bytes = bytes
            return
        }
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        let isTranslated = bytes.prefix(12) == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        if isMapped || isTranslated {
            self.bytes = Array(bytes.suffix(4))
        } else if bytes[0] == 0x20 && bytes[1] == 0x02 {
            self.bytes = Array(bytes[2..<6])
        } else {
            self.bytes = bytes
        }
    }

    /// Parses the numeric forms supported by inet_pton.
    package init?(text: String) {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(withUnsafeBytes(of: four) { Array($0) })
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        self.init(withUnsafeBytes(of: six) { Array($0) })
    }

    /// The address in a `sockaddr_in` or `sockaddr_in6`; nil for other families or too few bytes.
    package init?(socketAddress: UnsafeRawBufferPointer) {
        guard socketAddress.count >= MemoryLayout<sockaddr_in>.size else { return nil }
        switch Int32(socketAddress.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET:
            let four = socketAddress.loadUnaligned(as: sockaddr_in.self)
            self.init(withUnsafeBytes(of: four.sin_addr) { Array($0) })
        case AF_INET6 where socketAddress.count >= MemoryLayout<sockaddr_in6>.size:
            let six = socketAddress.loadUnaligned(as: sockaddr_in6.self)
            self.init(withUnsafeBytes(of: six.sin6_addr) { Array($0) })
        default: return nil
        }
    }

    /// False for loopback, private, link-local, carrier-grade NAT, multicast, documentation and reserved ranges (IANA
    /// special-purpose address registries, RFC 6890).
    package var isPublic: Bool {
        bytes.count == 4 ? isPublic4 : isPublic6
    }

    private var isPublic4: Bool {
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (224..., _, _): false
        case (100, 64...127, _), (169, 254, _), (172, 16...31, _), (192, 168, _): false
        case (192, 0, 0), (192, 0, 2), (198, 18...19, _), (198, 51, 100), (203, 0, 113): false
        default: true
        }
    }

    private var isPublic6: Bool {
        // Global unicast is 2000::/3; 2001::/23 and 2001:db8::/32 are reserved within it.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        if bytes[0] == 0x20 && bytes[1] == 0x01 {
            if bytes[2] & 0xFE == 0 { return false }
            if bytes[2] == 0x0D && bytes[3] == 0xB8 { return false }
        }
        return true
    }

    /// The form used by getaddrinfo and libcurl: "192.168.1.2", "fd00::2".
    package var text: String {
        var name = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, written, &name, socklen_t(name.count)) != nil else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// AF_INET or AF_INET6.
    package var family: Int32 { written.count == 4 ? AF_INET : AF_INET6 }

    /// Passes the address and a port in the form of the socket calls.
    package func withSocketAddress<Result>(port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result
    {
        let port = UInt16(truncatingIfNeeded: port).bigEndian
        var storage = sockaddr_storage()
        let size = withUnsafeMutableBytes(of: &storage) { bytes in
            if family == AF_INET {
                var four = sockaddr_in()
                (four.sin_family, four.sin_port) = (sa_family_t(AF_INET), port)
                withUnsafeMutableBytes(of: &four.sin_addr) { $0.copyBytes(from: written) }
                bytes.storeBytes(of: four, as: sockaddr_in.self)
                return MemoryLayout<sockaddr_in>.size
            }
            var six = sockaddr_in6()
            (six.sin6_family, six.sin6_port) = (sa_family_t(AF_INET6), port)
            withUnsafeMutableBytes(of: &six.sin6_addr) { $0.copyBytes(from: written) }
            bytes.storeBytes(of: six, as: sockaddr_in6.self)
            return MemoryLayout<sockaddr_in6>.size
        }
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
        }
    }

    /// Resolves a host through the system; empty if it has no address. Blocks, for seconds at worst.
    package static func lookUp(_ host: String) -> [NetworkAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [NetworkAddress] = []
        var entry = list
        while let info = entry?.pointee {
            entry = info.ai_next
            let raw = UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen))
            if let address = NetworkAddress(socketAddress: raw) { found.append(address) }
        }
        return found
    }
}
