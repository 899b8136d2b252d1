/// Marks around the text of links while a block is collected, so that references in brackets can be left out.
enum LinkMarks {
    // In the private use area: `SpokenText` drops remaining ones.
    static let open = "\u{E000}"
    static let close = "\u{E001}"
    /// A hard line break.
    static let lineEnd = "\u{E002}"

    /// Removes brackets that contain only links: "It opens at ten ([source], [map])."
    static func resolve(_ text: String) -> String {
        guard text.contains(open) else { return text }
        var result = ""
        var rest = text[...]
        while let bracket = rest.firstIndex(of: "(") {
            result += rest[..<bracket]
            rest = rest[bracket...]
            if let end = endOfReferences(rest) {
                while result.last == " " { result.removeLast() }
                rest = rest[end...]
            } else {
                result += "("
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    /// Returns the index after the closing bracket if only links precede it.
    private static func endOfReferences(_ text: Substring) -> Substring.Index? {
        var isInLink = false
        var hasLink = false
        for index in text.indices.dropFirst().prefix(400) {
            switch text[index] {
            case Character(open): (isInLink, hasLink) = (true, true)
            case Character(close): isInLink = false
            case ")" where !isInLink: return hasLink ? text.index(after: index) : nil
            case ",", ";", " ", "|": break
            default: if !isInLink { return nil }
            }
        }
        return nil
    }
}
