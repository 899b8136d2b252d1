internal import Glibc
package import VoiceBase

/// The settings of the table [esphome] in bridge.toml.
package struct NativeSettings: Sendable, Equatable {
    /// The address to listen at: IPv4 or IPv6.
    package var listen = "0.0.0.0"
    package var port = 6053
    /// Whether a client needs the key.
    package var isEncrypted = true
    /// The area that Home Assistant is to put the box into.
    package var area: String?
    /// Whether spoken words leave the box this way, while the daemon's transcripts are on.
    package var tellsWords = false

    package init() {}

    package static let table = "esphome"
    static let keys = ["enabled", "listen", "port", "encryption", "area", "transcripts"]

    /// Reads the entries of the table; other entries of the file are left out.
    ///
    /// - Parameter refuse: makes the line about an entry from a description of its fault.
    /// - Returns: nil if it is not enabled.
    init?(
        _ entries: [ConfigurationDocument.Entry],
        refuse: (ConfigurationDocument.Entry, String) -> BridgeConfiguration.Problem
    ) throws(BridgeConfiguration.Problem) {
        var isEnabled = false
        for entry in entries {
            switch (entry.path, entry.value) {
            case ("esphome.enabled", .flag(let isOn)): isEnabled = isOn
            case ("esphome.encryption", .flag(let isOn)): isEncrypted = isOn
            case ("esphome.transcripts", .flag(let isOn)): tellsWords = isOn
            case ("esphome.enabled", _), ("esphome.encryption", _), ("esphome.transcripts", _):
                throw refuse(entry, "must be true or false")
            case ("esphome.listen", .text(let address)) where IPAddress(address) != nil: listen = address
            case ("esphome.listen", _): throw refuse(entry, "must be an address such as \"0.0.0.0\" or \"::\"")
            case ("esphome.port", .integer(let number)) where 1...65_535 ~= number: port = number
            case ("esphome.port", _): throw refuse(entry, "must be a number from 1 to 65535")
            case ("esphome.area", .text(let name)) where HouseSettings.isName(name, atMost: 100): area = name
            case ("esphome.area", _): throw refuse(entry, "must be the name of a room")
            default: break
            }
        }
        guard isEnabled else { return nil }
    }

    /// Whether only programs of this machine reach it.
    package var isLocal: Bool { IPAddress(listen)?.isLoopback == true }
}

/// The key that Home Assistant asks for when it adds the box: 32 random bytes in a file of the bridge's state (0600), in base64.
/// Removing the file makes another at the next start.
package enum NativeKey {
    private static let file = SecretFile(name: "esphome-key", kind: "key") { bytes(text: $0) != nil }

    /// Reads it from a folder; makes it if it is missing.
    package static func made(
        in folder: String,
        random: inout some RandomNumberGenerator
    ) throws(BridgeConfiguration.Problem) -> Secret {
        try file.made(in: folder) {
            Secret(Base64.text((0..<NoiseHandshake.keyLength).map { _ in UInt8.random(in: 0...255, using: &random) }))
        }
    }

    /// nil if the bridge has never run with it.
    package static func read(in folder: String) throws(BridgeConfiguration.Problem) -> Secret? {
        try file.read(in: folder)
    }

    /// The 32 bytes of the key; nil if it has another form.
    static func bytes(_ key: Secret) -> [UInt8]? { bytes(text: key.revealed) }

    private static func bytes(text: String) -> [UInt8]? {
        let bytes = Array(text.utf8).withUnsafeBytes { Base64.bytes($0) }
        return bytes?.count == NoiseHandshake.keyLength ? bytes : nil
    }
}

extension HouseIdentity {
    /// The box's address for Home Assistant, in the form of a network card's: one that no manufacturer has assigned.
    var cardAddress: String {
        var digits = Array(name.utf8.map { UInt8(Character(Unicode.Scalar($0)).hexDigitValue ?? 0) })
        // Second digit: locally administered, for one machine.
        if digits.indices.contains(1) { digits[1] = digits[1] & 0xC | 2 }
        let pairs = stride(from: 0, to: digits.count - 1, by: 2).map { index in
            String(digits[index], radix: 16) + String(digits[index + 1], radix: 16)
        }
        return pairs.joined(separator: ":")
    }
}
