package import VoiceBase

/// Identity of a sound card, taken from the USB device behind it.
package struct CardIdentity: Sendable, Equatable {
    package var vendor: UInt16?
    package var product: UInt16?
    /// `bcdDevice`, the firmware version: 0x0210 for 2.10.
    package var firmware: UInt16?
    /// The maker's name for it.
    package var name: String

    /// "0b0e:0420 1.05 name", or the name alone for a card that is not on USB. Contains no serial number.
    package var text: String {
        guard let vendor, let product else { return name }
        return "\(Self.hex(vendor)):\(Self.hex(product))" + (firmware.map { " " + Self.version($0) } ?? "") + " " + name
    }

    static func hex(_ value: UInt16) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    static func version(_ value: UInt16) -> String {
        let low = String(value & 0xFF, radix: 16)
        return String(value >> 8, radix: 16) + "." + (low.count < 2 ? "0" : "") + low
    }

    /// Reads the identity from sysfs.
    ///
    /// - Parameters:
    ///   - card: card number.
    ///   - name: name of the card in ALSA.
    ///   - root: mount point of sysfs.
    package static func read(
        card: Int,
        name: String,
        root: String = "/sys",
        files: FileReader = .system
    ) -> CardIdentity {
        // The sound card belongs to an interface of the USB device, which is the parent folder.
        let folder = "\(root)/class/sound/card\(card)/device/.."
        func number(_ file: String) -> UInt16? {
            guard let bytes = try? files.read("\(folder)/\(file)", 64).bytes else { return nil }
            let text = String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
            return text.utf8.count <= 4 ? UInt16(text, radix: 16) : nil
        }
        return CardIdentity(
            vendor: number("idVendor"), product: number("idProduct"), firmware: number("bcdDevice"), name: name
        )
    }

    /// Returns `text` of the microphone that a configured name means at present; empty if it leads to no card.
    package static func text(ofMicrophone name: String, in entries: [AudioDeviceEntry]) -> String {
        guard let device = try? AudioDeviceCatalog.resolve(name, direction: .capture, in: entries) else { return "" }
        return of(device, in: entries)?.text ?? ""
    }

    /// Returns the identity of the card behind an ALSA name; nil if the name does not lead to a card.
    static func of(_ device: String, in entries: [AudioDeviceEntry]) -> CardIdentity? {
        if let entry = entries.first(where: { $0.id == device }), let number = entry.cardNumber {
            return read(card: number, name: entry.name)
        }
        guard let number = KernelDeviceName(device).card.map(Int.init) else { return nil }
        return read(card: number, name: entries.first { $0.cardNumber == number }?.name ?? "")
    }
}
