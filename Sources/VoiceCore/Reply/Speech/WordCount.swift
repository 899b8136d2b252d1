/// Counts words, to estimate the length of speech.
package enum WordCount {
    /// Longer words count more than once, so that an endless word does not count as short.
    static let longestWord = 24

    /// Counts the words between spaces that contain a letter or a digit; in scripts without spaces, two characters
    /// count as a word.
    package static func words(in text: some StringProtocol) -> Int {
        var words = 0
        var characters = 0
        var isInWord = false
        var length = 0
        for character in text {
            if isWrittenWithoutSpaces(character) {
                characters += 1
                isInWord = false
            } else if character.isWhitespace {
                isInWord = false
            } else if !isInWord, character.isLetter || character.isNumber {
                words += 1
                (isInWord, length) = (true, 1)
            } else if isInWord {
                length += 1
                if length % longestWord == 0 { words += 1 }
            }
        }
        return words + (characters + 1) / 2
    }

    /// Han, Kana, Thai, Lao, Khmer, Burmese and their punctuation.
    static func isWrittenWithoutSpaces(_ character: Character) -> Bool {
        guard let value = character.unicodeScalars.first?.value, value >= 0x0E00 else { return false }
        switch value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3001...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xF900...0xFAFF, 0xFF01...0xFF1F, 0x20000...0x3FFFF:
            return true
        default:
            return false
        }
    }
}
