/// A tool call on a line of its own whose marks were lost: `get_weather(city="Rome")`, `f(x=1)`, `get_weather{"city":"Rome"}`,
/// `to=functions.get_weather json{...}`.
///
/// "f(x) = 1" and "(x=1)" are mathematics, and "Monday (closed)" is prose: a name must touch its bracket, which ends the line.
enum BareCall {
    /// Returns the position after the call that is on the line beginning here; nil if there is none.
    /// - Parameters:
    ///   - isComplete: while more may come, an open bracket may become a call.
    ///   - mayBeLabelled: false below a label.
    static func end(
        in bytes: [UInt8],
        at start: Int,
        json: inout EmbeddedJSON,
        isComplete: Bool,
        mayBeLabelled: Bool = true
    ) -> Int? {
        let lineEnd = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
        var at: Int = bytes[start..<lineEnd].firstIndex { $0 != 0x20 } ?? lineEnd
        let label = String(decoding: bytes[at..<lineEnd].prefix(24), as: UTF8.self).lowercased()
        for prefix in [
            "tool_code", "tool_call:", "tool call:", "function call:", "function_call:", "assistant to=",
            "commentary to=", "to=",
        ]
        where mayBeLabelled && label.hasPrefix(prefix) {
            at += prefix.utf8.count
            if prefix.hasSuffix("to=") { return endOfData(in: bytes, from: at, json: &json, isComplete) }
            // On a line of its own above the call.
            if bytes[at..<lineEnd].allSatisfy({ $0 <= 0x20 }), lineEnd < bytes.count {
                return end(in: bytes, at: lineEnd + 1, json: &json, isComplete: isComplete, mayBeLabelled: false)
            }
            at = bytes[at..<lineEnd].firstIndex { $0 != 0x20 } ?? lineEnd
        }
        let name = bytes[at..<lineEnd].prefix(80).prefix {
            isOfName($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":")
        }
        guard let first = name.first, first | 0x20 >= UInt8(ascii: "a"), first | 0x20 <= UInt8(ascii: "z"),
            name.endIndex < bytes.count
        else { return nil }
        let isSnake = name.contains(UInt8(ascii: "_")) || isDotted(name)
        switch bytes[name.endIndex] {
        case UInt8(ascii: "("):
            return endOfProgram(in: bytes, name.endIndex, lineEnd, isSnake: isSnake, isComplete)
        case UInt8(ascii: "{") where isSnake:
            return json.value(in: bytes, at: name.endIndex)?.end ?? (isComplete ? nil : bytes.count)
        case 0x0A where isSnake && name.startIndex == at && name.contains(UInt8(ascii: "_")):
            // The name, and its arguments below it.
            guard let next = bytes[name.endIndex...].firstIndex(where: { $0 > 0x20 }), bytes[next] == UInt8(ascii: "{")
            else { return nil }
            return json.value(in: bytes, at: next)?.end
        default: return nil
        }
    }

    private static func endOfData(
        in bytes: [UInt8],
        from start: Int,
        json: inout EmbeddedJSON,
        _ isComplete: Bool
    ) -> Int? {
        guard let open = bytes[start...].prefix(160).firstIndex(of: UInt8(ascii: "{")) else {
            return isComplete ? nil : bytes.count
        }
        return json.value(in: bytes, at: open)?.end ?? (isComplete ? nil : bytes.count)
    }

    /// `name(...)`, to the end of the line or of the brackets.
    private static func endOfProgram(
        in bytes: [UInt8],
        _ open: Int,
        _ lineEnd: Int,
        isSnake: Bool,
        _ isComplete: Bool
    ) -> Int? {
        var (at, depth) = (open, 0)
        var quote: UInt8?
        let limit = min(bytes.count, open + 1000)
        while at < limit {
            let byte = bytes[at]
            at += 1
            switch byte {
            case UInt8(ascii: "\\") where quote != nil: at += 1
            case _ where quote != nil: if byte == quote { quote = nil }
            case UInt8(ascii: "\""): quote = byte
            case UInt8(ascii: "'") where at >= 2 && !isOfName(bytes[at - 2]): quote = byte
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            default: break
            }
            if depth == 0 { break }
        }
        let inside = bytes[(open + 1)..<max(open + 1, min(at - 1, bytes.count))]
        guard depth == 0, at <= bytes.count else {
            return !isComplete && (isSnake || isAssignment(inside)) ? bytes.count : nil
        }
        let rest = bytes[at...].prefix { $0 != 0x0A }
        guard rest.allSatisfy({ $0 <= 0x20 || $0 == UInt8(ascii: ";") }) else { return nil }
        let isEmpty = inside.allSatisfy { $0 <= 0x20 }
        let holdsText = inside.first { $0 > 0x20 }.map { "\"'{[".utf8.contains($0) } ?? false
        guard isAssignment(inside) || isSnake && (isEmpty || holdsText || inside.allSatisfy { $0 < 0x80 && $0 != 0x20 })
        else {
            // `print(default_api.get_weather(city="Rome"))`
            return inside.contains(UInt8(ascii: "(")) && inside.contains(UInt8(ascii: "="))
                && inside.contains(UInt8(ascii: "_"))
                ? rest.endIndex : nil
        }
        return rest.endIndex
    }

    /// `city="Rome"`: a name, and directly or with blanks a single equals sign.
    private static func isAssignment(_ inside: ArraySlice<UInt8>) -> Bool {
        let name = inside.drop { $0 <= 0x20 }.prefix { isOfName($0) }
        guard let first = name.first, first < UInt8(ascii: "0") || first > UInt8(ascii: "9") else { return false }
        let behind = inside[name.endIndex...].drop { $0 == 0x20 }
        return behind.first == UInt8(ascii: "=") && behind.dropFirst().first != UInt8(ascii: "=")
    }

    /// "weather.get", but not "example.org." at the end of a sentence.
    private static func isDotted(_ name: ArraySlice<UInt8>) -> Bool {
        let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count > 1 && parts.allSatisfy { !$0.isEmpty }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
            || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
            || byte == UInt8(ascii: "_")
    }
}
