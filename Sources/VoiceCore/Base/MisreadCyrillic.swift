/// Titles in windows-1251 that were read as windows-1252, because nothing names their encoding: "\u{CF}\u{F0}\u{E8}" for "При".
enum MisreadCyrillic {
    /// A word of at least this many letters, all of them accented, is seldom of another language.
    private static let telling = 4
    private static let others: [UInt32: UInt32] = [
        0xA8: 0x401, 0xB8: 0x451, 0xAA: 0x404, 0xBA: 0x454, 0xAF: 0x407, 0xBF: 0x457, 0xB2: 0x406, 0xB3: 0x456,
        0xA5: 0x490, 0xB4: 0x491, 0xB9: 0x2116,
    ]

    /// Returns the text as it was meant.
    static func repaired(_ text: some Collection<Unicode.Scalar>) -> [Unicode.Scalar] {
        isMisread(text) ? text.map { Unicode.Scalar(meant($0)) ?? $0 } : Array(text)
    }

    /// Whether no word has both ASCII letters and accented ones, and one has only accented ones.
    private static func isMisread(_ text: some Collection<Unicode.Scalar>) -> Bool {
        var (accented, plain, longest) = (0, 0, 0)
        for scalar in text {
            if meant(scalar) != scalar.value {
                accented += 1
                longest = max(longest, accented)
            } else if scalar.isASCII, scalar.properties.isAlphabetic {
                plain += 1
            } else if scalar.value > 0xFF, scalar.properties.isAlphabetic {
                return false
            } else {
                (accented, plain) = (0, 0)
            }
            if accented > 0, plain > 0 { return false }
        }
        return longest >= telling
    }

    private static func meant(_ scalar: Unicode.Scalar) -> UInt32 {
        (0xC0...0xFF).contains(scalar.value) ? scalar.value - 0xC0 + 0x410 : others[scalar.value] ?? scalar.value
    }
}
