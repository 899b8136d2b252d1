/// How superscripts and subscripts are read: `10<sup>6</sup>`, `2^{10}`, `x<sub>i</sub>`.
struct SpokenScript {
    /// In markup, a raised number after a word is a footnote mark, not a power.
    enum Notation { case markup, caret }

    private static let signs = "+-\u{2212}*/\u{B7}\u{D7}\u{2044}^="
    private static let operators = signs + "().\u{B2}\u{B3}"
    /// Letters that stand for numbers; "1e", "1o" and "20h" are words.
    private static let variables = "ijklmnpqtuvwxyzN"
    private static let longest = 40

    let words: InsertedWords

    /// Appends a superscript to `before`: as a power, a unit, an ordinal, or not at all.
    ///
    /// - Parameter exponent: as it is read by itself; may contain a power.
    func raise(_ exponent: String, after before: inout String, _ notation: Notation = .markup) {
        let exponent = Self.trimmed(exponent)
        // Reversed: the first character is the one before the exponent.
        let base = Array(before.suffix(8).reversed().prefix { $0.isLetter || $0.isNumber })
        let isWord = base.count > 3 && base.allSatisfy(\.isLetter)
        if isWord, notation == .markup, exponent.allSatisfy({ $0.isNumber || "()[],;-\u{2013}".contains($0) }) {
            return
        }
        guard isPower(exponent, notation), !base.isEmpty || before.last == ")" else {
            // The charge of an ion, "SO4 2-".
            let runsOn = before.last?.isNumber == true && exponent.first?.isNumber == true
            before += (runsOn ? " " : "") + exponent
            return
        }
        switch exponent {
        case "2" where base.first?.isLetter == true: before += "\u{B2}"
        case "3" where base.first?.isLetter == true: before += "\u{B3}"
        default: before += (words.power.map { " \($0) " } ?? "^") + exponent
        }
    }

    /// Appends a subscript to `before`. H2O and x1 are read as one; after a number it is the base of that number;
    /// letters are read separately: "x i".
    func lower(_ index: String, after before: inout String) {
        let index = Self.trimmed(index)
        let isNumber = Self.isNumber(index[...])
        guard before.last?.isNumber == true, isNumber else {
            let standsAlone = before.last?.isWhitespace == false && index.first?.isNumber == false
            before += (standsAlone ? " " : "") + index
            return
        }
        // The digits of "C6H12" are part of a formula: a letter precedes them.
        let isOfWord = before.suffix(Self.longest).reversed().drop { $0.isNumber }.first?.isLetter == true
        before += (isOfWord ? " " : words.base.map { " \($0) " } ?? " ") + index
    }

    /// "6", "-1.5", "n", "n+1", "2n", "(n-1)/2", and text that contains a power; neither "st" nor "2-".
    private func isPower(_ text: String, _ notation: Notation) -> Bool {
        if let power = words.power, text.contains(" \(power) ") { return true }
        guard text.count <= Self.longest, let last = text.last, last.isLetter || last.isNumber || last == ")" else {
            return false
        }
        if Self.isNumber(text.drop { "-+\u{2212}".contains($0) }) { return true }
        if text.count == 1 { return notation == .caret || Self.variables.contains(text) }
        guard text.allSatisfy({ $0.isLetter || $0.isNumber || $0 == " " || Self.operators.contains($0) }),
            text.filter({ $0 == "(" }).count == text.filter({ $0 == ")" }).count
        else { return false }
        // Names of one letter with operators or digits: not a word, not "1e", not a mark like "(a)".
        let names = text.split { !$0.isLetter }
        guard names.allSatisfy({ $0.count == 1 }), names.count > 1 || text.count > 1 else { return false }
        if notation == .caret { return true }
        let isMark = text.hasPrefix("(") && text.hasSuffix(")") && text.allSatisfy { !Self.signs.contains($0) }
        let isOrdinal = last.isLetter && text.dropLast().allSatisfy(\.isNumber) && !Self.variables.contains(last)
        return !isMark && !isOrdinal
    }

    /// "6", "1.5", "1,5" and "1/2".
    private static func isNumber(_ text: Substring) -> Bool {
        guard text.first?.isNumber == true, text.last?.isNumber == true else { return false }
        let marks = text.filter { !$0.isNumber }
        return marks.count <= 1 && (marks.isEmpty || ".,/\u{2044}".contains(marks))
    }

    private static func trimmed(_ text: String) -> String {
        let start = text.drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
    }
}

extension SpokenScript {
    /// Reads "2^{10}", "2^10", "x^(n+1)" and "x_{i}" outside formulas; other carets stay.
    func read(_ text: String) -> String {
        guard text.contains("^") || text.contains("_{") else { return text }
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(where: { $0 == "^" || $0 == "_" }) {
            result += rest[..<mark]
            let behind = rest[rest.index(after: mark)...]
            let isRaised = rest[mark] == "^"
            let isOperand = result.last.map { $0.isLetter || $0.isNumber || $0 == ")" } ?? false
            guard isOperand, let (script, end) = Self.script(at: behind, isRaised: isRaised) else {
                result.append(rest[mark])
                rest = behind
                continue
            }
            if !isRaised {
                lower(script, after: &result)
            } else if isPower(Self.trimmed(script), .caret) {
                raise(script, after: &result, .caret)
            } else {
                result += rest[mark..<end]
            }
            rest = rest[end...]
            if let next = rest.first, next.isLetter || next.isNumber { result += " " }
        }
        return result + rest
    }

    /// Returns the text in braces; for a superscript also text in brackets, a number or a letter.
    private static func script(at text: Substring, isRaised: Bool) -> (String, Substring.Index)? {
        guard let first = text.first else { return nil }
        if first == "{" || (first == "(" && isRaised) {
            var depth = 0
            for index in text.indices.prefix(longest + 2) {
                switch text[index] {
                case "{", "(": depth += 1
                case "}", ")": depth -= 1
                default: break
                }
                guard depth == 0 else { continue }
                let end = text.index(after: index)
                let inside = first == "{" ? text[..<index].dropFirst() : text[..<end]
                return inside.allSatisfy(\.isWhitespace) || inside.contains("{") ? nil : (String(inside), end)
            }
            return nil
        }
        guard isRaised else { return nil }
        let sign = text.prefix { "-+\u{2212}".contains($0) }
        let behind = text[sign.endIndex...]
        var number = behind.prefix { $0.isNumber || $0 == "." || $0 == "," }
        while let last = number.last, !last.isNumber { number.removeLast() }
        if sign.count <= 1, !number.isEmpty { return (String(sign) + String(number), number.endIndex) }
        let end = text.index(after: text.startIndex)
        let isAlone = end == text.endIndex || !(text[end].isLetter || text[end].isNumber)
        return first.isLetter && isAlone ? (String(first), end) : nil
    }
}
