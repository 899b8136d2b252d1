/// Finds JSON values in running text, with bounds on depth, length and on the work for a whole text.
struct EmbeddedJSON {
    private static let deepest = 8
    private static let longest = 16 << 10
    /// Bytes that are looked at for all attempts together.
    private var budget = 512 << 10

    /// The object or array that begins at `start`, and where it ends; nil where there is none.
    mutating func value(in bytes: [UInt8], at start: Int) -> (JSONValue, end: Int)? {
        guard let end = end(in: bytes, from: start),
            let value = OutsideJSON.decode(JSONValue.self, from: bytes[start..<end], atMost: Self.longest)
        else { return nil }
        return (value, end)
    }

    private mutating func end(in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[") else { return nil }
        var depth = 0
        var isText = false
        var position = start
        let limit = min(bytes.count, start + Self.longest)
        while position < limit, budget > 0 {
            budget -= 1
            let byte = bytes[position]
            position += 1
            if isText {
                if byte == UInt8(ascii: "\\") { position += 1 }
                if byte == UInt8(ascii: "\"") { isText = false }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth > Self.deepest { return nil }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return position }
            // Outside of texts JSON has numbers, its three words and marks.
            case 0x20, 0x0A, 0x0D, 0x09, UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "E"), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "+"),
                UInt8(ascii: "-"):
                break
            default: return nil
            }
        }
        return nil
    }
}
