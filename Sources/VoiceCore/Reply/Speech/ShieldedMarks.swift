/// Stand-ins for characters meant literally, so that neither Markdown nor the clean-up takes them for markup.
enum ShieldedMarks {
    // In the private use area, next to those of `LinkMarks`.
    private static let shields: [(original: Character, shield: Character)] = [
        ("|", "\u{E010}"), ("*", "\u{E011}"), ("[", "\u{E012}"), ("]", "\u{E013}"),
        (">", "\u{E014}"), ("^", "\u{E015}"),
    ]
    static let range: ClosedRange<UInt32> = 0xE010...0xE01F
    private static let star: Character = "\u{E011}"
    private static let bar: Character = "\u{E010}"
    private static let greater: Character = "\u{E014}"
    /// An escaped star, until it is known whether it is an operator.
    private static let escapedStar: Character = "\u{E016}"

    /// Removes characters of the private use area, which have no meaning for a reader.
    static func withoutPrivateUse(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0xEE || $0 == 0xEF }) else { return text }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text.unicodeScalars.lazy.filter { !(0xE000...0xF8FF).contains($0.value) })
        return String(scalars)
    }

    /// Shields the text of inline code, so that nothing in it is mistaken for a table or a reference.
    static func ofCode(_ text: String) -> String {
        String(
            text.map { character in
                shields.first { $0.original == character && !"*>".contains(character) }?.shield ?? character
            }
        )
    }

    /// The stand-in of one character, or the character itself.
    static func shielded(_ character: Character) -> String {
        String(shields.first { $0.original == character }?.shield ?? character)
    }

    /// Length of a stand-in at this position, in bytes; nil if there is none.
    static func length(in bytes: [UInt8], at position: Int) -> Int? {
        guard position + 2 < bytes.count, bytes[position] == 0xEE, bytes[position + 1] == 0x80 else { return nil }
        return (0x90...0x9F).contains(bytes[position + 2]) ? 3 : nil
    }

    private static func original(of shield: Character) -> Character? { shields.first { $0.shield == shield }?.original }

    static func restore(_ text: String) -> String {
        guard text.utf8.contains(0xEE) else { return text }
        let power = "\(star)\(star)"
        let result = [" \(power) ", " \(power)", "\(power) ", power].reduce(text) { $0.replacing($1, with: "^") }
        return String(result.map { $0 == star ? "\u{D7}" : original(of: $0) ?? $0 })
    }

    /// Shields, before the text is parsed, stars that multiply (2*3, 2*pi*r, 2**10), escaped bars, and comparison operators
    /// at the beginning of a line (>= 5, >5), where Markdown sees a quotation.
    static func operators(in text: String) -> String {
        let written = comparisons(in: text)
        guard written.utf8.contains(where: { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "\\") }) else {
            return written
        }
        var text = Array(
            written.replacing("\\|", with: String(bar)).replacing("\\*", with: String(escapedStar))
        )
        var at = 0
        while at < text.count {
            guard text[at] == "*" || text[at] == escapedStar else {
                at += 1
                continue
            }
            var end = at
            while end < text.count, text[end] == text[at] { end += 1 }
            shieldStars(&text, at..<end)
            at = end
        }
        return String(text).replacing(String(escapedStar), with: "\\*")
    }

    /// Shields "[Monday]: dentist" at the beginning of a line, which Markdown takes for a reference definition and
    /// drops.
    static func labels(in text: String) -> String {
        guard text.contains("]:") else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let label = line.drop { " \t-*+>.)".contains($0) || $0.isNumber }
            guard label.first == "[", !label.hasPrefix("[^"), let close = label.firstRange(of: "]:") else {
                return String(line)
            }
            let target = label[close.upperBound...].drop(while: \.isWhitespace).prefix { !$0.isWhitespace }
            guard !target.isEmpty, !isAddress(target) else { return String(line) }
            return line[..<close.lowerBound] + "\u{E013}:" + line[close.upperBound...]
        }.joined(separator: "\n")
    }

    private static func isAddress(_ text: Substring) -> Bool {
        if text.contains(where: "/#@<".contains) { return true }
        // "page.html", not "dentist." and not "9.30".
        return zip(text, text.dropFirst()).contains { $0 == "." && $1.isLetter }
    }

    private static func comparisons(in text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: ">")) else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            // Also after a list marker: "- >= 5".
            let mark = line.prefix { " \t-*+".contains($0) }
            let rest = line.dropFirst(mark.count)
            guard rest.first == ">", let next = rest.dropFirst().first, next == "=" || next.isNumber else {
                return line
            }
            return mark + String(greater) + rest.dropFirst()
        }.joined(separator: "\n")
    }

    private static func shieldStars(_ text: inout [Character], _ run: Range<Int>) {
        guard run.count <= 2 else { return }
        var (left, right) = (run.lowerBound, run.upperBound)
        if run.count == 1, multiplies(left, in: text) {
            text[left] = star
            return
        }
        // With a space on one side, two stars are a power only if they neither open nor close bold text.
        if run.count == 1 {
            guard left > 0, text[left - 1] == " ", right < text.count, text[right] == " " else { return }
            (left, right) = (left - 1, right + 1)
        } else {
            let isEscaped = text[left] == escapedStar
            let isOpen = left > 0 && text[left - 1] == " "
            let isClosed = right < text.count && text[right] == " "
            if !isEscaped, isOpen, !isClosed, holdsStars(text[right...].prefix(paragraph)) { return }
            if !isEscaped, isClosed, !isOpen, holdsStars(text[..<left].suffix(paragraph)) { return }
            if isOpen { left -= 1 }
            if isClosed { right += 1 }
        }
        guard isOperand(before: left, in: text), let end = operandEnd(from: right, in: text) else { return }
        // x**2** is x and a bold 2.
        var next = end
        while next < text.count, text[next] == "*" { next += 1 }
        if next > end, operandEnd(from: next, in: text) == nil { return }
        for index in run { text[index] = star }
    }

    /// Whether a star between two characters of words multiplies: beside a digit, between single letters and brackets, or
    /// after another such star. "*3*rd" is emphasis.
    private static func multiplies(_ at: Int, in text: [Character]) -> Bool {
        let behind = text[(at + 1)...].first { $0 != "-" && $0 != "\u{2212}" } ?? " "
        guard at > 0, text[at - 1] == ")" || isPart(text[at - 1]), behind == "(" || isPart(behind) else { return false }
        var start = at
        while start > 0, at - start < 40, isPart(text[start - 1]) { start -= 1 }
        let before = start > 0 ? text[start - 1] : " "
        if before == "*", start < 2 || text[start - 2] != "*" { return false }
        if before == star || text[at - 1].isNumber || behind.isNumber { return true }
        return isOperand(before: at, in: text) && operandEnd(from: at + 1, in: text) != nil
    }

    /// How far away the other stars of bold text may be, in characters.
    private static let paragraph = 600

    private static func holdsStars(_ text: ArraySlice<Character>) -> Bool {
        zip(text, text.dropFirst()).contains { $0 == "*" && $1 == "*" }
    }

    /// Whether a number, a single letter or a closing bracket precedes.
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
        // The full stop of the sentence is not part of the number.
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
