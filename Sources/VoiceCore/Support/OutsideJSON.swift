internal import FoundationEssentials

/// JSON from outside. It is looked at once, in linear time, before anything is decoded.
///
/// A decoder recurses: some hundred levels in a short message overflow the stack of a thread, or cost seconds. A text that
/// is too deep or too long is no text of ours (RFC 8259, section 9, lets a parser set such limits).
package enum OutsideJSON {
    /// Levels of objects and arrays; no message of a service has a third of them.
    package static let deepest = 32

    /// Nil where the bytes are longer than `limit`, too deep, or not of this shape.
    ///
    /// - Parameter limit: what the place allows, in bytes.
    package static func decode<Value: Decodable>(
        _ type: Value.Type,
        from bytes: some Sequence<UInt8>,
        atMost limit: Int
    ) -> Value? {
        let data = Data(bytes)
        guard data.withUnsafeBytes({ isShallow($0, atMost: limit) }) else { return nil }
        return try? JSONDecoder().decode(type, from: data)
    }

    /// Whether the bytes may be given to a decoder. Says nothing of whether they are JSON.
    package static func isShallow(_ bytes: UnsafeRawBufferPointer, atMost limit: Int) -> Bool {
        guard bytes.count <= limit else { return false }
        var depth = 0
        var isInString = false
        var position = 0
        while position < bytes.count {
            switch bytes[position] {
            // The sign of another encoding, in which brackets could hide.
            case 0: return false
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "\\") where isInString: position += 1
            case UInt8(ascii: "{") where !isInString, UInt8(ascii: "[") where !isInString:
                depth += 1
                if depth > deepest { return false }
            case UInt8(ascii: "}") where !isInString, UInt8(ascii: "]") where !isInString: depth = max(0, depth - 1)
            default: break
            }
            position += 1
        }
        return true
    }
}
