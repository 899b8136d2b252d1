internal import VoiceConfiguration

/// The end of the journal, safe to share. Shows only what is known to be harmless: the program's own words up to the
/// first unknown one, and numbers and states in fields made for them. Never shows speech or the output of other
/// programs.
enum RedactedJournal {
    private static let hidden = HarmlessText.hidden
    /// As formatted by `--output=short-iso`, "2026-01-31T10:00:00+0100", or with microseconds.
    private static let longestTime = 32
    private static let longestNumber = 9

    static func text(_ journal: String, redactor: Redactor) -> String {
        journal.split(separator: "\n", omittingEmptySubsequences: false)
            .map { redactor.clean(line(String($0))) }
            .joined(separator: "\n")
    }

    /// Redacts a line that begins with the journal's time, host and process; the host is hidden. A line without them
    /// continues a message of unknown content and is hidden.
    static func line(_ line: String) -> String {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count > 2, isTime(words[0]), let process = process(words[2]) else {
            return line.allSatisfy(\.isWhitespace) ? "" : hidden
        }
        let text = words.count > 3 ? words[3] : ""
        let shown = process.hasPrefix("systemd") ? RedactedServiceLine.text(text) : message(text)
        return "\(words[0]) host \(process): \(shown)"
    }

    /// Quoted text is a value, whatever it looks like. After a word that is not the program's own, numbers are hidden
    /// too.
    private static func message(_ text: Substring) -> String {
        var shown: [String] = []
        // The remaining words of a sentence may come from another program.
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

    /// Splits at spaces outside quotes, within which a backslash escapes the next character. If a quote is not closed,
    /// or its end is not followed by a space, the rest of the line is one token. Works on scalars, so that a mark
    /// combined with a quote cannot hide it.
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

    /// nil if the key is not one of the daemon's.
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
