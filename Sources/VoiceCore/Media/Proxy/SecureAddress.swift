package import VoiceBase

/// Encodes https addresses so that a decoder without TLS requests them from the proxy over plain http on this machine:
///
///     https://example.org/a/list.m3u8   <->  http://example.org.https.invalid:443/a/list.m3u8
///     https://[2001:db8::1]:8443/x      <->  http://2001-db8--1.v6.https.invalid:8443/x
///
/// The encoding is in the host, so that references relative to such an address stay https. No name below "invalid"
/// exists on the network (RFC 6761 section 6.4).
package enum SecureAddress {
    private static let mark = ".https.invalid"
    private static let markOfSix = ".v6" + mark

    /// Returns the address for the decoder; http addresses are returned unchanged.
    package static func plain(_ address: String) -> String {
        let scheme = "https://"
        guard address.prefix(scheme.count).lowercased() == scheme else { return address }
        let rest = address.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let server = ServerURL(scheme + authority) else { return address }
        return "http://\(host(server)):\(server.port)" + rest[authority.endIndex...]
    }

    private static func host(_ server: ServerURL) -> String {
        guard server.host.contains(":") else { return server.host + mark }
        return String(server.host.map { $0 == ":" ? "-" : $0 }) + markOfSix
    }

    /// Returns the server that an address of the decoder encodes; nil if the encoded name is invalid.
    package static func meant(by url: ServerURL) -> ServerURL? {
        guard url.host.hasSuffix(mark) else { return url }
        if url.host.hasSuffix(markOfSix) {
            let digits = url.host.dropLast(markOfSix.count).map { $0 == "-" ? ":" : $0 }
            return ServerURL("https://[\(String(digits))]:\(url.port)")
        }
        return ServerURL("https://\(url.host.dropLast(mark.count)):\(url.port)")
    }
}
