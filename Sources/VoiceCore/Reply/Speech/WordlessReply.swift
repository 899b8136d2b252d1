/// Says what a reply is that has no words: an address, code, data, a picture.
enum WordlessReply {
    static let code = "A piece of code."
    static let data = "A piece of data."
    static let link = "A link"
    private static let mostPictures = 3

    static func described(_ text: String, hasCode: Bool, hasData: Bool) -> String? {
        if hasCode { return code }
        if hasData { return data }
        let names = pictures(in: text)
        return names.isEmpty ? nil : names.prefix(mostPictures).joined(separator: ", ") + "."
    }

    /// "A link to example.org."
    static func link(to hosts: [String]) -> String {
        var different: [String] = []
        for host in hosts where !different.contains(host) { different.append(host) }
        guard different.count <= mostPictures else { return "Links to \(different.count) sites." }
        if different.count > 1 { return "Links to \(different.joined(separator: ", "))." }
        return different.first.map { "\(link) to \($0)." } ?? link + "."
    }

    private static func pictures(in text: String) -> [String] {
        var names: [String] = []
        for character in text.prefix(200) {
            guard let scalar = character.unicodeScalars.first, scalar.properties.isEmoji, !scalar.isASCII else {
                continue
            }
            if (0x1F1E6...0x1F1FF).contains(scalar.value) {
                names.append("a flag")
            } else if let name = scalar.properties.name {
                let words = name.lowercased().split(separator: " ").filter {
                    !["sign", "symbol", "heavy"].contains($0)
                }
                names.append(words.joined(separator: " "))
            }
        }
        var different: [String] = []
        for name in names where different.last != name { different.append(name) }
        return different
    }
}
