/// Shortens a text to about a number of words, at the end of a sentence.
struct SpeechTruncator {
    let maximumWords: Int

    /// Returns the text before the cut and after it; nil if no cut is needed. Up to a tenth more than the limit passes:
    /// it would be useless to cut off a short last sentence and offer it instead.
    func split(_ text: String) -> (spoken: String, rest: String)? {
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
        if end > text.startIndex { return (String(text[..<end]), Self.trimmed(text[end...])) }
        guard let first = sentences.first else { return nil }
        end = cutSentence(first)
        var kept = text[..<end]
        while let last = kept.last, last.isWhitespace || ",;:".contains(last) { kept.removeLast() }
        return (kept + "\u{2026}", Self.trimmed(text[end...].drop { ",;:\u{FF0C}\u{3001}\u{FF1B}".contains($0) }))
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop(while: \.isWhitespace))
    }

    /// Where to cut a single sentence beyond the limit: after its last clause, else after a word.
    private func cutSentence(_ sentence: Substring) -> Substring.Index {
        var halfWords = 0
        var isInWord = false
        var length = 0
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
                (isInWord, length) = (true, 1)
            } else if isInWord {
                length += 1
                if length % WordCount.longestWord == 0 { halfWords += 2 }
            }
            if halfWords > 2 * maximumWords { break }
            let isSpaced = sentence[sentence.index(after: index)...].first?.isWhitespace ?? true
            // Scripts without full stops put a space at the end of a clause.
            let endsThai = character.isWhitespace && halfWords > maximumWords && isThai(before: index, in: sentence)
            if ("\u{FF0C}\u{3001}\u{FF1B}".contains(character)) || endsThai
                || (isSpaced && ",;:\u{2013}\u{2014}".contains(character))
            {
                clauseEnd = index
            }
        }
        return clauseEnd
            ?? (wordEnd == sentence.startIndex
                ? sentence.index(sentence.startIndex, offsetBy: min(sentence.count, 200)) : wordEnd)
    }

    private func isThai(before index: Substring.Index, in sentence: Substring) -> Bool {
        guard index > sentence.startIndex else { return false }
        return WordCount.isWrittenWithoutSpaces(sentence[sentence.index(before: index)])
    }
}
