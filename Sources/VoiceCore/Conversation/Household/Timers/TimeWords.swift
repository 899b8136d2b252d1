/// A text as words: in lower case, without punctuation, numbers apart from their units. "7:30pm" is "7:30 pm", "1h30m" is
/// "1 h 30 m", "ten-minute" is "ten minute". Pure.
package struct TimeWords: Sendable {
    package private(set) var words: [String] = []
    /// What each word was read from: all between two blanks.
    private var sources: [Substring] = []

    package init(_ text: String) {
        var isDashed = false
        let chunks = text.split(whereSeparator: \.isWhitespace)
        for (index, chunk) in chunks.enumerated() {
            if let part = Self.writtenFractions[String(chunk)] {
                append(fraction: part, of: chunk)
                isDashed = false
                continue
            }
            let isDecimal = Self.isDecimal(chunk, before: chunks.dropFirst(index + 1).first)
            let written = isDecimal ? chunk.replacing(",", with: ".")[...] : chunk
            let pieces = Self.pieces(of: written).filter { $0.contains { $0.isLetter || $0.isNumber } }
            let isRange = isDashed || chunk.first.map(Self.isDash) ?? false
            // "Mon - Fri"
            if isRange, TimeTable.weekday(words.last) != nil, TimeTable.weekday(pieces.first) != nil {
                words.append("to")
                sources.append(chunk)
            }
            // "2 h - 5 m"
            if isDashed, Self.isDifference(words.last, pieces) {
                words.append("minus")
                sources.append(chunk)
            }
            words += pieces
            sources += pieces.map { _ in chunk }
            isDashed = chunk.last.map(Self.isDash) ?? false
        }
    }

    /// Whether the comma is that of a number: "1,5h", "1,5 hours"; but "10,5 minutes" may be two lengths.
    private static func isDecimal(_ chunk: Substring, before next: Substring?) -> Bool {
        let parts = chunk.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy({ 48...57 ~= $0 }) else { return false }
        let digits = parts[1].prefix { $0.isASCII && $0.isNumber }
        let unit = parts[1].dropFirst(digits.count).lowercased()
        guard 1...2 ~= digits.utf8.count else { return false }
        return unit.isEmpty
            ? next.map { TimeTable.units[$0.lowercased()] == 3600 } ?? false : TimeTable.units[unit] != nil
    }

    /// Stands between the first and the last of several: "mon-fri", "mon~fri", "mon\u{2026}fri".
    private static func isDash(_ character: Character) -> Bool {
        "-\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}~_>\u{2192}\u{2026}".contains(character)
    }

    /// Whether a dash between a unit and another length may take that length away.
    private static func isDifference(_ unit: String?, _ length: [String]) -> Bool {
        guard let unit, TimeTable.units[unit] != nil, length.count > 1 else { return false }
        return TimeTable.isNumeric(length[0]) && TimeTable.units[length[1]] != nil
    }

    private static let writtenFractions = ["1/2": ".5", "1/4": ".25", "3/4": ".75"]

    /// "1/2" alone, or behind a whole number: "1 1/2 hours".
    private mutating func append(fraction: String, of chunk: Substring) {
        if let whole = words.last, whole.utf8.allSatisfy({ 48...57 ~= $0 }), let before = sources.last {
            words[words.count - 1] += fraction
            sources[sources.count - 1] = chunk.base[before.startIndex..<chunk.endIndex]
        } else {
            words.append("0" + fraction)
            sources.append(chunk)
        }
    }

    /// Replaces each word by others, or by none.
    package mutating func replace(_ replace: (String) -> [String]) {
        let pairs = zip(words, sources).flatMap { word, source in replace(word).map { ($0, source) } }
        words = pairs.map(\.0)
        sources = pairs.map(\.1)
    }

    /// The text that these words were read from, as it was written.
    package func source(of range: Range<Int>) -> Substring {
        guard let first = range.first, let last = range.last, sources.indices.contains(last) else { return "" }
        // "10m:tea"
        if first > 0, sources[first - 1].startIndex == sources[first].startIndex {
            return words[range].joined(separator: " ")[...]
        }
        return sources[first].base[sources[first].startIndex..<sources[last].endIndex]
    }

    /// The unit of the last number in "3m30" and "1h30"; nil if it is unclear, as "7h30" may be a time of day.
    private static func impliedUnit(of runs: [String]) -> String? {
        guard runs[runs.count - 1].utf8.count == 2, let count = Int(runs[runs.count - 3]) else { return nil }
        return switch TimeTable.units[runs[runs.count - 2]] {
        case 60: "s"
        case 3600: count < 5 ? "m" : nil
        default: nil
        }
    }

    /// Whether a colon stands between a word and the one before it: "10m: tea", "10m:tea".
    func isAfterColon(_ index: Int) -> Bool {
        guard index > 0, index < words.count else { return false }
        let before = sources[index - 1]
        guard before.startIndex == sources[index].startIndex else { return before.hasSuffix(":") }
        return zip(before, before.dropFirst()).contains { $0 == ":" && !$1.isNumber }
    }

    private static let fractions: [Character: String] = ["\u{BD}": ".5", "\u{BC}": ".25", "\u{BE}": ".75"]

    private static func pieces(of chunk: Substring) -> [String] {
        var text = chunk.lowercased().replacing("\u{2019}", with: "'").replacing("a.m", with: "am").replacing(
            "p.m",
            with: "pm"
        ).replacing("...", with: "\u{2026}").replacing("..", with: "\u{2026}")
        if let date = text.firstIndex(of: "t"), TimeTable.date(text[..<date]) != nil {
            text.replaceSubrange(date...date, with: ",")
            if text.hasSuffix(":00"), text.utf8.count(where: { $0 == 58 }) == 2 { text.removeLast(3) }
        }
        let characters = Array(text)
        var words: [String] = []
        // Runs of digits and of letters that stand without anything between them.
        var runs: [String] = []
        func isDigit(_ index: Int) -> Bool {
            characters.indices.contains(index) && ("0"..."9").contains(characters[index])
        }
        // "Mon-Fri"
        var isRange = false
        func close() {
            guard let first = runs.first else { return }
            if isRange, TimeTable.weekday(first) != nil, TimeTable.weekday(words.last) != nil { words.append("to") }
            if isRange, isDifference(words.last, runs) { words.append("minus") }
            let isKnown = runs.allSatisfy { TimeTable.isNumeric($0) || TimeTable.attached.contains($0) }
            if isKnown, runs.count > 2, let last = runs.last, TimeTable.isNumeric(last) {
                words += impliedUnit(of: runs).map { runs + [$0] } ?? [runs.joined()]
            } else {
                words += isKnown ? runs : [runs.joined()]
            }
            runs = []
            isRange = false
        }
        var wasNumber = false
        for (index, character) in characters.enumerated() {
            let sign = character == "-" && index == 0 && isDigit(1)
            let joint = ".:-/".contains(character) && isDigit(index - 1) && isDigit(index + 1)
            let isNumber = isDigit(index) || sign || joint || fractions[character] != nil
            guard isNumber || character.isLetter || character.isNumber || character == "'" else {
                close()
                isRange = isDash(character)
                continue
            }
            let part = fractions[character].map { wasNumber && !runs.isEmpty ? $0 : "0" + $0 } ?? String(character)
            if isNumber == wasNumber, !runs.isEmpty { runs[runs.count - 1] += part } else { runs.append(part) }
            wasNumber = isNumber
        }
        close()
        return words
    }
}
