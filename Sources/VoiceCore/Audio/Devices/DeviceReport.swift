internal import CAlsa
internal import CLinux
internal import Glibc
package import VoiceBase

/// The facts needed about a device that its owner reports, and none about the owner.
///
/// Names types of devices, not instances: no names of hosts or users, no card names chosen by the owner, no serial numbers,
/// no bus positions.
package struct DeviceReport: Sendable {
    private let version: String
    /// Texts that must not appear, whatever a device reports about itself.
    private let hidden: [String]

    /// - Parameter hidden: names and serial numbers.
    package init(version: String, hidden: [String]) {
        self.version = version
        self.hidden = hidden.filter { $0.utf8.count >= 3 }
    }

    /// Hides the names of this machine and user and the serial numbers of its sound cards.
    package static func ofThisMachine(
        version: String,
        entries: [AudioDeviceEntry],
        environment: [String: String],
        files: FileReader = .system
    ) -> DeviceReport {
        var hidden = [HostName.current, environment["USER"] ?? "", environment["SUDO_USER"] ?? ""]
        for number in Set(entries.compactMap(\.cardNumber)) {
            let path = "/sys/class/sound/card\(number)/device/../serial"
            guard let bytes = try? files.read(path, 256).bytes else { continue }
            hidden.append(String(decoding: bytes.prefix { $0 >= 0x20 }, as: UTF8.self))
        }
        return DeviceReport(version: version, hidden: hidden)
    }

    package func text(_ sheets: [DeviceSheet], echo: String?) -> String {
        var lines = ["jarvis-voiced \(version), \(Self.system), ALSA \(String(cString: snd_asoundlib_version()))"]
        for (place, sheet) in sheets.enumerated() {
            lines.append("")
            lines.append("device \(place + 1): \(title(sheet))")
            lines += sheet.lines.map { "  " + clean($0, of: sheet) }
        }
        if sheets.isEmpty { lines.append("no sound card; another device is reported if you give its name") }
        lines += [
            "",
            "echo-test: \(echo.map { clean($0, of: nil) } ?? "none with the devices in audio.input and audio.output")",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The maker's name of a card. Anything else was named by whoever wrote ALSA's configuration.
    private func title(_ sheet: DeviceSheet) -> String {
        if Self.usualNames.contains(sheet.entry.id) { return sheet.entry.id }
        return sheet.entry.card == nil ? "(name)" : clean(sheet.entry.name, of: sheet)
    }

    private static let usualNames = ["default", "sysdefault", "pulse", "pipewire", "jack"]

    /// Removes names given by the owner from the text. A card's id may be the owner's choice (udev), as may names of devices
    /// that are not cards.
    private func clean(_ text: String, of sheet: DeviceSheet?) -> String {
        var text = text
        let id = sheet.map(\.entry.id).flatMap { Self.usualNames.contains($0) ? nil : $0 }
        for name in [id ?? ""] + hidden where !name.isEmpty { text = Self.replacing(name, in: text) }
        return Self.withoutSerials(text)
    }

    /// Replaces words that look like serial numbers: eight or more letters, digits and hyphens, with at least four digits.
    static func withoutSerials(_ text: String) -> String {
        var result = ""
        var word = ""
        func close() {
            let digits = word.utf8.count { (0x30...0x39).contains($0) }
            result += word.utf8.count >= 8 && digits >= 4 ? "(number)" : word
            word = ""
        }
        for character in text {
            if character.isLetter || character.isNumber || character == "-" {
                word.append(character)
            } else {
                close()
                result.append(character)
            }
        }
        close()
        return result
    }

    private static func replacing(_ name: String, in text: String) -> String {
        var result = ""
        var rest = text[...]
        while !rest.isEmpty {
            if rest.hasPrefix(name) {
                result += "(name)"
                rest = rest.dropFirst(name.count)
            } else {
                result.append(rest.removeFirst())
            }
        }
        return result
    }

    private static var system: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "Linux" }
        func text<Tuple>(_ tuple: Tuple) -> String {
            withUnsafeBytes(of: tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        // The release alone: the rest of the kernel version may name who built it.
        return "\(text(name.sysname)) \(text(name.release)) \(text(name.machine))"
    }
}
