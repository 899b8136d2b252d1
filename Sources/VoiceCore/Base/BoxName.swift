internal import Glibc

/// The household's name for this box.
package enum BoxName {
    /// The longest name, in characters.
    package static let longest = 40

    /// The name to show: that of the configuration, else the host's.
    package static func shown(_ configured: String, host: String = BoxName.host) -> String {
        let name = String(configured.prefix(longest))
        return name.allSatisfy(\.isWhitespace) ? host : name
    }

    /// The first label of this host's name; "jarvis" if it has none.
    package static var host: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "jarvis" }
        let name = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return label(String(name.prefix { $0 != "." })) ?? "jarvis"
    }

    /// The name as a label of DNS, "Küche oben" as "kueche-oben"; nil if nothing is left of it.
    package static func label(_ name: String) -> String? {
        var label = ""
        for character in name.lowercased().prefix(longest) {
            if character.isASCII, character.isLetter || character.isNumber {
                label.append(character)
            } else if let spelled = spellings[character] {
                label += spelled
            } else if let last = label.last, last != "-" {
                label.append("-")
            }
        }
        label = String(label.prefix(63))
        while label.last == "-" { label.removeLast() }
        return label.isEmpty ? nil : label
    }

    private static let spellings: [Character: String] = [
        "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "å": "a", "æ": "ae", "ø": "o", "é": "e", "è": "e", "ê": "e",
        "à": "a",
        "á": "a", "â": "a", "ç": "c", "ñ": "n", "í": "i", "ó": "o", "ô": "o", "ú": "u",
    ]
}
