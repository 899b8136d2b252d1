/// A text that must not be seen: it prints, describes and mirrors itself as "(secret)".
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    /// The characters, trimmed of white space at both ends. Nil when nothing is left, or when a character could break
    /// an HTTP header (anything but printable ASCII).
    package init?(_ text: String) {
        let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        var trimmed = text.drop(while: blank)
        while let last = trimmed.last, blank(last) { trimmed.removeLast() }
        guard !trimmed.isEmpty, trimmed.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        self.text = String(trimmed)
    }

    /// The only way to the characters: for the line of the request that needs them.
    package var revealed: String { text }
    package var description: String { "(secret)" }
    package var debugDescription: String { "(secret)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
