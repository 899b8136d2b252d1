internal import FoundationEssentials

extension String {
    /// The beginning of the text, of at most so many UTF-8 bytes; no character is cut in two.
    package func bounded(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while String.Index(end, within: unicodeScalars) == nil, end > startIndex { end = utf8.index(before: end) }
        return String(unicodeScalars[..<end])
    }
}

extension String {
    /// A JSON string: quotes in it are escaped, so that it shows where a text from outside begins and ends.
    package var quoted: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // A string always encodes.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }
}
