internal import VoiceBase

/// A broker that announces itself in the network, by mDNS.
package struct FoundBroker: Equatable, Sendable {
    /// The broker's own name, for people. From outside.
    package var name: String
    /// "homeassistant.local".
    package var host: String
    /// Numeric.
    package var address: String
    package var port: Int
    package var isEncrypted: Bool

    /// Most brokers that are offered.
    private static let most = 8
    private static let types = [("_secure-mqtt._tcp", true), ("_mqtt._tcp", false)]

    /// Looks for brokers, for a few seconds at most. Finds none without avahi.
    package static func all() -> [FoundBroker] {
        var found: [FoundBroker] = []
        for (type, isEncrypted) in types {
            let command = ["avahi-browse", "-rpt", type]
            guard let bytes = Command.run(command, limit: .seconds(4), maximumBytes: 64 << 10) else { continue }
            found += list(String(decoding: bytes, as: UTF8.self), isEncrypted: isEncrypted)
        }
        return Array(found.prefix(most))
    }

    /// - Parameter text: what `avahi-browse -rpt` prints: lines that begin with "=" have interface, protocol, name, type,
    ///   domain, host, address, port and text, between semicolons.
    static func list(_ text: String, isEncrypted: Bool) -> [FoundBroker] {
        var found: [FoundBroker] = []
        // The same broker is listed for each interface, and for each version of IP.
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("=;") }.prefix(200)
        for line in lines.filter({ $0.contains(";IPv4;") }) + lines.filter({ !$0.contains(";IPv4;") }) {
            let fields = line.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
            guard fields.count >= 9, let port = Int(fields[8]), 1...65_535 ~= port, IPAddress(fields[7]) != nil,
                BridgeConfiguration.isHost(fields[6]),
                !found.contains(where: { $0.host == fields[6] && $0.port == port })
            else { continue }
            found.append(
                FoundBroker(
                    name: ForeignText.title(unescaped(fields[3])), host: fields[6], address: fields[7], port: port,
                    isEncrypted: isEncrypted
                )
            )
        }
        return Array(found.prefix(most))
    }

    /// avahi writes other bytes than letters and digits as three decimal digits: "Home\032Assistant".
    private static func unescaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            if let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self)), rest.count >= 3 {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else if let plain = rest.popFirst() {
                bytes.append(plain)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The broker as it is written into `mqtt.broker`.
    ///
    /// - Parameter resolves: whether this machine finds the host by its name, for which Debian needs libnss-mdns.
    package func text(resolves: (String) -> Bool) -> String {
        // A certificate is valid for the name.
        let place = isEncrypted || resolves(host) ? host : address
        return HouseSettings.text(host: place, port: port, isEncrypted: isEncrypted)
    }
}
