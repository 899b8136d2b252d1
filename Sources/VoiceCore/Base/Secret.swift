/// A text that must not be disclosed: it prints, describes and mirrors itself as "(secret)".
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    /// Trims white space at both ends. nil if nothing is left, or if a character could break an HTTP header (anything but
    /// visible ASCII).
    package init?(_ text: String) {
        let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        var trimmed = text.drop(while: blank)
        while let last = trimmed.last, blank(last) { trimmed.removeLast() }
        guard !trimmed.isEmpty, trimmed.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        self.text = String(trimmed)
    }

    /// The only access to the text, for the line of the request that needs it.
    package var revealed: String { text }
    package var description: String { "(secret)" }
    package var debugDescription: String { "(secret)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Removes keys that a server quotes back from logs and errors.
package enum Redaction {
    private static let prefixes = ["sk-", "ek_", "AIza"]
    /// A run of key characters longer than this is a key even if it begins in the middle of a word.
    private static let longestWord = 20

    /// Returns `text` with everything that looks like a key of the service replaced; words such as "task-list" stay.
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

    /// Length of the key at the start of `text`, without the full stop of a sentence.
    private static func keyLength(_ text: Substring) -> Int {
        var key = text.prefix { $0.isLetter || $0.isNumber || "-_*.".contains($0) }
        while key.last == "." { key.removeLast() }
        return key.count
    }
}
