/// Comparisons, powers and indexes in running text, which look like Markdown or like references.
enum SpokenOperators {
    /// Replaces "2^{10}", and "==" and "===" as comparisons, and shields the brackets of an index, before marks are
    /// dropped.
    static func shield(_ text: String, _ inserted: InsertedWords) -> String {
        var text = SpokenScript(words: inserted).read(text)
        if text.contains("==") { text = withComparisons(text, inserted) }
        return text.contains("[") ? withIndexes(text) : text
    }

    // MARK: a == b

    /// `==this is new==` is highlighted; `a == b`, `a ===b` and `a!== b` compare.
    private static func withComparisons(_ text: String, _ inserted: InsertedWords) -> String {
        var result = ""
        var rest = text[...]
        // Whether a highlight is open.
        var isOpen = false
        while let mark = rest.firstRange(of: "==") {
            result += rest[..<mark.lowerBound]
            let run = rest[mark.lowerBound...].prefix { $0 == "=" }
            rest = rest[run.endIndex...]
            let (before, after) = (result.last ?? " ", rest.first ?? " ")
            if before == "!" || before == "\u{2260}" {
                result += "="
            } else if run.count > 3 || "<>".contains(before) || after == ">" {
                result += run
            } else if run.count == 2, isOpen, !before.isWhitespace {
                isOpen = false
            } else if run.count == 2, opensHighlight(before, after, rest) {
                isOpen = true
            } else if isOperand(before), isOperand(after) {
                // Within a word it is code, and is kept.
                result += run
            } else {
                let word = inserted.equals ?? "="
                result += (before.isWhitespace ? "" : " ") + word + (after.isWhitespace ? "" : " ")
            }
        }
        return result + rest
    }

    private static func isOperand(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "_)]".contains(character)
    }

    private static func opensHighlight(_ before: Character, _ after: Character, _ rest: Substring) -> Bool {
        guard !isOperand(before), !after.isWhitespace, after != "=" else { return false }
        guard let close = rest.prefix(400).firstRange(of: "=="), close.lowerBound > rest.startIndex else {
            return false
        }
        let last = rest[rest.index(before: close.lowerBound)]
        let next = rest[close.upperBound...].first ?? " "
        return !last.isWhitespace && next != "=" && !isOperand(next)
    }

    // MARK: a[0]

    private static let open = "\u{E012}"
    private static let close = "\u{E013}"

    /// "word[1]" is a reference; "a[0]", "row_2[1]" and "x[1].name" have an index. References are never numbered 0.
    private static func withIndexes(_ text: String) -> String {
        let countsFromZero = text.contains("[0]")
        var result = ""
        var rest = text[...]
        while let bracket = rest.firstIndex(of: "[") {
            result += rest[..<bracket]
            let inside = rest[rest.index(after: bracket)...].prefix { $0.isNumber }
            let behind = rest[inside.endIndex...].dropFirst().first ?? " "
            guard !inside.isEmpty, inside.count <= 9, rest[inside.endIndex...].first == "]",
                isName(result, follows: behind, countsFromZero: countsFromZero)
            else {
                result += "["
                rest = rest[rest.index(after: bracket)...]
                continue
            }
            result += open + inside + close
            rest = rest[inside.endIndex...].dropFirst()
        }
        return result + rest
    }

    private static func isName(_ text: String, follows behind: Character, countsFromZero: Bool) -> Bool {
        if text.hasSuffix(close) { return true }
        let name = String(text.suffix(40).reversed().prefix { isOfName($0) }.reversed())
        guard let first = name.first, first.isLetter || first == "_" else { return false }
        if countsFromZero || behind == "_" || name.contains("_") { return true }
        // A single letter is a variable, except in "Vitamin C[1]".
        if name.count == 1, first.isLowercase { return true }
        let isAsciiName = name.allSatisfy(\.isASCII)
        let hasDigit = name.contains(where: \.isNumber) && first.isLowercase
        let isCamel = first.isLowercase && name.contains(where: \.isUppercase)
        return isAsciiName && (hasDigit || isCamel)
    }

    private static func isOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
