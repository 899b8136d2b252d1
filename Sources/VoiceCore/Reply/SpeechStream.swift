/// Splits a reply into sentences for speech while it is still being written; returns each as soon as no further text can
/// change it.
///
///     text so far --> WrittenReply --> settled part --> without media, shaped --> sentences not returned before
///
/// A block is settled when a blank line follows it, a list item when the next one begins, and a sentence of an open
/// paragraph when the next one begins. Code, tables and other markup wait for the end of their block; possible data of any
/// length (objects, tags, references) waits for the end of the reply. So does everything beyond the number of words that
/// are read aloud, because the reply may be cut there.
package struct SpeechStream: Sendable, Equatable {
    /// Longer replies, mostly code, wait for their end.
    private static let longest = 16 << 10
    /// The next word, which settles a sentence, begins within this many bytes after it.
    private static let near = 24

    private let maximumWords: Int
    private let mark: String
    /// Length of the text examined last, in bytes.
    private var seen = 0
    /// Sentences returned of this segment, as far as the current attempt repeats them.
    package private(set) var given: [String] = []
    private var words = 0
    /// The maximum number of words was returned.
    private var isFull = false

    /// - Parameter mark: a text that is not part of the reply.
    package init(maximumWords: Int, omitting mark: String = "") {
        self.maximumWords = max(1, maximumWords)
        self.mark = mark
    }

    /// Takes the text of a segment so far; returns newly settled sentences, shaped for speech.
    package mutating func consume(_ text: String) -> [String] {
        let length = text.utf8.count
        defer { seen = length }
        guard !isFull, length <= Self.longest, length > seen else { return [] }
        guard text.utf8.suffix(length - max(0, seen - Self.near)).contains(where: SettledText.mayEnd) else { return [] }
        let written = mark.isEmpty ? text : text.replacing(mark, with: "")
        let settled = SettledText.prefix(of: WrittenReply(written, isComplete: false).text)
        guard let main = SpeechShaper.plain(MediaInReply(String(settled)).rest, isComplete: false)?.main else {
            return []
        }
        return give(main)
    }

    /// The server discards the text of this segment and writes it again. Repeated sentences are not returned again.
    package mutating func withdrawn() {
        seen = 0
        isFull = false
    }

    /// The next segment begins.
    package mutating func segmentEnded() { self = SpeechStream(maximumWords: maximumWords, omitting: mark) }

    private mutating func give(_ main: String) -> [String] {
        let rest: String
        if let behind = SaidWords.rest(of: main, after: given) {
            rest = behind
        } else {
            // The new attempt repeats the old one so far.
            if SaidWords.rest(of: given.joined(separator: " "), after: [main]) != nil { return [] }
            let (known, other) = SaidWords.difference(of: main, from: given)
            given = Array(given.prefix(known))
            words = given.reduce(0) { $0 + WordCount.words(in: $1) }
            rest = other
        }
        var new: [String] = []
        for sentence in SentenceSplitter.sentences(of: rest) where sentence.contains(where: SaidWords.isOfWord) {
            let count = WordCount.words(in: String(sentence))
            guard words + count <= maximumWords else {
                isFull = true
                break
            }
            words += count
            new.append(String(sentence))
        }
        given += new
        return new
    }
}

/// Computes the rest of an answer to say after the sentences spoken while it was being written.
package enum SaidWords {
    /// Returns the answer from its first unspoken sentence on; it may differ from what was begun.
    package static func rest(of answer: String, afterSaying said: [String]) -> String {
        rest(of: answer, after: said) ?? difference(of: answer, from: said).rest
    }

    /// Returns how many of these sentences the text begins with, and what follows them.
    static func difference(of text: String, from said: [String]) -> (known: Int, rest: String) {
        let sentences = SentenceSplitter.sentences(of: text)
        let known = zip(sentences, said).prefix { $0.filter(isOfWord) == $1.filter(isOfWord) }.count
        return (known, sentences[known...].joined(separator: " "))
    }

    /// Returns what follows the words of `said`, ignoring punctuation; nil if the text does not begin with them.
    static func rest(of text: String, after said: [String]) -> String? {
        guard !said.isEmpty else { return text }
        var at = text.startIndex
        for wanted in said.joined(separator: " ") where isOfWord(wanted) {
            while at < text.endIndex, !isOfWord(text[at]) { at = text.index(after: at) }
            guard at < text.endIndex, text[at] == wanted else { return nil }
            at = text.index(after: at)
        }
        // A longer word is a different one.
        guard at == text.endIndex || !isOfWord(text[at]) else { return nil }
        // Closing punctuation belongs to the last sentence.
        while at < text.endIndex, !text[at].isWhitespace, !isOfWord(text[at]) { at = text.index(after: at) }
        return String(text[at...].drop(while: \.isWhitespace))
    }

    static func isOfWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }
}

/// Finds the beginning of a Markdown text whose meaning no further text can change.
enum SettledText {
    /// Whether a byte may settle something: the end of a sentence or a line, or part of a longer character.
    static func mayEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: "!") || byte == UInt8(ascii: "?") || byte == 0x0A
            || byte >= 0x80
    }

    private enum Block {
        case none
        case paragraph
        case list
        /// Any other block: settled when it ends.
        case other
    }

    static func prefix(of text: String) -> Substring {
        var settled = text.startIndex
        var block = Block.none
        var start = text.startIndex
        var fence: (mark: Character, count: Int)?
        var at = text.startIndex
        /// Numbered items of the current list.
        var numbered = 0
        let limit = firstOfData(in: text)
        while at < limit {
            let end = text[at...].firstIndex(where: \.isNewline)
            let line = text[at..<(end ?? text.endIndex)]
            let next = end.map { text.index(after: $0) } ?? text.endIndex
            let bare = line.drop(while: { $0 == " " || $0 == "\t" })
            let hasEnded = end != nil && next <= limit
            if let open = fence {
                if hasEnded, isFence(bare, open) { (fence, block) = (nil, .other) }
            } else if bare.isEmpty {
                // Only a complete blank line ends the block.
                if hasEnded { (settled, block) = (numbered == 1 ? settled : next, .none) }
            } else if bare.hasPrefix("```") || bare.hasPrefix("~~~") {
                let mark = bare[bare.startIndex]
                fence = (mark, bare.prefix { $0 == mark }.count)
                if block == .none { start = at }
                block = .other
            } else if isItem(bare) {
                // An item ends what precedes it. The number of an only item is spoken, those of several are not.
                if block != .other, numbered != 1 { settled = at }
                if bare.first?.isNumber == true { numbered += 1 }
                if block == .none { start = at }
                block = block == .other ? .other : .list
            } else if block == .none {
                if line.first == bare.first { numbered = 0 }
                start = at
                block = ">#|".contains(bare.first ?? " ") || line.first != bare.first ? .other : .paragraph
            } else if line.contains("|"), block == .paragraph {
                // The line above may be the header of a table.
                block = .other
            }
            at = next
        }
        if limit < text.endIndex {
            // The rest of the block is settled with the data.
            return text[..<min(settled, limit)]
        }
        if block == .paragraph { settled = max(settled, plainEnd(of: text[start...])) }
        return text[..<settled]
    }

    private static func isFence(_ line: Substring, _ open: (mark: Character, count: Int)) -> Bool {
        let marks = line.prefix { $0 == open.mark }
        return marks.count >= open.count && line[marks.endIndex...].allSatisfy(\.isWhitespace)
    }

    private static func isItem(_ line: Substring) -> Bool {
        guard let first = line.first else { return false }
        if "-*+".contains(first) { return line.dropFirst().first.map(\.isWhitespace) ?? false }
        let digits = line.prefix { $0.isASCII && $0.isNumber }
        guard (1...9).contains(digits.count) else { return false }
        let behind = line[digits.endIndex...]
        guard let mark = behind.first, ".)".contains(mark) else { return false }
        return behind.dropFirst().first.map(\.isWhitespace) ?? false
    }

    /// Where the unsettled part of an open paragraph begins: its last sentence, or the first with open markup.
    private static func plainEnd(of paragraph: Substring) -> String.Index {
        let start = paragraph.startIndex
        guard !paragraph.contains(where: { "$&\\|".contains($0) }), !paragraph.contains("://"),
            !paragraph.contains("www.")
        else { return start }
        let line = String(paragraph.map { $0.isNewline ? " " : $0 })
        var settled = start
        for sentence in SentenceSplitter.sentences(of: line).dropLast() {
            let length = line.distance(from: line.startIndex, to: sentence.endIndex)
            let end = paragraph.index(start, offsetBy: length)
            if isBalanced(paragraph[..<end]) { settled = end }
        }
        return settled
    }

    /// Whether all markers of emphasis and code are closed.
    private static func isBalanced(_ text: Substring) -> Bool {
        var runs: [Character: Int] = [:]
        var last: Character?
        for character in text {
            if "*_~`".contains(character), character != last { runs[character, default: 0] += 1 }
            last = character
        }
        return runs.values.allSatisfy { $0 % 2 == 0 }
    }

    /// Where data may begin: an object, a tag, a reference, a playlist, a formula, an address in a list.
    private static func firstOfData(in text: String) -> String.Index {
        var at = text.startIndex
        var isLineStart = true
        var isInList = false
        var fence: (mark: Character, count: Int)?
        while at < text.endIndex {
            let character = text[at]
            let rest = text[at...]
            if isLineStart {
                let line = rest.prefix { !$0.isNewline }
                let bare = line.drop { $0 == " " || $0 == "\t" }
                let end = line.endIndex
                if let open = fence {
                    if isFence(bare, open) { fence = nil }
                    guard end < text.endIndex else { return text.endIndex }
                    at = text.index(after: end)
                    continue
                }
                if bare.hasPrefix("```") || bare.hasPrefix("~~~") {
                    let mark = bare[bare.startIndex]
                    fence = (mark, bare.prefix { $0 == mark }.count)
                    guard end < text.endIndex else { return text.endIndex }
                    at = text.index(after: end)
                    continue
                }
                if isItem(bare) { isInList = true } else if bare.isEmpty, end < text.endIndex { isInList = false }
                if bare.hasPrefix("#EXT") { return at }
                if isInList, line.contains("://") || line.contains("www.") { return at }
            }
            let next = text.index(after: at)
            switch character {
            case "{": return at
            case "<":
                guard next < text.endIndex else { return at }
                if text[next].isLetter || "/!?|\u{FF5C}".contains(text[next]) { return at }
            case "\u{25C1}", "\u{E200}": return at
            case "\u{3010}" where !rest.contains("\u{3011}"), "\u{3016}" where !rest.contains("\u{3017}"): return at
            case "[":
                guard let close = rest.firstIndex(of: "]") else { return at }
                let behind = text.index(after: close)
                guard behind < text.endIndex, text[behind] == "(", text[behind...].contains(")") else { return at }
            case "$" where rest.hasPrefix("$$"): return at
            case "\\" where rest.hasPrefix("\\[") || rest.hasPrefix("\\("): return at
            default: break
            }
            isLineStart = character.isNewline
            at = next
        }
        return text.endIndex
    }
}
