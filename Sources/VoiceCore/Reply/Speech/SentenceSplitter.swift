/// Splits one line of plain text into sentences.
///
/// A full stop ends a sentence if a space or the end of the text follows, unless it belongs to an abbreviation or an
/// initial or the next word begins in lower case. East Asian full stops need no space.
enum SentenceSplitter {
    static let closers: Set<Character> = [
        "\"", "'", ")", "]", "}", "\u{201D}", "\u{2019}", "\u{BB}", "\u{300D}", "\u{300F}",
    ]
    private static let wideStops: Set<Character> = ["\u{3002}", "\u{FF01}", "\u{FF1F}", "\u{FF61}"]
    private static let stops: Set<Character> = [".", "!", "?", "\u{2026}", "\u{61F}", "\u{6D4}", "\u{964}"]
    /// Abbreviations that never end a sentence.
    private static let titles: Set<String> = [
        "mr", "mrs", "ms", "dr", "prof", "st", "vs", "e.g", "i.e", "cf", "approx", "fig", "no", "vol", "gen", "sen",
        "rep", "capt", "lt", "col", "z.b", "d.h", "u.a", "bzw", "ca", "nr", "hr", "fr", "evtl", "ggf", "inkl", "sra",
        "mme", "p.ex",
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
        let last = String(word.reversed()).lowercased()
        if titles.contains(last) { return false }
        // "7. Juli", or the number of a list item: nothing precedes it in the sentence.
        if last.count <= 3, last.allSatisfy(\.isNumber), text[start..<stop].count == last.count { return false }
        // "J. Smith", but "so do I. Then".
        let isInitial = last.count == 1 && last != "i" && last.first?.isLetter == true && next.isUppercase
        return !isInitial
    }
}
