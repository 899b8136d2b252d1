internal import VoiceBase

/// Finds JSON values in running text, with bounds on depth, length and the work for a whole text. What models add to JSON
/// counts as far as JSON5 has it: comments, a comma after the last member, single quotes, names without quotes.
struct EmbeddedJSON {
    private static let deepest = 8
    private static let longest = 64 << 10
    /// Bytes that may still be scanned, over all attempts.
    private var budget = 512 << 10

    /// Returns the object or array that begins at `start`, and the position after it; nil if there is none.
    mutating func value(in bytes: [UInt8], at start: Int) -> (JSONValue, end: Int)? {
        guard let end = end(in: bytes, from: start) else { return nil }
        let text = bytes[start..<end]
        return OutsideJSON.decode(JSONValue.self, from: text, atMost: Self.longest, isJSON5: true).map { ($0, end) }
    }

    /// Returns where the brackets are closed; nil if they are not, or are nested too deeply. No string has a line break.
    private mutating func end(in bytes: [UInt8], from start: Int) -> Int? {
        let limit = min(bytes.count, start + min(Self.longest, budget))
        var (position, depth) = (start, 0)
        var quote: UInt8?
        defer { budget -= position - start }
        while position < limit {
            let byte = bytes[position]
            position += 1
            switch byte {
            case 0x0A where quote != nil: return nil
            case UInt8(ascii: "\\") where quote != nil: position += 1
            case _ where quote != nil: if byte == quote { quote = nil }
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "/"):
                if bytes[position...].starts(with: "/".utf8) {
                    while position < limit, bytes[position] != 0x0A { position += 1 }
                } else if bytes[position...].starts(with: "*".utf8) {
                    while position < limit, !bytes[position...].starts(with: "*/".utf8) { position += 1 }
                }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth > Self.deepest { return nil }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return position }
            default: break
            }
        }
        return nil
    }
}
