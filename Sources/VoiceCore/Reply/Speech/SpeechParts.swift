/// Splits a text into pieces that are spoken one after another: sentences, and long ones at commas.
package enum SpeechParts {
    /// Longest piece in characters. Speech synthesis needs memory for its longest sentence, and is silent until that is
    /// complete.
    package static let longest = 250
    /// Maximum number of pieces; no one listens longer.
    private static let most = 400

    package static func split(_ text: String) -> [String] {
        var parts: [String] = []
        for line in text.split(whereSeparator: \.isNewline) {
            for sentence in SentenceSplitter.sentences(of: String(line)) {
                parts += pieces(sentence)
                if parts.count >= most { return Array(parts.prefix(most)) }
            }
        }
        return parts
    }

    /// Cuts at the last comma that fits unless that is in the first third, else at the last space, else anywhere.
    private static func pieces(_ sentence: Substring) -> [String] {
        var pieces: [String] = []
        var rest = trimmed(sentence)
        while rest.count > longest {
            let limit = rest.index(rest.startIndex, offsetBy: longest)
            let head = rest[..<limit]
            let comma = head.lastIndex { ",;:\u{2014}".contains($0) }
            let blank = head.lastIndex(where: \.isWhitespace)
            let isNear = comma.map { rest.distance(from: rest.startIndex, to: $0) > longest / 3 } ?? false
            let place = (isNear ? comma : blank).map { rest.index(after: $0) } ?? limit
            pieces.append(String(trimmed(rest[..<place])))
            rest = trimmed(rest[place...])
        }
        if !rest.isEmpty { pieces.append(String(rest)) }
        return pieces.filter { !$0.isEmpty }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? start.prefix(0)
    }
}
