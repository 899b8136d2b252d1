/// Tidies one block of text: single blanks, no marks that only the eye understands.
enum SpokenText {
    static func clean(_ text: String, _ inserted: InsertedWords) -> String {
        // The text of a footnote stands at the end of a page; nobody wants to hear it there.
        if text.hasPrefix("[^"), text.contains("]:") { return "" }
        var words: [String] = []
        for word in withoutSigns(endingLines(withoutStruck(text))).split(whereSeparator: \.isWhitespace) {
            let cleaned = cleanWord(word, inserted)
            guard !cleaned.isEmpty else { continue }
            // A full stop or comma that lost its word belongs to the one before.
            if cleaned.allSatisfy({ ".,;:!?".contains($0) }), let last = words.popLast() {
                words.append(SentenceSplitter.isPause(last.last ?? " ") ? last : last + cleaned)
            } else if let last = words.last, last == "(" {
                // What stood behind the bracket was a picture.
                words[words.count - 1] = last + cleaned
            } else {
                words.append(cleaned)
            }
        }
        if words.first.map(["[ ]", "[x]", "[X]"].contains) == true { words.removeFirst() }
        if words.count > 1, words[0] == "[", words[1] == "]" { words.removeFirst(2) }
        return ShieldedMarks.restore(words.joined(separator: " "), inserted)
    }

    /// Without what is struck through (section 6.5 of GitHub Flavored Markdown): it is no longer so.
    private static func withoutStruck(_ text: String) -> String {
        guard text.contains("~~") else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "~~") {
            let inside = rest[start.upperBound...].prefix(400)
            guard let end = inside.firstRange(of: "~~"), !inside[..<end.lowerBound].allSatisfy(\.isWhitespace) else {
                break
            }
            result += rest[..<start.lowerBound]
            rest = rest[end.upperBound...]
        }
        return result + rest
    }

    /// A line that begins with a picture is an entry of a list; the line before it ends. So does a line that was broken on purpose
    /// and is followed by what looks like the start of a sentence.
    private static func endingLines(_ text: String) -> String {
        guard text.contains("\n") else { return text }
        var result = ""
        for line in text.split(separator: "\n") {
            let first = line.first { !$0.isWhitespace }
            let wasEnded = result.last == Character(LinkMarks.lineEnd)
            let isStart = first.map { $0.isUppercase || $0.isNumber } == true
            if first.map(isPicture) == true || (wasEnded && isStart),
                let last = result.last(where: { !$0.isWhitespace && $0 != Character(LinkMarks.lineEnd) }),
                last.isLetter || last.isNumber
            {
                result += "."
            }
            result += (result.isEmpty ? "" : " ") + line
        }
        return result
    }

    private static func isPicture(_ character: Character) -> Bool {
        guard let value = character.unicodeScalars.first?.value else { return false }
        return (0x2600...0x27BF).contains(value) || (0x1F000...0x1FAFF).contains(value)
            || (0x2B00...0x2BFF).contains(value)
    }

    /// Without control and zero-width characters and pictures; an arrow becomes a dash.
    private static func withoutSigns(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: scalars.append(" ")
            case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFE00...0xFE0F, 0xFEFF,
                0xFFFD, 0xE000...0xE00F, 0xE020...0xF8FF:
                continue
            case 0x2190...0x21FF: scalars.append(contentsOf: " \u{2013} ".unicodeScalars)
            case 0x20E3, 0x2300...0x23FF, 0x2500...0x27BF, 0x2B00...0x2BFF, 0x1F000...0x1FAFF,
                0xE0000...0xE007F:
                scalars.append(" ")
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    private static func cleanWord(_ word: Substring, _ inserted: InsertedWords) -> String {
        if word == "==" || word == "===" { return inserted.equals ?? "=" }
        if word == "!==" { return "!=" }
        var result = withoutMarks(word)
        result = withoutReferences(withoutFootnotes(result))
        result = withWords(result, inserted)
        return withoutAddress(result, inserted)
    }

    /// Drops back quotes and every run of two or more marks ("**", "__", "~~", "##", "*_"), but not "a==b" and "a||b".
    private static func withoutMarks(_ word: Substring) -> String {
        var result = ""
        var run = ""
        for character in word where character != "`" {
            if "*_~#=|".contains(character) {
                run.append(character)
                continue
            }
            let joins =
                result.last.map { $0.isLetter || $0.isNumber } == true && (character.isLetter || character.isNumber)
            let isOperator =
                joins && run.utf8.count <= 3 && (run.allSatisfy { $0 == "=" } || run.allSatisfy { $0 == "|" })
            if run.utf8.count == 1 || isOperator { result += run }
            run = ""
            result.append(character)
        }
        if run.utf8.count == 1 { result += run }
        let isDash = result.utf8.count > 1 && result.utf8.allSatisfy { $0 == UInt8(ascii: "-") }
        if isDash { return result.utf8.count <= 3 ? "\u{2013}" : "" }
        return ["#", "|", "_"].contains(result) ? "" : result
    }

    /// "word[^1]" is a footnote of GitHub.
    private static func withoutFootnotes(_ word: String) -> String {
        guard let start = word.firstRange(of: "[^") else { return word }
        guard let end = word[start.upperBound...].firstIndex(of: "]") else { return word }
        return String(word[..<start.lowerBound] + word[word.index(after: end)...])
    }

    /// "[1]" and the marks that some models set for their sources.
    private static func withoutReferences(_ word: String) -> String {
        var result = word
        while let start = result.firstIndex(where: { $0 == "[" || $0 == "\u{3010}" }) {
            let isOwn = result[start] == "\u{3010}"
            guard let end = result[start...].firstIndex(of: isOwn ? "\u{3011}" : "]") else { return result }
            let inside = result[result.index(after: start)..<end]
            let isNumber = !inside.isEmpty && inside.count <= 3 && inside.allSatisfy(\.isNumber)
            guard isNumber || (isOwn && inside.contains("\u{2020}")) else { return result }
            result.removeSubrange(start...end)
        }
        return result
    }

    /// Marks that stand for a word, where it is plain which.
    private static func withWords(_ word: String, _ inserted: InsertedWords) -> String {
        if ["->", "=>", "-->", "==>", "<-", "<->"].contains(word) { return "\u{2013}" }
        guard word.count > 1, word.first == "~" || word.first == "\u{2248}" else { return word }
        let rest = word.dropFirst()
        guard let about = inserted.about, rest.first?.isNumber == true else { return word }
        return about + " " + rest
    }

    /// An address in the middle of text becomes "a link", or nothing; what encloses and follows it stays.
    private static func withoutAddress(_ word: String, _ inserted: InsertedWords) -> String {
        let lower = word.lowercased()
        guard let start = addressStart(in: lower) else { return word }
        // Lower case may be longer or shorter than the word outside ASCII; then the whole word is the address.
        let before = word.utf8.count == lower.utf8.count ? String(decoding: word.utf8.prefix(start), as: UTF8.self) : ""
        let isGlued = before.last.map { $0.isLetter || $0.isNumber } == true && !inserted.link.isEmpty
        let glue = isGlued ? " " : ""
        let after = word.reversed().prefix { ".,;:!?)]}>\"'".contains($0) }
        return before + glue + inserted.link + String(after.reversed())
    }

    private static func addressStart(in lower: String) -> Int? {
        let scheme = ["https://", "http://"].compactMap { lower.firstRange(of: $0)?.lowerBound }.min()
        let name = lower.firstRange(of: "www.")?.lowerBound
        let isName = name.map { $0 == lower.startIndex || !lower[lower.index(before: $0)].isLetter } ?? false
        guard let start = [scheme, isName ? name : nil].compactMap({ $0 }).min() else { return nil }
        return lower.utf8.distance(from: lower.startIndex, to: start)
    }
}
