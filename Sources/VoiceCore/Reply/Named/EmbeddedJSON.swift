internal import VoiceBase

/// Finds JSON values in running text, with bounds on depth, length and the work for a whole text.
///
/// Models write JSON as they write programs: with comments, a comma after the last member, names without quotes,
/// strings in single or typographic quotes and with such quotes inside, `True` and `None`. All of that is corrected
/// before decoding. If the text ends within a value, the complete part of it counts.
struct EmbeddedJSON {
    private static let deepest = 8
    private static let longest = 64 << 10
    /// Bytes that may still be scanned, over all attempts.
    private var budget = 512 << 10

    /// Returns the object or array that begins at `start`, and the position after it; nil if there is none.
    mutating func value(in bytes: [UInt8], at start: Int) -> (JSONValue, end: Int)? {
        guard bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "["), budget > 0 else { return nil }
        // Valid JSON is read strictly, so that no quotation mark inside its strings is misread.
        if let end = strictEnd(in: bytes, from: start), let value = Self.decode(Array(bytes[start..<end])) {
            return (value, end)
        }
        guard budget > 0 else { return nil }
        var reader = LooseJSON(bytes, from: start, to: min(bytes.count, start + min(Self.longest, budget)))
        let end = reader.read(deepest: Self.deepest)
        budget -= reader.position - start
        if let end { return Self.decode(reader.strict).map { ($0, end) } }
        guard reader.position == bytes.count || reader.isAtFence else { return nil }
        for cutOff in reader.cutOff {
            if let value = Self.decode(cutOff) { return (value, reader.position) }
        }
        return nil
    }

    private static let words = ["true", "false", "null"].map { Array($0.utf8) }

    /// Returns where the value ends by the rules of JSON; nil if it has no end, is too deep, or is certainly not JSON.
    private mutating func strictEnd(in bytes: [UInt8], from start: Int) -> Int? {
        let limit = min(bytes.count, start + min(Self.longest, budget))
        var (position, depth, isInText) = (start, 0, false)
        defer { budget -= position - start }
        while position < limit {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): isInText.toggle()
            case UInt8(ascii: "\\") where isInText: position = min(limit, position + 1)
            case 0..<0x20 where isInText: return nil
            case _ where isInText: continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth > Self.deepest { return nil }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return position }
            case 0x20, 0x0A, 0x0D, 0x09, UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: ","),
                UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"):
                continue
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                guard (48...57).contains(bytes[position - 2]) else { return nil }
            default:
                guard let word = Self.words.first(where: { bytes[(position - 1)...].starts(with: $0) }) else {
                    return nil
                }
                position = min(limit, position - 1 + word.count)
            }
        }
        return nil
    }

    private static func decode(_ strict: [UInt8]) -> JSONValue? {
        OutsideJSON.decode(JSONValue.self, from: strict, atMost: 2 * longest)
    }
}

/// Rewrites text that is almost JSON as JSON.
private struct LooseJSON {
    private let bytes: [UInt8]
    private let limit: Int
    private(set) var position: Int
    private(set) var strict: [UInt8] = []
    /// The closing brackets still to come.
    private var closers: [UInt8] = []
    /// The part that ends with a complete member, and the brackets open there.
    private var whole: (length: Int, closers: [UInt8]) = (0, [])
    /// Whether the code block ended before the value did.
    private(set) var isAtFence = false

    init(_ bytes: [UInt8], from start: Int, to limit: Int) {
        self.bytes = bytes
        self.limit = limit
        position = start
    }

    /// What may be decoded of a value that was cut off, the longest first.
    var cutOff: [[UInt8]] {
        guard !closers.isEmpty else { return [] }
        return [strict + closers.reversed(), Array(strict.prefix(whole.length)) + whole.closers.reversed()]
    }

    /// Returns the position after the value; nil if it has no end, or contains something that cannot be meant as JSON.
    mutating func read(deepest: Int) -> Int? {
        while position < limit {
            let byte = bytes[position]
            if let quote = Quote(bytes, at: position) {
                guard readText(quote) else { return nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard closers.count < deepest else { return nil }
                closers.append(byte + 2)
                append(byte)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard closers.popLast() == byte else { return nil }
                dropComma()
                append(byte)
                whole = (strict.count, closers)
                if closers.isEmpty { return position }
            case UInt8(ascii: ","):
                whole = (strict.count, closers)
                append(byte)
            case UInt8(ascii: "`"):
                isAtFence = bytes[position...].starts(with: "```".utf8)
                return nil
            case UInt8(ascii: "/"), UInt8(ascii: "#"): guard skipComment() else { return nil }
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                UInt8(ascii: "$"):
                guard readWord() else { return nil }
            // Outside strings and words, JSON consists of numbers and punctuation.
            case 0x20, 0x0A, 0x0D, 0x09, UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"),
                UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"):
                append(byte)
            default: return nil
            }
        }
        return nil
    }

    private mutating func append(_ byte: UInt8) {
        strict.append(byte)
        position += 1
    }

    private mutating func dropComma() {
        while let last = strict.last, last <= 0x20 { strict.removeLast() }
        if strict.last == UInt8(ascii: ",") { strict.removeLast() }
    }

    /// Reads a string. A quote ends it only if what follows may follow a string: "Don't Stop" has one inside.
    private mutating func readText(_ quote: Quote) -> Bool {
        let start = strict.count
        strict.append(UInt8(ascii: "\""))
        position += quote.length
        while position < limit {
            let byte = bytes[position]
            if let length = quote.closes(bytes, at: position), mayFollowText(position + length) {
                position += length
                strict.append(UInt8(ascii: "\""))
                return true
            }
            if byte == UInt8(ascii: "\\"), position + 1 < limit {
                let next = bytes[position + 1]
                // JSON does not know other escapes: "\'", and "\_" from Markdown.
                if "\"\\/bfnrtu".utf8.contains(next) { strict.append(byte) }
                position += 1
                // A line break is handled below.
                if next >= 0x20 {
                    strict.append(next)
                    position += 1
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): strict += [UInt8(ascii: "\\"), byte]
            // A line break within a string.
            case 0x0A where quote.mayBreak:
                if bytes[(position + 1)...].starts(with: "```".utf8) {
                    isAtFence = true
                    position += 1
                    strict.removeLast(strict.count - start)
                    return false
                }
                strict += Array("\\n".utf8)
            case 0x09: strict += Array("\\t".utf8)
            case 0x0A, 0x00..<0x09: return false
            default: strict.append(byte)
            }
            position += 1
        }
        strict.removeLast(strict.count - start)
        return false
    }

    /// What may follow a string: punctuation, a comma and the beginning of the next member, a comment, or the end of
    /// the text.
    private func mayFollowText(_ start: Int) -> Bool {
        var next = start
        func skipBlanks() { while next < limit, bytes[next] <= 0x20 { next += 1 } }
        skipBlanks()
        guard next < limit else { return true }
        switch bytes[next] {
        case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "#"),
            UInt8(ascii: "`"):
            return true
        case UInt8(ascii: ","):
            next += 1
            skipBlanks()
            guard next < limit else { return true }
            if Quote(bytes, at: next) != nil { return true }
            let isMark = "{[}]/#-`".utf8.contains(bytes[next]) || (48...57).contains(bytes[next])
            return isMark || isWord(at: next)
        default: return false
        }
    }

    /// Whether a name without quotes or a value that is a word begins here.
    private func isWord(at start: Int) -> Bool {
        let word = bytes[start..<min(limit, start + 64)].prefix(while: Self.isOfName)
        guard !word.isEmpty else { return false }
        let text = String(decoding: word, as: UTF8.self)
        if ["true", "false", "null"].contains(text) || Self.values[text] != nil { return true }
        return bytes[word.endIndex..<limit].first { $0 > 0x20 } == UInt8(ascii: ":")
    }

    /// Skips `//` and `#` comments to the end of the line, and comments between `/*` and `*/`.
    private mutating func skipComment() -> Bool {
        if bytes[position] == UInt8(ascii: "/") {
            guard position + 1 < limit else { return false }
            switch bytes[position + 1] {
            case UInt8(ascii: "/"): break
            case UInt8(ascii: "*"):
                position += 2
                while position + 1 < limit {
                    position += 1
                    if bytes[position] == UInt8(ascii: "/"), bytes[position - 1] == UInt8(ascii: "*") {
                        position += 1
                        return true
                    }
                }
                return false
            default: return false
            }
        }
        while position < limit, bytes[position] != 0x0A { position += 1 }
        return true
    }

    private static let values = ["True": "true", "False": "false", "None": "null", "undefined": "null", "NaN": "null"]

    /// Reads a name without quotes, a value that is a word, or the exponent of a number.
    private mutating func readWord() -> Bool {
        let start = position
        while position < limit, Self.isOfName(bytes[position]) { position += 1 }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        var next = position
        while next < limit, bytes[next] <= 0x20 { next += 1 }
        if next < limit, bytes[next] == UInt8(ascii: ":") {
            strict += Array("\"\(word)\"".utf8)
        } else if ["true", "false", "null"].contains(word) || strict.last.map({ (48...57).contains($0) }) == true {
            strict += Array(word.utf8)
        } else if let value = Self.values[word] {
            strict += Array(value.utf8)
        } else {
            return false
        }
        return true
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"):
            true
        default: false
        }
    }
}

/// A quotation mark that begins a string, and the marks that may end it.
private struct Quote {
    let length: Int
    /// Whether such a string may contain line breaks.
    let mayBreak: Bool
    private let ends: [[UInt8]]

    private static let typographic: [([UInt8], ends: [String])] = [
        ("\u{201C}", ["\u{201D}", "\u{201C}", "\""]), ("\u{201D}", ["\u{201D}", "\""]),
        ("\u{201E}", ["\u{201C}", "\u{201D}", "\""]), ("\u{2018}", ["\u{2019}", "\u{2018}", "'"]),
        ("\u{2019}", ["\u{2019}", "'"]), ("\u{201A}", ["\u{2018}", "\u{2019}", "'"]), ("\u{AB}", ["\u{BB}"]),
        ("\u{FF02}", ["\u{FF02}"]),
    ].map { (Array($0.0.utf8), $0.1) }

    /// Returns nil if there is no quotation mark here.
    init?(_ bytes: [UInt8], at position: Int) {
        switch bytes[position] {
        case UInt8(ascii: "\""): (length, mayBreak, ends) = (1, true, [[UInt8(ascii: "\"")], Array("\u{201D}".utf8)])
        case UInt8(ascii: "'"): (length, mayBreak, ends) = (1, false, [[UInt8(ascii: "'")], Array("\u{2019}".utf8)])
        case 0x80...:
            guard let found = Self.typographic.first(where: { bytes[position...].starts(with: $0.0) }) else {
                return nil
            }
            (length, mayBreak, ends) = (found.0.count, true, found.ends.map { Array($0.utf8) })
        default: return nil
        }
    }

    /// Length in bytes of a mark that ends the string here; nil if there is none.
    func closes(_ bytes: [UInt8], at position: Int) -> Int? {
        ends.first { bytes[position...].starts(with: $0) }?.count
    }
}
