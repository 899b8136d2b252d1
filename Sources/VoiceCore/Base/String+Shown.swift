internal import FoundationEssentials

extension String {
    /// The beginning of the text, at most `limit` UTF-8 bytes, without splitting a Unicode scalar.
    package func bounded(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while String.Index(end, within: unicodeScalars) == nil, end > startIndex { end = utf8.index(before: end) }
        return String(unicodeScalars[..<end])
    }
}

extension String {
    /// The text, or its beginning and an ellipsis in at most `limit` UTF-8 bytes, without splitting a letter.
    package func shortened(toBytes limit: Int, mark: String = "\u{2026}") -> String {
        guard utf8.count > limit else { return self }
        var (kept, count) = ("", mark.utf8.count)
        // One letter with a million accents is not looked at to its end.
        for letter in bounded(toBytes: limit + 64) {
            count += letter.utf8.count
            guard count <= limit else { break }
            kept.append(letter)
        }
        while kept.last?.isWhitespace == true { kept.removeLast() }
        return kept + mark
    }
}

extension StringProtocol {
    /// Whether there is anything in it that can be said: a letter or a number.
    package var isSayable: Bool { contains { $0.isLetter || $0.isNumber } }
}

extension String {
    /// The text as a JSON string. Quotes in it are escaped, so that its bounds are visible even if it comes from outside.
    package var quoted: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // A string always encodes.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }
}

extension Unicode.Scalar {
    /// Whether a reader cannot see it, so that it could colour a terminal, reorder a line, begin another or smuggle something:
    /// controls, bidirectional marks, line separators, invisible and unassigned characters.
    package var isHidden: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        if properties.isDefaultIgnorableCodePoint { return true }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: false
        }
    }
}

extension String {
    package enum Escapes { case text, json }

    /// The text on one line, with every hidden character escaped, as in `\n` or `\u{202e}`. The one function for whatever is
    /// written for people: the journal, what `ctl` prints, events.
    ///
    /// - Parameter form: the notation; `json` for a text that is JSON already, and means the same afterwards.
    package func escapingHidden(as form: Escapes = .text) -> String {
        guard unicodeScalars.contains(where: \.isHidden) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case _ where !scalar.isHidden: result.unicodeScalars.append(scalar)
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where form == .text: result += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return result
    }
}
