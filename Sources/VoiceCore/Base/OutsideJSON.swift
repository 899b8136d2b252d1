internal import FoundationEssentials

/// Decodes JSON from outside. The text is scanned once, in linear time, before anything is decoded.
///
/// A decoder recurses: some hundred levels in a short message overflow the stack of a thread, or cost seconds. It also spends
/// microseconds on each value, and a value may be as short as two bytes. So a text that is too deep, too long or of too many
/// values is rejected (RFC 8259 section 9 permits such limits).
package enum OutsideJSON {
    /// Maximum nesting of objects and arrays; no message of a service has a third of that.
    package static let deepest = 32
    /// Maximum number of values, containers included, unless the caller expects more.
    package static let mostValues = 16_384

    /// Returns nil if the bytes are longer than `limit`, nested too deeply, of too many values, or not of this shape. Unpaired
    /// surrogates and bytes that are not UTF-8 become U+FFFD; the rest is kept.
    ///
    /// - Parameters:
    ///   - limit: the maximum size in bytes.
    ///   - values: the maximum number of values, containers included.
    ///   - isJSON5: whether what JSON5 adds is accepted.
    package static func decode<Value: Decodable>(
        _ type: Value.Type,
        from bytes: some Sequence<UInt8>,
        atMost limit: Int,
        values: Int = mostValues,
        isJSON5: Bool = false
    ) -> Value? {
        let data = Data(bytes)
        guard data.withUnsafeBytes({ isBounded($0, atMost: limit, values: values) }) else { return nil }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = isJSON5
        if let value = try? decoder.decode(type, from: data) { return value }
        guard let mended = withCharacters(data) else { return nil }
        return try? decoder.decode(type, from: mended)
    }

    /// Returns the text with invalid characters replaced by U+FFFD (RFC 8259 section 8.2); nil if there are none.
    private static func withCharacters(_ data: Data) -> Data? {
        var result = Data()
        result.reserveCapacity(data.count)
        let bytes = Array(String(decoding: data, as: UTF8.self).utf8)
        var isChanged = !data.elementsEqual(bytes)
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == UInt8(ascii: "\\"), position + 1 < bytes.count else {
                result.append(byte)
                position += 1
                continue
            }
            var length = 2
            if let half = unit(bytes, at: position), 0xD800..<0xE000 ~= half {
                let isPair = half < 0xDC00 && unit(bytes, at: position + 6).map { 0xDC00..<0xE000 ~= $0 } == true
                length = isPair ? 12 : 6
                if !isPair {
                    result.append(contentsOf: "\\uFFFD".utf8)
                    isChanged = true
                    position += length
                    continue
                }
            }
            result.append(contentsOf: bytes[position..<min(bytes.count, position + length)])
            position += length
        }
        return isChanged ? result : nil
    }

    /// The value of a \u escape that begins here, such as "\u00E4".
    private static func unit(_ bytes: [UInt8], at position: Int) -> Int? {
        guard position + 6 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { return nil }
        let digits = bytes[(position + 2)..<(position + 6)].compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        return digits.count == 4 ? digits.reduce(0) { $0 << 4 | $1 } : nil
    }

    /// Whether the bytes may be passed to a decoder. Does not check that they are JSON.
    private static func isBounded(_ bytes: UnsafeRawBufferPointer, atMost limit: Int, values most: Int) -> Bool {
        guard bytes.count <= limit else { return false }
        var depth = 0
        // Every value but the first of a container follows a comma.
        var values = 1
        var isInString = false
        var position = 0
        while position < bytes.count {
            switch bytes[position] {
            // A sign of another encoding, in which brackets could hide.
            case 0: return false
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "\\") where isInString: position += 1
            case _ where isInString: break
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                values += 1
                if depth > deepest { return false }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth = max(0, depth - 1)
            case UInt8(ascii: ","): values += 1
            default: break
            }
            if values > most { return false }
            position += 1
        }
        return true
    }
}
