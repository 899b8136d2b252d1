/// Validates UTF-8 as it arrives, in pieces of any size.
///
/// Accepts what RFC 3629 section 4 allows: no overlong form, no surrogate, nothing above U+10FFFF.
struct UTF8Validator {
    /// How many continuation bytes the current character still needs.
    private var missing: UInt8 = 0
    /// The range of the next continuation byte: narrower than 80...BF after E0, ED, F0 and F4.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xbf

    /// Whether the text so far does not end inside a character.
    var isComplete: Bool { missing == 0 }

    mutating func reset() { self = UTF8Validator() }

    /// Takes the next piece; false as soon as no continuation could make the text valid.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        let count = bytes.count
        while index < count {
            if missing == 0 {
                // JSON and base64 are ASCII, so eight bytes are checked at a time.
                while index + 8 <= count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    index += 8
                }
                guard index < count else { return true }
            }
            guard accept(bytes[index]) else { return false }
            index += 1
        }
        return true
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard byte >= lowest, byte <= highest else { return false }
            missing -= 1
            (lowest, highest) = (0x80, 0xbf)
            return true
        }
        switch byte {
        case 0x00...0x7f: return true
        case 0xc2...0xdf: missing = 1
        case 0xe0...0xef:
            missing = 2
            if byte == 0xe0 { lowest = 0xa0 }
            if byte == 0xed { highest = 0x9f }
        case 0xf0...0xf4:
            missing = 3
            if byte == 0xf0 { lowest = 0x90 }
            if byte == 0xf4 { highest = 0x8f }
        default: return false
        }
        return true
    }
}
