extension String {
    /// The beginning of the text, of at most so many UTF-8 bytes; no character is cut in two.
    package func bounded(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while String.Index(end, within: unicodeScalars) == nil, end > startIndex { end = utf8.index(before: end) }
        return String(unicodeScalars[..<end])
    }
}
