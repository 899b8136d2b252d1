/// Splits one line of plain text into sentences.
///
/// A full stop ends a sentence if a space or the end of the text follows, unless the next word begins in lower case or the
/// last one looks like an abbreviation, an initial or an ordinal number. East Asian full stops need no space.
enum SentenceSplitter {
    static let closers: Set<Character> = [
        "\"", "'", ")", "]", "}", "\u{201D}", "\u{2019}", "\u{BB}", "\u{300D}", "\u{300F}",
    ]
    private static let wideStops: Set<Character> = ["\u{3002}", "\u{FF01}", "\u{FF1F}", "\u{FF61}"]
    private static let stops: Set<Character> = [".", "!", "?", "\u{2026}", "\u{61F}", "\u{6D4}", "\u{964}"]
    /// Abbreviations that look like words.
    private static let abbreviations: Set<String> = [
        "prof", "gen", "sen", "rep", "gov", "capt", "col", "rev", "ing", "dipl", "sra", "mme", "approx", "ca", "evtl",
        "inkl", "etc", "jan", "feb", "aug", "sept", "okt", "oct", "nov", "dec", "dez", "inc", "ave", "tel", "abs",
        "art",
    ]

    /// What precedes an ordinal number: "am 3. Juli".
    private static let articles: Set<String> = [
        "am", "vom", "zum", "der", "die", "das", "dem", "den", "des", "im", "beim", "bis",
    ]

    /// Whether no full stop needs to be added after this character.
    static func isPause(_ character: Character) -> Bool {
        stops.contains(character) || wideStops.contains(character) || ":;,\u{FF1A}\u{FF1B}\u{3001}".contains(character)
    }

    /// Returns the sentences in order, without the spaces between them.
    static func sentences(of text: String) -> [Substring] {
        var sentences: [Substring] = []
        var start = text.startIndex
        var at = text.startIndex
        while at < text.endIndex {
            let character = text[at]
            let isWide = wideStops.contains(character)
            guard isWide || stops.contains(character) else {
                at = text.index(after: at)
                continue
            }
            let stop = at
            while at < text.endIndex, stops.contains(text[at]) || wideStops.contains(text[at]) {
                at = text.index(after: at)
            }
            while at < text.endIndex, closers.contains(text[at]) { at = text.index(after: at) }
            guard isWide || endsSentence(text, from: start, stop: stop, end: at) else { continue }
            sentences.append(text[start..<at])
            while at < text.endIndex, text[at].isWhitespace { at = text.index(after: at) }
            start = at
        }
        if start < text.endIndex { sentences.append(text[start...]) }
        return sentences
    }

    private static func endsSentence(
        _ text: String,
        from start: String.Index,
        stop: String.Index,
        end: String.Index
    ) -> Bool {
        guard end < text.endIndex else { return true }
        guard text[end].isWhitespace else { return false }
        guard let next = text[end...].first(where: { !$0.isWhitespace && !"\"'([\u{201C}\u{AB}".contains($0) }) else {
            return true
        }
        if next.isLowercase { return false }
        guard text[stop] == ".", text.index(after: stop) == end else { return true }
        // Bounded, so that an endless word does not make the search quadratic.
        let word = text[start..<stop].suffix(16).reversed().prefix { !$0.isWhitespace && !"([\"'".contains($0) }
        return !isAbbreviation(String(word.reversed()), before: next, after: text[start..<stop].dropLast(word.count))
    }

    /// Whether a word with a full stop continues the sentence: "Dr. Who", "z. B. Anna", "Nr. 5", "J. Smith", "3. Juli".
    ///
    /// To join two sentences is harmless, to cut one is not.
    private static func isAbbreviation(_ word: String, before next: Character, after text: Substring) -> Bool {
        let lower = word.lowercased()
        if abbreviations.contains(lower) { return true }
        if word.allSatisfy(\.isNumber) {
            let article = text.split(separator: " ").last.map { $0.lowercased() } ?? ""
            return word.count <= 3 && (text.isEmpty || articles.contains(article))
        }
        // "e.g", "z.B", "U.S"
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 1 { return parts.allSatisfy { (1...2).contains($0.count) && $0.allSatisfy(\.isLetter) } }
        guard word.allSatisfy(\.isLetter) else { return false }
        if word.count == 1 { return lower != "i" && (next.isUppercase || next.isNumber) }
        // "No. 5", "Fig. 3"
        if next.isNumber, word.count <= 4 { return true }
        // No vowel: "Dr", "bzw"; but not "5 km" and not "TV".
        let isUnit = word.first?.isLowercase == true && text.last { !$0.isWhitespace }?.isNumber == true
        return word.count <= 5 && !isUnit && !word.dropFirst().contains(where: \.isUppercase)
            && !lower.contains { !$0.isASCII || "aeiouy".contains($0) }
    }
}
