/// A text as words: in lower case, without punctuation, numbers apart from their units. "7:30pm" is "7:30 pm", "1h30m" is
/// "1 h 30 m", "ten-minute" is "ten minute". Pure.
package struct TimeWords: Sendable {
    package private(set) var words: [String] = []
    /// What each word was read from: all between two blanks.
    private var sources: [Substring] = []

    package init(_ text: String) {
        for chunk in text.split(whereSeparator: \.isWhitespace) {
            for word in Self.pieces(of: chunk) where word.contains(where: { $0.isLetter || $0.isNumber }) {
                words.append(word)
                sources.append(chunk)
            }
        }
    }

    /// Replaces each word by others, or by none.
    package mutating func replace(_ replace: (String) -> [String]) {
        let pairs = zip(words, sources).flatMap { word, source in replace(word).map { ($0, source) } }
        words = pairs.map(\.0)
        sources = pairs.map(\.1)
    }

    /// The text that these words were read from, as it was written.
    package func source(of range: Range<Int>) -> Substring {
        guard let first = range.first, let last = range.last, sources.indices.contains(last) else { return "" }
        // "10m:tea"
        if first > 0, sources[first - 1].startIndex == sources[first].startIndex {
            return words[range].joined(separator: " ")[...]
        }
        return sources[first].base[sources[first].startIndex..<sources[last].endIndex]
    }

    private static let fractions: [Character: String] = ["\u{BD}": ".5", "\u{BC}": ".25", "\u{BE}": ".75"]

    private static func pieces(of chunk: Substring) -> [String] {
        var text = chunk.lowercased().replacing("\u{2019}", with: "'").replacing("a.m", with: "am").replacing(
            "p.m",
            with: "pm"
        )
        if let date = text.firstIndex(of: "t"), TimeTable.date(text[..<date]) != nil {
            text.replaceSubrange(date...date, with: "/")
        }
        let characters = Array(text)
        var words: [String] = []
        // Runs of digits and of letters that stand without anything between them.
        var runs: [String] = []
        func isDigit(_ index: Int) -> Bool {
            characters.indices.contains(index) && ("0"..."9").contains(characters[index])
        }
        // "Mon-Fri"
        var isRange = false
        func close() {
            guard let first = runs.first else { return }
            if isRange, TimeTable.weekday(first) != nil, TimeTable.weekday(words.last) != nil { words.append("to") }
            let isKnown = runs.allSatisfy { TimeTable.isNumeric($0) || TimeTable.attached.contains($0) }
            words += isKnown ? runs : [runs.joined()]
            runs = []
            isRange = false
        }
        var wasNumber = false
        for (index, character) in characters.enumerated() {
            let sign = character == "-" && index == 0 && isDigit(1)
            let joint = ".:-".contains(character) && isDigit(index - 1) && isDigit(index + 1)
            let isNumber = isDigit(index) || sign || joint || fractions[character] != nil
            guard isNumber || character.isLetter || character.isNumber || character == "'" else {
                close()
                isRange = "-\u{2013}".contains(character)
                continue
            }
            let part = fractions[character].map { wasNumber && !runs.isEmpty ? $0 : "0" + $0 } ?? String(character)
            if isNumber == wasNumber, !runs.isEmpty { runs[runs.count - 1] += part } else { runs.append(part) }
            wasNumber = isNumber
        }
        close()
        return words
    }
}
