/// Makes external text safe for a model or a log: titles of streams, recordings and feeds, and messages of servers.
///
/// The result is one line of bounded length that cannot close a quotation, open a bracket or hide anything. Whatever it
/// says, it remains data.
package enum ForeignText {
    /// Longest title, in UTF-8 bytes.
    static let longestTitle = 120
    /// Longest reason or other sentence, in UTF-8 bytes.
    static let longestSentence = 200

    private static let quotes: Set<Unicode.Scalar> = [
        "\"", "`", "\u{B4}", "\u{2018}", "\u{201A}", "\u{201B}", "\u{201C}", "\u{201D}", "\u{201E}", "\u{201F}",
        "\u{AB}",
        "\u{BB}", "\u{2039}", "\u{203A}", "\u{300C}", "\u{300D}", "\u{300E}", "\u{300F}", "\u{FF02}", "\u{FF40}",
    ]
    private static let brackets: Set<Unicode.Scalar> = [
        "(", ")", "[", "]", "{", "}", "<", ">", "\u{3008}", "\u{3009}", "\u{300A}", "\u{300B}", "\u{3010}", "\u{3011}",
        "\u{FF08}", "\u{FF09}", "\u{FF1C}", "\u{FF1E}", "\u{FF3B}", "\u{FF3D}", "\u{FF5B}", "\u{FF5D}", "\\",
    ]

    /// A title: at most 120 bytes, or its beginning and an ellipsis, without quotes and brackets; apostrophes within words stay.
    package static func title(_ text: some StringProtocol) -> String {
        line(MisreadCyrillic.repaired(text.unicodeScalars.prefix(16 * longestTitle)), atMost: longestTitle)
    }

    /// A sentence, such as a reason for a choice or a failure: at most 200 bytes, otherwise like `title`.
    package static func sentence(_ text: some StringProtocol) -> String {
        line(text.unicodeScalars.prefix(16 * longestSentence), atMost: longestSentence)
    }

    /// - Parameter text: a prefix, which bounds the scan of a text that consists only of dropped characters.
    private static func line(_ text: some Sequence<Unicode.Scalar>, atMost limit: Int) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        var wantsBlank = false
        var isInWord = false
        var isCut = false
        for scalar in text {
            let isApostrophe = scalar == "'" || scalar == "\u{2019}"
            if isApostrophe, !isInWord || wantsBlank { continue }
            if isBlank(scalar) {
                wantsBlank = count > 0
                isInWord = false
                continue
            }
            let kept: Unicode.Scalar = isApostrophe ? "\u{2019}" : scalar
            let length = UTF8.width(kept) + (wantsBlank ? 1 : 0)
            // One more scalar than fits shows that something is left out, and whether it belongs to the letter before it.
            isCut = count + length > limit
            if wantsBlank { result.append(" ") }
            result.append(kept)
            count += length
            (wantsBlank, isInWord) = (false, true)
            if isCut { break }
        }
        while result.last == "\u{2019}" { result.removeLast() }
        return String(result).shortened(toBytes: limit)
    }

    /// Whether it becomes a blank: white space, hidden characters, quotes and brackets.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII, scalar.properties.isAlphabetic { return false }
        return scalar.isHidden || scalar.properties.generalCategory == .spaceSeparator || quotes.contains(scalar)
            || brackets.contains(scalar)
    }
}
