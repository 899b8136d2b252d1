internal import FoundationEssentials

extension String {
    /// The beginning of the text, at most `limit` UTF-8 bytes, without splitting a Unicode scalar.
    package func bounded(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while String.Index(end, within: unicodeScalars) == nil, end > startIndex { end = utf8.index(before: end) }
        return String(unicodeScalars[..<end])
    }
}

extension StringProtocol {
    /// Whether there is anything in it that can be said: a letter or a number.
    package var isSayable: Bool { contains { $0.isLetter || $0.isNumber } }
}

extension String {
    /// The text as a JSON string. Quotes in it are escaped, so that its bounds are visible even if it comes from outside.
    package var quoted: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // A string always encodes.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }
}
