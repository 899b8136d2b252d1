internal import VoiceBase
internal import VoiceConfiguration

/// Text that may be shown anywhere, because it reveals something about the program, but nothing about its user.
enum HarmlessText {
    static let hidden = "(not shown)"

    /// The place of a mistake in a configuration, "/etc/jarvis-voiced/jarvis-voiced.toml:3:1:"; under any other file
    /// name, only line and column.
    static func place(_ token: Substring) -> String? {
        let parts = token.split(separator: ":", omittingEmptySubsequences: false)
        guard (3...4).contains(parts.count), parts[0].hasSuffix(".toml"), parts.last == "" else { return nil }
        let numbers = parts[1..<(parts.count - 1)]
        guard numbers.allSatisfy({ isNumber($0, digits: 4) }) else { return nil }
        let usual = "/etc/jarvis-voiced/jarvis-voiced.toml"
        return "\(parts[0] == usual ? usual : hidden):" + numbers.joined(separator: ":") + ":"
    }

    /// A quoted value that some key accepts, with or without punctuation: "half" in `one of "full" or "half"`.
    static func isChoice(_ token: Substring) -> Bool {
        var word = token
        while let last = word.last, ",.:;)".contains(last) { word.removeLast() }
        if word.first == "(" { word.removeFirst() }
        guard word.count > 2, word.first == "\"", word.last == "\"" else { return false }
        return choices.contains(String(word.dropFirst().dropLast()))
    }

    private static let choices: Set<String> = {
        var all: Set<String> = []
        for key in ConfigurationSchema.keys { if case .choice(let choices) = key.kind { all.formUnion(choices) } }
        return all
    }()

    /// Whether it is the version of a release, such as "1.2.3".
    static func isVersion(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return (2...3).contains(parts.count) && parts.allSatisfy { isNumber($0, digits: 3) }
    }

    static func isNumber(_ text: Substring, digits: Int) -> Bool {
        (1...digits).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The host of an address; only hosts common to all installations are shown by name.
    static func host(_ host: String) -> String {
        if ["api.openai.com", "localhost", "127.0.0.1", "::1"].contains(host) {
            return host.contains(":") ? "[\(host)]" : host
        }
        let isAddress = host.contains(":") || host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
        return isAddress ? "(address)" : "(host)"
    }
}

/// Names of ALSA devices that describe the card and nothing else.
enum DeviceName {
    private static let plain: Set<String> = ["default", "pulse", "pipewire", "jack", "null", "sysdefault"]
    private static let kinds: Set<String> = [
        "hw", "plughw", "plug", "sysdefault", "default", "front", "dmix", "dsnoop", "hdmi", "iec958", "surround40",
        "surround51", "usbstream",
    ]
    /// Card ids assigned by drivers. A udev rule may assign any other id, such as the name of a room.
    private static let cards: Set<String> = [
        "PCH", "Generic", "NVidia", "Intel", "HDMI", "AC97", "Device", "Headphones", "Headset", "Microphone", "Speaker",
        "USB",
        "Audio", "CODEC", "Loopback", "Dummy", "ALSA", "b1", "vc4hdmi", "vc4hdmi0", "vc4hdmi1", "seeed2micvoicec",
        "seeed4micvoicec", "seeed8micvoicec", "sndrpihifiberry", "sndrpii2scard", "wm8960soundcard", "ArrayUAC10",
        "UAC1Gadget", "UAC2Gadget",
    ]

    /// "hw:1,0", "plughw:CARD=Device,DEV=0" or "plug:hw:2". A card id that may be user-assigned is hidden; nil if the
    /// text is not a device.
    static func shown(_ text: String) -> String? {
        if plain.contains(text) { return text }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), parts.dropLast().allSatisfy({ kinds.contains(String($0)) }),
            let last = parts.last, last.utf8.count <= 48
        else { return nil }
        var pieces: [String] = []
        for piece in last.split(separator: ",", omittingEmptySubsequences: false) {
            let value = piece.split(separator: "=", maxSplits: 1).last ?? ""
            let name = piece.count == value.count ? "" : String(piece.dropLast(value.count + 1))
            guard ["", "CARD", "DEV", "SUBDEV"].contains(name), isID(value) else { return nil }
            let isNumber = HarmlessText.isNumber(value, digits: 2)
            guard isNumber || name == "" || name == "CARD" else { return nil }
            let shown = isNumber || isOfDriver(value) ? String(value) : HarmlessText.hidden
            pieces.append(name.isEmpty ? shown : "\(name)=\(shown)")
        }
        return parts.dropLast().joined(separator: ":") + ":" + pieces.joined(separator: ",")
    }

    /// Whether it is a driver's id, possibly with the number the kernel appends for further cards of the kind.
    static func isOfDriver(_ id: some StringProtocol) -> Bool {
        let parts = id.split(separator: "_", omittingEmptySubsequences: false)
        let isNumbered = parts.count == 2 && HarmlessText.isNumber(Substring(parts[1]), digits: 1)
        return cards.contains(isNumbered ? String(parts[0]) : String(id))
    }

    /// A card id of the kernel has up to 15 characters.
    private static func isID(_ text: Substring) -> Bool {
        (1...15).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "_")
            }
    }

    /// The kernel's list of cards (/proc/asound/cards), without ids that no driver assigns.
    static func cards(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard let start = line.firstIndex(of: "["), let end = line.firstIndex(of: "]"), start < end else {
                return line
            }
            let id = line[line.index(after: start)..<end].filter { $0 != " " }
            return isOfDriver(id) ? line : line[...start] + HarmlessText.hidden + line[end...]
        }.joined(separator: "\n")
    }

    static func id(_ text: String) -> String {
        let id = text.filter { !$0.isWhitespace }
        return (isOfDriver(id) ? id : HarmlessText.hidden) + "\n"
    }
}
