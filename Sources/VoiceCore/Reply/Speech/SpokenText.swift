/// Cleans up one block of text: single spaces, no marks that only the eye understands.
enum SpokenText {
    static func clean(_ text: String) -> String {
        // The text of a footnote belongs to the end of a page and is not read.
        if text.hasPrefix("[^"), text.contains("]:") { return "" }
        var words: [String] = []
        let hasRows = text.split(separator: "\n").contains { $0.first { $0 != " " } == "|" }
        let shown = withoutSigns(endingLines(withoutStruck(withoutSources(text))))
        let given = shown.split(whereSeparator: \.isWhitespace)
        for (index, word) in given.enumerated() {
            if isCount(word, behind: words.last, before: given.dropFirst(index + 1).first) {
                words.append(String(word))
                continue
            }
            // "a || b" is kept, unless it is an empty cell in the remains of a table.
            let cleaned = word == "||" && !hasRows ? "||" : cleanWord(word)
            guard !cleaned.isEmpty else { continue }
            // A full stop or comma that lost its word is attached to the previous one.
            if cleaned.allSatisfy({ ".,;:!?".contains($0) }), let last = words.popLast() {
                words.append(SentenceSplitter.isPause(last.last ?? " ") ? last : last + cleaned)
            } else if let last = words.last, last == "(" {
                // The bracket began with a picture.
                words[words.count - 1] = last + cleaned
            } else {
                words.append(cleaned)
            }
        }
        if words.first.map(["[ ]", "[x]", "[X]"].contains) == true { words.removeFirst() }
        if words.count > 1, words[0] == "[", words[1] == "]" { words.removeFirst(2) }
        return ShieldedMarks.restore(words.joined(separator: " "))
    }

    /// Removes struck-through text (section 6.5 of GitHub Flavored Markdown), which no longer applies.
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

    /// Adds full stops between lines. A line that begins with a picture is a list entry, so the line before it ends. A
    /// line with a hard break ends if the next one looks like the beginning of a sentence.
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

    /// Removes control characters, zero-width characters and pictures; an arrow becomes a dash.
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

    private static func cleanWord(_ word: Substring) -> String {
        switch word {
        case "==", "===": "="
        case "->", "=>", "-->", "==>", "<-", "<->": "\u{2013}"
        default: namingHosts(withoutReferences(withoutFootnotes(withoutSuperscripts(withoutMarks(word)))))
        }
    }

    /// Drops backquotes and every run of two or more marks ("**", "__", "~~", "##", "*_"), but not in "a==b" and
    /// "a||b". Two stars before a number, left by Markdown in the middle of a word, are a power: "radius**2".
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
            if joins, character.isNumber, run == "**", !word.hasPrefix("*") {
                result += "^"
            } else if run.utf8.count == 1 || isOperator {
                result += run
            } else if joins, !run.isEmpty, character.isNumber, result.last?.isNumber == true {
                // Two numbers must not become one.
                result += " "
            }
            run = ""
            result.append(character)
        }
        if run.utf8.count == 1 { result += run }
        let isDash = result.utf8.count > 1 && result.utf8.allSatisfy { $0 == UInt8(ascii: "-") }
        if isDash { return result.utf8.count <= 3 ? "\u{2013}" : "" }
        return ["#", "|", "_"].contains(result) ? "" : result
    }

    /// "word[^1]" is a GitHub footnote.
    private static func withoutFootnotes(_ word: String) -> String {
        guard let start = word.firstRange(of: "[^") else { return word }
        guard let end = word[start.upperBound...].firstIndex(of: "]") else { return word }
        return String(word[..<start.lowerBound] + word[word.index(after: end)...])
    }

    /// "[2] files": a number in brackets is a reference only at the end of a sentence or clause.
    private static func isCount(_ word: Substring, behind last: String?, before next: Substring?) -> Bool {
        guard (3...5).contains(word.count), word.first == "[", word.last == "]",
            word.dropFirst().dropLast().allSatisfy(\.isNumber), let first = next?.first
        else { return false }
        let isEnd = last?.last { !SentenceSplitter.closers.contains($0) }.map(SentenceSplitter.isPause) ?? false
        return (first.isLetter || first.isNumber) && !isEnd
    }

    /// Removes "[1]".
    private static func withoutReferences(_ word: String) -> String {
        var result = word
        while let start = result.firstIndex(of: "["), let end = result[start...].firstIndex(of: "]") {
            let inside = result[result.index(after: start)..<end]
            guard !inside.isEmpty, inside.count <= 3, inside.allSatisfy(\.isNumber) else { return result }
            result.removeSubrange(start...end)
            // "so.^[1]"
            if start > result.startIndex, result[result.index(before: start)] == "^" {
                result.remove(at: result.index(before: start))
            }
        }
        return result
    }

    /// Removes lists of sources, "it is so.[1, 3]", and sources with a name: "[cite: 4]", "[source 2]".
    private static func withoutSources(_ text: String) -> String {
        guard text.contains("[") else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "[") {
            result += rest[..<start]
            let inside = rest[rest.index(after: start)...].prefix(40).prefix { $0 != "]" && $0 != "[" }
            let behind = rest[inside.endIndex...]
            let name = inside.prefix { $0.isLetter || $0 == "_" }.lowercased()
            let numbers = inside.drop { $0.isLetter || $0 == "_" }
            let isList = numbers.allSatisfy { $0.isNumber || ",;:- \u{2013}".contains($0) }
            let isNamed = ["cite", "cite_start", "citation", "source", "sources", "ref", "doc", "web"].contains(name)
            let isAttached =
                name.isEmpty && numbers.contains { ",-\u{2013}".contains($0) } && result.last?.isWhitespace == false
            if behind.first == "]", isList, isNamed || isAttached {
                rest = behind.dropFirst()
            } else {
                result += "["
                rest = rest[rest.index(after: start)...]
            }
        }
        return result + rest
    }

    /// Words before which a raised number is a power.
    private static let units: Set<String> = [
        "sin", "cos", "tan", "log", "mol", "sec", "feet", "foot", "inch", "inches", "yard", "yards", "mile", "miles",
        "metre", "metres",
        "meter", "meters", "metern", "kilometer", "kilometers", "kilometre", "kilometres", "centimeter", "centimeters",
        "centimetres",
    ]

    /// Removes raised numbers that cite a source: "It is so.\u{B9}", "Paris\u{B2}\u{B7}\u{B3}"; powers and charges stay: "m\u{B2}",
    /// "10\u{2076}", "Ca\u{B2}\u{207A}".
    private static func withoutSuperscripts(_ word: String) -> String {
        func isRaised(_ character: Character) -> Bool {
            "\u{B9}\u{B2}\u{B3}\u{2070}\u{2074}\u{2075}\u{2076}\u{2077}\u{2078}\u{2079}".contains(character)
        }
        func isSign(_ character: Character) -> Bool { "\u{207A}\u{207B}\u{207F}\u{2071}".contains(character) }
        guard word.contains(where: isRaised) else { return word }
        var result = ""
        var rest = word[...]
        while let first = rest.firstIndex(where: isRaised) {
            let base = rest[..<first]
            result += base
            // "\u{B9}\u{2E34}\u{B2}", "\u{207D}\u{B9}\u{207E}"
            var run = rest[first...].prefix {
                isRaised($0) || isSign($0) || ",\u{2E34}\u{02D2}\u{207E}\u{1D52}".contains($0)
            }
            while let last = run.last, last == "," { run = run.dropLast() }
            rest = rest[run.endIndex...]
            if cites(run, after: result, isSign) {
                while result.last == "\u{207D}" || result.last == "," && base.isEmpty { result.removeLast() }
            } else {
                result += run
            }
        }
        return result + rest
    }

    private static func cites(_ run: Substring, after text: String, _ isSign: (Character) -> Bool) -> Bool {
        guard let last = text.last else { return true }
        if run.contains(where: isSign) { return false }
        if last.isNumber {
            // "in 2020\u{B9}"
            let digits = text.reversed().prefix(while: \.isNumber)
            return digits.count == 4 && text.filter(\.isLetter).isEmpty && (text.contains("19") || text.contains("20"))
        }
        guard last.isLetter else { return last != ")" && last != "\u{B0}" && last != "'" && !isSign(last) }
        let letters = String(text.reversed().prefix(while: \.isLetter).reversed()).lowercased()
        if run == "\u{B9}" { return letters.count > 1 }
        return letters.count > 2 && !units.contains(letters)
    }

    /// The hosts of the addresses in a text.
    static func hosts(in text: String) -> [String] {
        var hosts: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace)
        where word.contains("://") || word.lowercased().contains("www.") {
            let bytes = Array(word.utf8)
            var position = 0
            while position < bytes.count {
                guard let end = addressEnd(in: bytes, from: position) else {
                    position += 1
                    continue
                }
                let host = host(of: bytes[position..<end])
                if !host.isEmpty { hosts.append(host) }
                position = end
            }
        }
        return hosts
    }

    /// "example.org" of "https://user@www.example.org:8443/path".
    private static func host(of address: ArraySlice<UInt8>) -> String {
        let text = String(decoding: address, as: UTF8.self)
        var rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        rest = rest.prefix { !"/?#\\".contains($0) }
        if let user = rest.lastIndex(of: "@") { rest = rest[rest.index(after: user)...] }
        // Marks of the text around an address are no part of its host.
        if !rest.hasPrefix("[") { rest = rest.prefix { $0.isLetter || $0.isNumber || ".-".contains($0) } }
        if rest.lowercased().hasPrefix("www.") { rest = rest.dropFirst(4) }
        while let last = rest.last, ".-".contains(last) { rest.removeLast() }
        return rest.contains(where: \.isLetter) || rest.contains(where: \.isNumber) ? String(rest) : ""
    }

    /// Replaces an address within text by its host; brackets around an address alone are left out with it.
    private static func namingHosts(_ word: String) -> String {
        let bytes = Array(word.utf8)
        var result: [UInt8] = []
        var position = 0
        while position < bytes.count {
            guard let end = addressEnd(in: bytes, from: position) else {
                result.append(bytes[position])
                position += 1
                continue
            }
            let isBracketed = result.last == UInt8(ascii: "(") && end < bytes.count && bytes[end] == UInt8(ascii: ")")
            if !isBracketed { result += Array(host(of: bytes[position..<end]).utf8) }
            position = end
        }
        let rest = String(decoding: result, as: UTF8.self)
        return result.count == bytes.count ? rest : rest.replacing("()", with: "")
    }

    /// Returns the position after an address, including what directly follows it even if an address may not contain it:
    /// "https://e.org/{id}/x".
    private static func addressEnd(in bytes: [UInt8], from start: Int) -> Int? {
        // "http" starts an address even directly after a word; "www." may be the end of a word.
        let isScheme = bytes[start] | 0x20 == UInt8(ascii: "h")
        guard isScheme || AddressInText.mayBegin(in: bytes, at: start),
            var end = AddressInText.end(in: bytes, from: start), end > start
        else { return nil }
        if end - start >= AddressInText.longest { return bytes.count }
        let behind = ShieldedMarks.length(in: bytes, at: end) ?? 0
        guard end < bytes.count, behind > 0 || "{}|\\^_".utf8.contains(bytes[end]) else { return end }
        while end < bytes.count {
            let length = ShieldedMarks.length(in: bytes, at: end) ?? (bytes[end] > 0x20 && bytes[end] < 0x7F ? 1 : 0)
            guard length > 0 else { break }
            end += length
        }
        while end > start, ".,;:!?)]>}\"'".utf8.contains(bytes[end - 1]) { end -= 1 }
        return end
    }
}
