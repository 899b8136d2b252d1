/// Keeps keys that a server quotes back at us out of logs and errors.
package enum Redaction {
    private static let prefixes = ["sk-", "ek_"]
    /// Beyond this a run of letters is a key even where it begins in the middle of a word.
    private static let longestWord = 20

    /// `text` with everything that looks like a key of the service replaced; words such as "task-list" stay.
    package static func withoutKeys(_ text: String) -> String {
        guard prefixes.contains(where: text.contains) else { return text }
        var result = ""
        var rest = text[...]
        var isInWord = false
        while let character = rest.first {
            let count = prefixes.contains { rest.hasPrefix($0) } ? keyLength(rest) : 0
            if count > (isInWord ? longestWord : 0) {
                result += "(key)"
                rest = rest.dropFirst(count)
                isInWord = false
            } else {
                result.append(character)
                rest = rest.dropFirst()
                isInWord = character.isLetter || character.isNumber
            }
        }
        return result
    }

    /// Characters of the key that `text` begins with; the full stop of the sentence is none of them.
    private static func keyLength(_ text: Substring) -> Int {
        var key = text.prefix { $0.isLetter || $0.isNumber || "-_*.".contains($0) }
        while key.last == "." { key.removeLast() }
        return key.count
    }
}
