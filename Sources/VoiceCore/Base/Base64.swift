/// Base64 (RFC 4648 section 4), mainly between fixed buffers, for audio on the network thread.
///
/// Audio passes through this code a hundred times a second in both directions; it works in place and allocates nothing.
package enum Base64 {
    /// The number of characters for `count` bytes, including padding.
    package static func encodedCount(_ count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Writes `bytes` as text to `output`, which must hold `encodedCount(bytes.count)`; returns that count.
    @discardableResult
    package static func encode(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>) -> Int {
        var read = 0
        var written = 0
        let whole = bytes.count / 3 * 3
        while read < whole {
            let group = UInt32(bytes[read]) << 16 | UInt32(bytes[read + 1]) << 8 | UInt32(bytes[read + 2])
            output[written] = alphabet[Int(group >> 18)]
            output[written + 1] = alphabet[Int(group >> 12 & 63)]
            output[written + 2] = alphabet[Int(group >> 6 & 63)]
            output[written + 3] = alphabet[Int(group & 63)]
            read += 3
            written += 4
        }
        let left = bytes.count - whole
        if left > 0 {
            let group = UInt32(bytes[whole]) << 16 | (left == 2 ? UInt32(bytes[whole + 1]) << 8 : 0)
            output[written] = alphabet[Int(group >> 18)]
            output[written + 1] = alphabet[Int(group >> 12 & 63)]
            output[written + 2] = left == 2 ? alphabet[Int(group >> 6 & 63)] : padding
            output[written + 3] = padding
            written += 4
        }
        return written
    }

    /// Encodes `bytes` to a string, for uses where an allocation does not matter.
    package static func text(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: encodedCount(bytes.count)) { output in
            guard let base = output.baseAddress else { return 0 }
            return bytes.withUnsafeBytes { encode($0, into: base) }
        }
    }

    /// Decodes `text` into `output`, which must hold `text.count / 4 * 3` bytes.
    ///
    /// - Returns: the number of bytes; nil if `text` is not padded base64 in the standard alphabet.
    package static func decode(_ text: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>) -> Int? {
        guard text.count % 4 == 0 else { return nil }
        guard text.count > 0 else { return 0 }
        var pads = 0
        if text[text.count - 1] == padding { pads = text[text.count - 2] == padding ? 2 : 1 }
        let whole = pads == 0 ? text.count : text.count - 4
        var written = 0
        var bad: UInt8 = 0
        var read = 0
        while read < whole {
            let a = values[Int(text[read])]
            let b = values[Int(text[read + 1])]
            let c = values[Int(text[read + 2])]
            let d = values[Int(text[read + 3])]
            bad |= a | b | c | d
            let group = UInt32(a) << 18 | UInt32(b) << 12 | UInt32(c) << 6 | UInt32(d)
            output[written] = UInt8(truncatingIfNeeded: group >> 16)
            output[written + 1] = UInt8(truncatingIfNeeded: group >> 8)
            output[written + 2] = UInt8(truncatingIfNeeded: group)
            read += 4
            written += 3
        }
        if pads > 0 {
            let a = values[Int(text[whole])]
            let b = values[Int(text[whole + 1])]
            let c = pads == 1 ? values[Int(text[whole + 2])] : 0
            bad |= a | b | c
            let group = UInt32(a) << 18 | UInt32(b) << 12 | UInt32(c) << 6
            output[written] = UInt8(truncatingIfNeeded: group >> 16)
            written += 1
            if pads == 1 {
                output[written] = UInt8(truncatingIfNeeded: group >> 8)
                written += 1
            }
        }
        return bad & invalid == 0 ? written : nil
    }

    /// Decodes `text`, for uses where an allocation does not matter; nil if it is not padded base64.
    package static func bytes(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        var size: Int?
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 3) { buffer, count in
            if let start = buffer.baseAddress { size = decode(text, into: start) }
            count = size ?? 0
        }
        return size == nil ? nil : bytes
    }

    private static let padding = UInt8(ascii: "=")
    private static let invalid: UInt8 = 0x80

    // Both tables live as long as the program; pointers spare the loops the array's bounds checks and reference counts.
    // SAFETY: written once here, only read afterwards.
    nonisolated(unsafe) private static let alphabet: UnsafeMutablePointer<UInt8> = {
        let table = UnsafeMutablePointer<UInt8>.allocate(capacity: 64)
        for (index, character) in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8.enumerated() {
            table[index] = character
        }
        return table
    }()

    nonisolated(unsafe) private static let values: UnsafeMutablePointer<UInt8> = {
        let table = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
        table.initialize(repeating: invalid, count: 256)
        for index in 0..<64 { table[Int(alphabet[index])] = UInt8(index) }
        return table
    }()
}
