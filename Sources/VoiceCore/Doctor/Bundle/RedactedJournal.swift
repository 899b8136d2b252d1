/// The end of the journal as it may be shown to others. What is not known to be harmless is left out: the words of the
/// program up to the first that is not its own, numbers and states in fields that hold such; never what somebody said or
/// another program wrote.
enum RedactedJournal {
    private static let hidden = "(not shown)"
    /// "2026-01-31T10:00:00+0100" as `--output=short-iso` has it, or with microseconds.
    private static let longestTime = 32
    private static let longestNumber = 9

    static func text(_ journal: String, redactor: Redactor) -> String {
        journal.split(separator: "\n", omittingEmptySubsequences: false)
            .map { redactor.clean(line(String($0))) }
            .joined(separator: "\n")
    }

    /// One line, with or without the journal's time, host and process before it; the host is left out.
    static func line(_ line: String) -> String {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count > 2, isTime(words[0]), let process = process(words[2]) else { return message(line[...]) }
        return "\(words[0]) host \(process): \(message(words.count > 3 ? words[3] : ""))"
    }

    /// Quotes are not understood but not needed: whatever stands in them is judged word by word.
    private static func message(_ text: Substring) -> String {
        var shown: [String] = []
        // Of a sentence the words of another program may be the rest.
        var isOwn = true
        for token in text.split(separator: " ") {
            if let mark = token.firstIndex(of: "="),
                let field = field(token[..<mark], token[token.index(after: mark)...])
            {
                isOwn = false
                shown.append(field)
                continue
            }
            isOwn = isOwn && isKnown(token)
            if isOwn {
                shown.append(String(token))
            } else if shown.last?.hasSuffix(hidden) != true {
                shown.append(hidden)
            }
        }
        return shown.joined(separator: " ")
    }

    /// Nil for a key that is none of ours.
    private static func field(_ key: Substring, _ value: Substring) -> String? {
        let name = String(key)
        if JournalVocabulary.numbers.contains(name) { return "\(name)=\(isNumber(value) ? String(value) : hidden)" }
        if let states = JournalVocabulary.states[name] {
            return "\(name)=\(states.contains(String(value)) ? String(value) : hidden)"
        }
        return JournalVocabulary.others.contains(name) ? "\(name)=\(hidden)" : nil
    }

    private static func isKnown(_ token: Substring) -> Bool {
        var word = token
        while let last = word.last, ",.:;)".contains(last) { word.removeLast() }
        if word.first == "(" { word.removeFirst() }
        return JournalVocabulary.words.contains(word.lowercased())
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
