/// Replaces LaTeX formulas, which cannot be understood by ear: `$...$`, `$$...$$`, `\(...\)` and `\[...\]` become "a
/// formula", except those that are plain text, such as `$r = 3$`.
///
/// Works on the text before it is parsed, since Markdown would interpret the backslashes and underscores. Code is left
/// unchanged, and so are dollar amounts.
enum SpokenMath {
    /// Longest formula that is read as plain text, in characters.
    private static let longest = 80
    /// How far to look for the end of a formula or of code, in characters.
    private static let reach = 240

    static func replaceFormulas(in text: String, _ inserted: InsertedWords) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "\\") }) else { return text }
        var result = ""
        var isFenced = false
        // Formulas may span lines, so the text between fenced code is handled in one piece.
        var stretch = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let start = line.drop { $0 == " " }
            let isFence = start.hasPrefix("```") || start.hasPrefix("~~~")
            guard isFence || isFenced else {
                stretch += line + "\n"
                continue
            }
            if isFence { isFenced.toggle() }
            result += spoken(Array(stretch), inserted)
            stretch = ""
            result += line + "\n"
        }
        result += spoken(Array(stretch), inserted)
        result.removeLast()
        return result
    }

    private static func spoken(_ text: [Character], _ inserted: InsertedWords) -> String {
        var result = ""
        var at = 0
        while at < text.count {
            if text[at] == "`" {
                let end = codeEnd(text, at)
                result += String(text[at..<end])
                at = end
            } else if let (formula, end) = formula(text, at) {
                result += isPlain(formula) ? String(formula) : inserted.formula
                at = end
            } else {
                result.append(text[at])
                at += 1
            }
        }
        return result
    }

    /// "x", "r = 3", "f(2) = 0.5": no markup of LaTeX or Markdown.
    private static func isPlain(_ formula: [Character]) -> Bool {
        guard formula.count <= longest, let first = formula.first(where: { $0 != " " }),
            first.isLetter || first.isNumber
        else { return false }
        return formula.allSatisfy { $0.isLetter || $0.isNumber || " =+-/.,()%\u{B0}".contains($0) }
    }

    /// Returns the index after the code that begins here, or after its opening marks if it does not end.
    private static func codeEnd(_ text: [Character], _ start: Int) -> Int {
        var open = start
        while open < text.count, text[open] == "`" { open += 1 }
        let length = open - start
        var at = open
        while at < min(text.count, open + reach) {
            guard text[at] == "`" else {
                at += 1
                continue
            }
            var close = at
            while close < text.count, text[close] == "`" { close += 1 }
            if close - at == length { return close }
            at = close
        }
        return open
    }

    private static func formula(_ text: [Character], _ start: Int) -> (formula: [Character], end: Int)? {
        func follows(_ marks: String, at index: Int) -> Bool {
            text.count >= index + marks.count && text[index..<(index + marks.count)].elementsEqual(marks)
        }
        for (open, close) in [("$$", "$$"), ("\\(", "\\)"), ("\\[", "\\]")] where follows(open, at: start) {
            var at = start + 2
            while at < min(text.count, start + reach) {
                if follows(close, at: at) {
                    let inside = Array(text[(start + 2)..<at])
                    return inside.allSatisfy(\.isWhitespace) ? nil : (inside, at + 2)
                }
                at += 1
            }
            return nil
        }
        guard text[start] == "$", start + 1 < text.count, !text[start + 1].isWhitespace else { return nil }
        var at = start + 1
        while at < min(text.count, start + reach), text[at] != "\n" {
            if text[at] == "$", text[at - 1] != "\\" {
                let inside = Array(text[(start + 1)..<at])
                let next = at + 1 < text.count ? text[at + 1] : " "
                let isClosed = inside.last?.isWhitespace == false && !next.isNumber
                let isMath = inside.count <= 2 || inside.contains { "\\^_=+<>{}".contains($0) }
                return isClosed && isMath && !inside.isEmpty ? (inside, at + 1) : nil
            }
            at += 1
        }
        return nil
    }
}
