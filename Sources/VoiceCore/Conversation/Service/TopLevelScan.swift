internal import VoiceBase

/// Walks the members of one JSON object (RFC 8259) in place; gives up in any doubt.
package struct TopLevelScan {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    /// Whether the scan reached the object's closing brace.
    package private(set) var closed = false

    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Skips the opening brace.
    package mutating func open() -> Bool {
        skipSpace()
        return consume(UInt8(ascii: "{"))
    }

    /// Reads the next member's name and its colon; nil at the end of the object or if it is malformed.
    package mutating func key() -> Range<Int>? {
        skipSpace()
        guard let key = string() else { return nil }
        skipSpace()
        guard consume(UInt8(ascii: ":")) else { return nil }
        skipSpace()
        return key
    }

    /// Skips the comma after a member; false at the end of the object.
    package mutating func next() -> Bool {
        skipSpace()
        if consume(UInt8(ascii: ",")) { return true }
        closed = consume(UInt8(ascii: "}"))
        return false
    }

    /// Reads a string without escapes and returns the range of its content; nil for anything else.
    package mutating func string() -> Range<Int>? {
        guard consume(UInt8(ascii: "\"")) else { return nil }
        let start = position
        guard let end = find(UInt8(ascii: "\""), from: start) else { return nil }
        guard bytes.firstPlace(of: UInt8(ascii: "\\"), in: start..<end) == nil else { return nil }
        position = end + 1
        return start..<end
    }

    /// Reads an integer of at most nine digits.
    package mutating func integer() -> Int? {
        let start = position
        var value = 0
        while position < bytes.count, bytes[position] >= 0x30, bytes[position] <= 0x39, position - start < 9 {
            value = value * 10 + Int(bytes[position] - 0x30)
            position += 1
        }
        return position > start ? value : nil
    }

    /// Skips any value and returns its range.
    package mutating func value() -> Range<Int>? {
        let start = position
        return skipValue() ? start..<min(position, bytes.count) : nil
    }

    /// Skips any value.
    package mutating func skipValue() -> Bool {
        guard position < bytes.count else { return false }
        switch bytes[position] {
        case UInt8(ascii: "\""): return skipString()
        case UInt8(ascii: "{"), UInt8(ascii: "["): return skipNested()
        default:
            let start = position
            while position < bytes.count, !Self.endsScalar(bytes[position]) { position += 1 }
            return position > start
        }
    }

    private mutating func skipString() -> Bool {
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\\") {
                position += 2
            } else {
                position += 1
                if byte == UInt8(ascii: "\"") { return true }
            }
        }
        return false
    }

    private mutating func skipNested() -> Bool {
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                guard skipString() else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { return true }
        }
        return false
    }

    private func find(_ byte: UInt8, from start: Int) -> Int? {
        start < bytes.count ? bytes.firstPlace(of: byte, in: start..<bytes.count) : nil
    }

    private mutating func consume(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x09, 0x0A, 0x0D: true
        default: false
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes of the range equal the text.
    package func holds(_ text: StaticString, at range: Range<Int>) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        for index in 0..<range.count where self[range.lowerBound + index] != text.utf8Start[index] { return false }
        return true
    }
}
