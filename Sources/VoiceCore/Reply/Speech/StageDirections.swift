/// Removes what a speaker is said to do: "*sighs* It is ten." Only what surely is one, since emphasis and brackets hold words too.
///
/// In stars, it is a few words that begin in lower case and stand between two sentences; in brackets, a sound that a voice
/// makes or a gesture.
enum StageDirections {
    private static let longest = 40
    private static let mostWords = 5
    private static let sounds = [
        "laugh", "chuckle", "giggle", "sigh", "smile", "grin", "nod", "shrug", "wink", "cough", "gasp", "yawn",
        "whisper",
        "pause", "clear", "sniff", "groan", "snort", "smirk", "sob",
    ]

    /// - Parameter isComplete: a complete text of nothing else stays as it is.
    static func removed(from text: String, isComplete: Bool) -> String {
        guard text.utf8.contains(where: { "*_([".utf8.contains($0) }) else { return text }
        var result = ""
        var isFenced = false
        var hasChanged = false
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if number > 0 { result += "\n" }
            let start = line.drop { $0 == " " }
            if start.hasPrefix("```") || start.hasPrefix("~~~") { isFenced.toggle() }
            guard !isFenced, line.utf8.contains(where: { "*_([".utf8.contains($0) }) else {
                result += line
                continue
            }
            let rest = removed(fromLine: Array(line), after: result)
            hasChanged = hasChanged || rest.count < line.count
            result += rest
        }
        guard hasChanged else { return text }
        return isComplete && !result.contains(where: { $0.isLetter || $0.isNumber }) ? text : result
    }

    private static func removed(fromLine line: [Character], after text: String) -> String {
        var kept = ""
        var at = 0
        while at < line.count {
            let isLine = kept.isEmpty
            if let end = end(of: line, at, isAtStart: endsSentence(isLine ? text : kept, isLine: isLine)) {
                at = end
                while kept.last == " ", at < line.count, line[at] == " " { at += 1 }
            } else {
                kept.append(line[at])
                at += 1
            }
        }
        return kept
    }

    private static func endsSentence(_ text: String, isLine: Bool) -> Bool {
        guard isLine || text.last == " " else { return text.allSatisfy { $0 == " " } }
        guard let last = text.last(where: { !$0.isWhitespace }) else { return true }
        return ".!?\u{2026}\u{3002}\u{FF01}\u{FF1F}\"\u{201D}".contains(last)
    }

    /// Returns the position after a direction that begins here; nil if none does.
    private static func end(of line: [Character], _ start: Int, isAtStart: @autoclosure () -> Bool) -> Int? {
        let close: Character
        switch line[start] {
        case "*", "_": close = line[start]
        case "(": close = ")"
        case "[": close = "]"
        default: return nil
        }
        guard let end = line[(start + 1)...].prefix(longest + 1).firstIndex(of: close), end > start + 1
        else { return nil }
        let inside = line[(start + 1)..<end]
        guard inside.allSatisfy({ $0.isLetter || " -'\u{2019},".contains($0) }), inside.first?.isLetter == true,
            inside.last?.isLetter == true
        else { return nil }
        let words = inside.split(separator: " ")
        guard words.count <= mostWords else { return nil }
        let next = line[(end + 1)...].first { $0 != " " }
        if close == ")" || close == "]" {
            guard next != "(", next != ":", words.count <= 3, let first = words.first else { return nil }
            let verb = String(first).lowercased()
            let isSound = sounds.contains { sound in
                let stem = sound.hasSuffix("e") ? String(sound.dropLast()) : sound
                return verb == sound + "s" || verb == stem + "ing" || (close == "]" && verb == sound)
            }
            return isSound ? end + 1 : nil
        }
        guard isAtStart(), inside.first?.isLowercase == true, start == 0 || line[start - 1] != close else { return nil }
        guard let next else { return end + 1 }
        let isApart =
            line[end + 1] == " " && !next.isLowercase
            && (next.isLetter || next.isNumber || "\"\u{201C}'*".contains(next))
        return isApart ? end + 1 : nil
    }
}
