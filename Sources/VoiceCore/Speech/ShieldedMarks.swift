/// Stand-ins for characters that mean what they are, so that neither Markdown nor the tidying takes them for marks.
enum ShieldedMarks {
    // Of the private use area, beside those of `LinkMarks`.
    private static let shields: [(original: Character, shield: Character)] = [
        ("|", "\u{E010}"), ("*", "\u{E011}"), ("[", "\u{E012}"), ("]", "\u{E013}"),
    ]
    static let range: ClosedRange<UInt32> = 0xE010...0xE01F
    private static let star: Character = "\u{E011}"
    private static let bar: Character = "\u{E010}"

    /// Without characters of the private use area, which nobody can read.
    static func withoutPrivateUse(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0xEE || $0 == 0xEF }) else { return text }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text.unicodeScalars.lazy.filter { !(0xE000...0xF8FF).contains($0.value) })
        return String(scalars)
    }

    /// The text of a piece of code: no mark of a table, no reference.
    static func ofCode(_ text: String) -> String {
        String(
            text.map { character in shields.first { $0.original == character && character != "*" }?.shield ?? character
            }
        )
    }

    static func restore(_ text: String, _ words: InsertedWords) -> String {
        guard text.utf8.contains(0xEE) else { return text }
        let power = "\(star)\(star)"
        let spoken = words.power.map { " \($0) " } ?? "^"
        let result = text.replacing(" \(power) ", with: spoken).replacing(power, with: spoken)
        return String(result.map { character in shields.first { $0.shield == character }?.original ?? character })
    }

    /// Shields, before the text is parsed, the stars between numbers (2*3, 2**10) and escaped bars.
    static func operators(in text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "\\") }) else { return text }
        var text = Array(text.replacing("\\|", with: String(bar)))
        var at = 0
        while at < text.count {
            guard text[at] == "*" else {
                at += 1
                continue
            }
            var end = at
            while end < text.count, text[end] == "*" { end += 1 }
            shieldStars(&text, at..<end)
            at = end
        }
        return String(text)
    }

    private static func shieldStars(_ text: inout [Character], _ run: Range<Int>) {
        guard run.count <= 2 else { return }
        var (left, right) = (run.lowerBound, run.upperBound)
        // Markdown leaves stars between blanks alone; of those only the power would be taken for a mark later.
        if run.count == 2, left > 0, text[left - 1] == " ", right < text.count, text[right] == " " {
            left -= 1
            right += 1
        }
        guard isOperand(before: left, in: text), let end = operandEnd(from: right, in: text) else { return }
        // x**2** is x and a bold 2.
        var next = end
        while next < text.count, text[next] == "*" { next += 1 }
        if next > end, operandEnd(from: next, in: text) == nil { return }
        for index in run { text[index] = star }
    }

    /// A number, one letter, or a closing bracket.
    private static func isOperand(before end: Int, in text: [Character]) -> Bool {
        guard end > 0 else { return false }
        if text[end - 1] == ")" { return true }
        var start = end
        while start > 0, end - start < 40, isPart(text[start - 1]) { start -= 1 }
        return isOperand(text[start..<end])
    }

    private static func operandEnd(from start: Int, in text: [Character]) -> Int? {
        guard start < text.count else { return nil }
        if text[start] == "(" { return start + 1 }
        var first = start
        if text[first] == "-" || text[first] == "\u{2212}" { first += 1 }
        var end = first
        while end < text.count, end - first < 40, isPart(text[end]) { end += 1 }
        // The full stop of the sentence is no part of the number.
        while end > first, text[end - 1] == "." || text[end - 1] == "," { end -= 1 }
        return isOperand(text[first..<end]) ? end : nil
    }

    private static func isPart(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "." || character == ","
    }

    private static func isOperand(_ text: ArraySlice<Character>) -> Bool {
        guard let first = text.first else { return false }
        if text.count == 1 { return first.isLetter || first.isNumber }
        return first.isNumber && text.allSatisfy { !$0.isLetter }
    }
}
