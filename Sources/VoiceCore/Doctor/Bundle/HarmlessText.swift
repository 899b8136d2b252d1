internal import VoiceBase
internal import VoiceConfiguration

/// What may be shown wherever it stands: it tells of the program, and nothing of who runs it.
enum HarmlessText {
    static let hidden = "(not shown)"

    /// The place of a mistake in a configuration, "/etc/jarvis-voiced/jarvis-voiced.toml:3:1:"; of a file under any other
    /// name, its line and column alone.
    static func place(_ token: Substring) -> String? {
        let parts = token.split(separator: ":", omittingEmptySubsequences: false)
        guard (3...4).contains(parts.count), parts[0].hasSuffix(".toml"), parts.last == "" else { return nil }
        let numbers = parts[1..<(parts.count - 1)]
        guard numbers.allSatisfy({ isNumber($0, digits: 4) }) else { return nil }
        let usual = "/etc/jarvis-voiced/jarvis-voiced.toml"
        return "\(parts[0] == usual ? usual : hidden):" + numbers.joined(separator: ":") + ":"
    }

    /// A word that some key takes, in quotes, with or without punctuation behind it: "half" in `one of "full" or "half"`.
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

    /// The version of a release, "1.2.3".
    static func isVersion(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return (2...3).contains(parts.count) && parts.allSatisfy { isNumber($0, digits: 3) }
    }

    static func isNumber(_ text: Substring, digits: Int) -> Bool {
        (1...digits).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The host of an address: those that everybody has by their names.
    static func host(_ host: String) -> String {
        if ["api.openai.com", "localhost", "127.0.0.1", "::1"].contains(host) {
            return host.contains(":") ? "[\(host)]" : host
        }
        let isAddress = host.contains(":") || host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
        return isAddress ? "(address)" : "(host)"
    }
}

/// Names of ALSA devices that say what a card is and nothing else.
enum DeviceName {
    private static let plain: Set<String> = ["default", "pulse", "pipewire", "jack", "null", "sysdefault"]
    private static let kinds: Set<String> = [
        "hw", "plughw", "plug", "sysdefault", "default", "front", "dmix", "dsnoop", "hdmi", "iec958", "surround40",
        "surround51", "usbstream",
    ]
    /// Ids that drivers give. A rule of udev may give a card any other, the name of a room for instance.
    private static let cards: Set<String> = [
        "PCH", "Generic", "NVidia", "Intel", "HDMI", "AC97", "Device", "Headphones", "Headset", "Microphone", "Speaker",
        "USB",
        "Audio", "CODEC", "Loopback", "Dummy", "ALSA", "b1", "vc4hdmi", "vc4hdmi0", "vc4hdmi1", "seeed2micvoicec",
        "seeed4micvoicec", "seeed8micvoicec", "sndrpihifiberry", "sndrpii2scard", "wm8960soundcard", "ArrayUAC10",
        "UAC1Gadget", "UAC2Gadget",
    ]

    /// "hw:1,0", "plughw:CARD=Device,DEV=0", "plug:hw:2"; with a card's name left out that anybody may have given; nil for
    /// what is no such device.
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

    /// The id of a card, with the number that the kernel gives the second of its kind.
    static func isOfDriver(_ id: some StringProtocol) -> Bool {
        let parts = id.split(separator: "_", omittingEmptySubsequences: false)
        let isNumbered = parts.count == 2 && HarmlessText.isNumber(Substring(parts[1]), digits: 1)
        return cards.contains(isNumbered ? String(parts[0]) : String(id))
    }

    /// The kernel's id of a card has 15 characters.
    private static func isID(_ text: Substring) -> Bool {
        (1...15).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "_")
            }
    }

    /// What the kernel lists of cards (/proc/asound/cards, cardN/id): ids that no driver gives are left out.
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
