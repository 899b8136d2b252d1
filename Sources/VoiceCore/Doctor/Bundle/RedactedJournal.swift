internal import VoiceConfiguration

/// The end of the journal as it may be shown to others. What is not known to be harmless is left out: the words of the
/// program up to the first that is not its own, numbers and states in fields that hold such; never what somebody said or
/// another program wrote.
enum RedactedJournal {
    private static let hidden = HarmlessText.hidden
    /// "2026-01-31T10:00:00+0100" as `--output=short-iso` has it, or with microseconds.
    private static let longestTime = 32
    private static let longestNumber = 9

    static func text(_ journal: String, redactor: Redactor) -> String {
        journal.split(separator: "\n", omittingEmptySubsequences: false)
            .map { redactor.clean(line(String($0))) }
            .joined(separator: "\n")
    }

    /// One line with the journal's time, host and process before it; the host is left out. A line without them goes on with
    /// what somebody wrote, and nothing of it is known.
    static func line(_ line: String) -> String {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count > 2, isTime(words[0]), let process = process(words[2]) else {
            return line.allSatisfy(\.isWhitespace) ? "" : hidden
        }
        let text = words.count > 3 ? words[3] : ""
        let shown = process.hasPrefix("systemd") ? RedactedServiceLine.text(text) : message(text)
        return "\(words[0]) host \(process): \(shown)"
    }

    /// What stands in quotes is a value, whatever it looks like; behind words that are not the program's own, numbers may
    /// be anything too.
    private static func message(_ text: Substring) -> String {
        var shown: [String] = []
        // Of a sentence the words of another program may be the rest.
        var isOwn = true
        var isForeign = false
        for token in tokens(text) {
            if let mark = token.firstIndex(of: "="),
                let field = field(token[..<mark], token[token.index(after: mark)...])
            {
                isOwn = false
                shown.append(isForeign ? "\(token[..<mark])=\(hidden)" : field)
                continue
            }
            if isOwn, let place = HarmlessText.place(token) {
                shown.append(place)
                continue
            }
            isOwn = isOwn && isKnown(token)
            isForeign = isForeign || !isOwn
            if isOwn {
                shown.append(String(token))
            } else if shown.last?.hasSuffix(hidden) != true {
                shown.append(hidden)
            }
        }
        return shown.joined(separator: " ")
    }

    /// Cut at the blanks outside of quotes, in which a backslash takes away the meaning of what follows it. Quotes that are
    /// not closed, or not by a blank behind them, leave everything behind them in one piece. Scalar by scalar, as it was
    /// written: a mark that is combined with a quote does not hide it.
    private static func tokens(_ line: Substring) -> [Substring] {
        let text = line.unicodeScalars
        var tokens: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        var isBroken = false
        var index = start
        while index < text.endIndex {
            let next = text.index(after: index)
            switch text[index] {
            case "\\" where isQuoted && next < text.endIndex:
                index = text.index(after: next)
                continue
            case "\"":
                isQuoted.toggle()
                isBroken = isBroken || !isQuoted && next < text.endIndex && text[next] != " "
            case " " where !isQuoted && !isBroken:
                if start < index { tokens.append(line[start..<index]) }
                start = next
            default: break
            }
            index = next
        }
        if start < text.endIndex { tokens.append(line[start...]) }
        return tokens
    }

    /// Nil for a key that is none of ours.
    private static func field(_ key: Substring, _ value: Substring) -> String? {
        let name = String(key)
        if JournalVocabulary.numbers.contains(name) {
            let longest = JournalVocabulary.small.contains(name) ? 4 : longestNumber
            return "\(name)=\(isNumber(value) && value.utf8.count <= longest ? String(value) : hidden)"
        }
        if name == "version" { return "version=\(HarmlessText.isVersion(value) ? String(value) : hidden)" }
        if let states = JournalVocabulary.states[name] {
            return "\(name)=\(states.contains(String(value)) ? String(value) : hidden)"
        }
        return JournalVocabulary.others.contains(name) ? "\(name)=\(hidden)" : nil
    }

    private static func isKnown(_ token: Substring) -> Bool {
        if HarmlessText.isChoice(token) || JournalVocabulary.quoted.contains(String(token)) { return true }
        var word = token
        while let last = word.last, ",.:;)".contains(last) { word.removeLast() }
        if word.first == "(" { word.removeFirst() }
        return JournalVocabulary.words.contains(word.lowercased()) || ConfigurationSchema.key(String(word)) != nil
    }

    private static func isNumber(_ value: Substring) -> Bool {
        guard (1...longestNumber).contains(value.utf8.count) else { return false }
        return value.utf8.allSatisfy {
            (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
        }
    }

    private static func isTime(_ word: Substring) -> Bool {
        word.utf8.count <= longestTime && word.contains("T") && word.first?.isNumber == true
            && word.utf8.allSatisfy { (0x30...0x39).contains($0) || "T:+-.,Z".utf8.contains($0) }
    }

    /// "jarvis-voiced[123]" of "jarvis-voiced[123]:".
    private static func process(_ word: Substring) -> String? {
        guard word.hasSuffix("]:"), let bracket = word.firstIndex(of: "[") else { return nil }
        let number = word[word.index(after: bracket)...].dropLast(2)
        let isOwn = ["jarvis-voiced", "systemd"].contains(word[..<bracket])
        return isOwn && isNumber(number) ? String(word.dropLast()) : nil
    }
}
