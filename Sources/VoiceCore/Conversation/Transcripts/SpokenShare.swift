/// The words of a text that were heard before playback was cut, by the share of the sound that was.
///
/// The service tells the text and the sound of an item apart and without times, so this is an estimate: speech is taken
/// to go through its characters evenly.
enum SpokenShare {
    /// - Parameters:
    ///   - known: how many characters of `text` belong to the `received` sound; what was written later was never heard.
    ///   - heard, received: ms of sound.
    /// - Returns: `text` up to the last word that was heard by half at least, without blanks at its ends.
    static func words(of text: String, known: Int, heard: Int, received: Int) -> String {
        guard heard > 0, received > 0 else { return "" }
        let share = min(1, Double(heard) / Double(received))
        let position = Int((Double(known) * share).rounded())
        var end = text.startIndex
        var offset = 0
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            guard offset + (word.count + 1) / 2 <= position else { break }
            end = word.endIndex
            offset += word.count + 1
        }
        return text[..<end].trimmed
    }
}

extension StringProtocol {
    /// Without white space at both ends.
    var trimmed: String {
        let rest = drop(while: \.isWhitespace)
        guard let last = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(rest[...last])
    }
}
