extension StringProtocol {
    /// Its words, with one blank between them: without line breaks, tabs or blanks at either end.
    package var singleSpaced: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
