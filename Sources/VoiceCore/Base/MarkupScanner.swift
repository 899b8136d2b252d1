/// Scans XML and HTML as far as feeds and replies need it: elements, attributes, text, CDATA, entities. Never fails; skips
/// malformed input.
package struct MarkupScanner {
    package enum Token: Equatable {
        case open(String, [String: String])
        case close(String)
        case text(String)
    }

    private let bytes: [UInt8]
    private var position = 0
    /// The pending close token of a self-closing element.
    private var pending: String?

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package mutating func next() -> Token? {
        if let name = pending {
            pending = nil
            return .close(name)
        }
        while position < bytes.count {
            if bytes[position] != UInt8(ascii: "<") {
                let start = position
                position = find("<", from: position) ?? bytes.count
                return .text(Self.unescaped(bytes[start..<position]))
            }
            if starts(with: "<!--") {
                skip(past: "-->", from: position + 4)
            } else if starts(with: "<![CDATA[") {
                let start = position + 9
                skip(past: "]]>", from: start)
                let isClosed = position >= start + 3 && bytes[..<position].suffix(3).elementsEqual("]]>".utf8)
                return .text(
                    String(decoding: bytes[start..<(isClosed ? position - 3 : max(start, position))], as: UTF8.self)
                )
            } else if starts(with: "<?") || starts(with: "<!") {
                skip(past: ">", from: position + 2)
            } else {
                return tag()
            }
        }
        return nil
    }

    private mutating func tag() -> Token {
        let start = position + 1
        var end = start
        var quote: UInt8?
        while end < bytes.count {
            let byte = bytes[end]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                break
            }
            end += 1
        }
        var body = bytes[min(start, end)..<end]
        position = min(bytes.count, end + 1)
        if body.first == UInt8(ascii: "/") {
            return .close(Self.name(body.dropFirst()))
        }
        // A slash that ends an unquoted value does not close the element.
        let lastWord = body.split(whereSeparator: Self.isBlank).last ?? []
        let isOfValue = lastWord.firstIndex(of: UInt8(ascii: "=")).map { lastWord[$0...].dropFirst() } ?? []
        let closes =
            body.last == UInt8(ascii: "/") && (isOfValue.isEmpty || "\"'".utf8.contains(isOfValue.dropLast().last ?? 0))
        if closes { body = body.dropLast() }
        let name = Self.name(body)
        if closes { pending = name }
        return .open(name, Self.attributes(body.dropFirst(name.utf8.count)))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }

    private static func name(_ body: ArraySlice<UInt8>) -> String {
        String(decoding: body.prefix { !isBlank($0) && $0 != UInt8(ascii: "/") }, as: UTF8.self)
    }

    private static func attributes(_ body: ArraySlice<UInt8>) -> [String: String] {
        var result: [String: String] = [:]
        var rest = body
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")), result.count < 64 {
            let key = rest[..<equals].split(whereSeparator: isBlank).last ?? []
            rest = rest[(equals + 1)...].drop(while: isBlank)
            let quote = rest.first.flatMap { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") ? $0 : nil }
            if quote != nil { rest = rest.dropFirst() }
            // HTML allows values without blanks to be unquoted.
            let value = rest.prefix { byte in quote.map { $0 != byte } ?? !isBlank(byte) }
            rest = rest.dropFirst(value.count + 1)
            result[String(decoding: key, as: UTF8.self)] = unescaped(value)
        }
        return result
    }

    private func starts(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[position + $0] == text.utf8Start[$0] }
    }

    private func find(_ text: String, from start: Int) -> Int? {
        let wanted = Array(text.utf8)
        guard start < bytes.count, bytes.count - start >= wanted.count else { return nil }
        for index in start...(bytes.count - wanted.count) where bytes[index] == wanted[0] {
            if bytes[index..<index + wanted.count].elementsEqual(wanted) { return index }
        }
        return nil
    }

    private mutating func skip(past text: String, from start: Int) {
        position = find(text, from: start).map { $0 + text.utf8.count } ?? bytes.count
    }

    /// Replaces the five entities of XML and numeric references (XML 1.0 sections 4.1 and 4.6).
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var result = ""
        var rest = Substring(String(decoding: bytes, as: UTF8.self))
        while let mark = rest.firstIndex(of: "&") {
            result += rest[..<mark]
            rest = rest[rest.index(after: mark)...]
            let name = rest.prefix(12).prefix { $0 != ";" }
            guard name.endIndex < rest.endIndex, rest[name.endIndex] == ";", let text = character(name) else {
                result += "&"
                continue
            }
            result += text
            rest = rest[rest.index(after: name.endIndex)...]
        }
        return result + rest
    }

    private static func character(_ name: Substring) -> String? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.first == "#" else { return nil }
        let digits = name.dropFirst()
        let value = digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return value.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
}
