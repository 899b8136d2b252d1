internal import VoiceBase

/// Finds where a web address begins and ends in running text: "https://...", "http://..." or "www....".
///
/// Letters of every script may be part of an address (RFC 3987). Punctuation and quotation marks may not, except the
/// ASCII ones that addresses use. Scripts written without spaces continue directly after an address: their letters are
/// part of it only where an address can have them.
enum AddressInText {
    /// Longest address, in bytes.
    static let longest = 2048

    /// Whether the text before this position allows an address to begin here.
    static func mayBegin(in bytes: [UInt8], at position: Int) -> Bool {
        guard let scalar = scalar(in: bytes, before: position) else { return true }
        return !scalar.isOfWord || isUnspaced(scalar)
    }

    /// Returns the position after an address that begins here; nil if none does. Punctuation at its end belongs to the
    /// sentence.
    static func end(in bytes: [UInt8], from start: Int) -> Int? {
        guard isScheme(bytes, at: start) else { return nil }
        var end = start
        var depth = 0
        let limit = min(bytes.count, start + longest + 1)
        while end < limit {
            guard bytes[end] < 0x80 else {
                guard let next = lettersEnd(in: bytes, from: end, of: start) else { break }
                end = next
                continue
            }
            guard bytes[end] > 0x20, bytes[end] < 0x7F, !"<>\"`|\\^{}".utf8.contains(bytes[end]) else { break }
            if bytes[end] == UInt8(ascii: "(") { depth += 1 }
            if bytes[end] == UInt8(ascii: ")") {
                if depth == 0 { break }
                depth -= 1
            }
            end += 1
        }
        while end > start, ".,;:!?*_'".utf8.contains(bytes[end - 1]) { end -= 1 }
        return end
    }

    /// Returns the position after letters outside ASCII; nil if they are not part of the address.
    private static func lettersEnd(in bytes: [UInt8], from position: Int, of start: Int) -> Int? {
        guard let (first, length) = scalar(in: bytes, at: position), first.isOfWord else { return nil }
        guard isUnspaced(first) else { return position + length }
        var end = position + length
        while end < min(bytes.count, start + longest), let (next, length) = scalar(in: bytes, at: end), isUnspaced(next)
        {
            end += length
        }
        let isPart = bytes[position - 1] == UInt8(ascii: "/")
        guard !isPart else { return end }
        // "https://e.org/a.mp3" followed by a particle, or by another address.
        if end >= bytes.count || isScheme(bytes, at: end) { return nil }
        let before = SoundAddress(SoundAddress.encoded(String(decoding: bytes[start..<position], as: UTF8.self)))
        if before?.kind != nil { return nil }
        let next = Unicode.Scalar(bytes[end])
        let goesOn = next.isASCII && (next.isOfWord || "/.-_%?=&#~".unicodeScalars.contains(next))
        return goesOn ? end : nil
    }

    private static func isScheme(_ bytes: [UInt8], at position: Int) -> Bool {
        guard position < bytes.count else { return false }
        let head = bytes[position...].prefix(8).map { $0 | 0x20 }
        if head.starts(with: "http://".utf8) || head.starts(with: "https://".utf8) { return true }
        guard head.starts(with: "www.".utf8), let first = head.dropFirst(4).first else { return false }
        return first >= 0x80 || Unicode.Scalar(first).isOfWord
    }

    /// Whether it is a letter of a script without spaces, or of Korean, which attaches particles to words.
    private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isOfWord
            && (WordCount.isWrittenWithoutSpaces(Character(scalar)) || (0xAC00...0xD7A3).contains(scalar.value))
    }

    /// Returns the character that begins here and its length in bytes. The bytes are UTF-8.
    static func scalar(in bytes: [UInt8], at position: Int) -> (Unicode.Scalar, length: Int)? {
        guard position < bytes.count else { return nil }
        let length =
            switch bytes[position] {
            case 0xC0..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0...: 4
            default: 1
            }
        let text = String(decoding: bytes[position..<min(bytes.count, position + length)], as: UTF8.self)
        return text.unicodeScalars.first.map { ($0, length) }
    }

    private static func scalar(in bytes: [UInt8], before position: Int) -> Unicode.Scalar? {
        var start = position - 1
        while start >= 0, position - start < 4, bytes[start] & 0xC0 == 0x80 { start -= 1 }
        return start >= 0 ? scalar(in: bytes, at: start)?.0 : nil
    }
}
