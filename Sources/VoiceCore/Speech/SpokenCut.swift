/// Shortens a text to about a number of words, at the end of a sentence.
struct SpokenCut {
    let maximumWords: Int

    /// The shortened text, or nil when nothing needs to go. A tenth more than the bound is let through: to cut a last
    /// short sentence off and offer it instead would help nobody.
    func cut(_ text: String) -> String? {
        let sentences = SentenceSplitter.sentences(of: text)
        let counts = sentences.map { WordCount.words(in: $0) }
        guard counts.reduce(0, +) > maximumWords + maximumWords / 10 else { return nil }
        var words = 0
        var end = text.startIndex
        for (sentence, count) in zip(sentences, counts) {
            guard words + count <= maximumWords else { break }
            words += count
            end = sentence.endIndex
        }
        if end == text.startIndex, let first = sentences.first { return cutSentence(first) }
        return String(text[..<end])
    }

    /// A single sentence beyond the bound: cut behind its last clause, else behind a word.
    private func cutSentence(_ sentence: Substring) -> String {
        var halfWords = 0
        var isInWord = false
        var wordEnd = sentence.startIndex
        var clauseEnd: Substring.Index?
        for index in sentence.indices {
            let character = sentence[index]
            let isWide = WordCount.isWrittenWithoutSpaces(character)
            if isWide || character.isWhitespace { (wordEnd, isInWord) = (index, false) }
            if isWide {
                halfWords += 1
            } else if !isInWord, character.isLetter || character.isNumber {
                halfWords += 2
                isInWord = true
            }
            if halfWords > 2 * maximumWords { break }
            let isSpaced = sentence[sentence.index(after: index)...].first?.isWhitespace ?? true
            if ("\u{FF0C}\u{3001}\u{FF1B}".contains(character))
                || (isSpaced && ",;:\u{2013}\u{2014}".contains(character))
            {
                clauseEnd = index
            }
        }
        let end =
            clauseEnd
            ?? (wordEnd == sentence.startIndex
                ? sentence.index(sentence.startIndex, offsetBy: min(sentence.count, 200)) : wordEnd)
        var kept = sentence[..<end]
        while let last = kept.last, last.isWhitespace || ",;:".contains(last) { kept.removeLast() }
        return kept + "\u{2026}"
    }
}
