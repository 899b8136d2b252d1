/// A start tag as it comes, byte by byte, and as the parser gets it: with at most `mostAttributes` attributes, each a name and a
/// quoted value. The parser compares each attribute of a tag with every other, which takes a minute for a megabyte of them.
struct MarkupTag {
    static let mostAttributes = 64
    /// Longest tag, in bytes; a quotation mark may be missing.
    static let longest = 64 << 10

    private enum Place {
        case name
        case between
        case attribute
        case afterAttribute
        case beforeValue
        /// With the byte that ends it; nil for a value without quotation marks.
        case value(UInt8?)
    }

    private(set) var isComplete = false
    /// Whether it has no end within `longest`.
    var isTooLong: Bool { count > Self.longest }
    private var place = Place.name
    private var count = 0
    private(set) var attributes = 0
    private var text: [UInt8] = [UInt8(ascii: "<")]
    private var attribute: [UInt8] = []
    private var value: [UInt8] = []

    /// The tag for the parser, once it is complete.
    var bytes: [UInt8] { text }

    /// - Parameter byte: the next byte behind "<".
    mutating func add(_ byte: UInt8) {
        count += 1
        let isBlank = byte <= 0x20
        if byte == UInt8(ascii: ">") {
            if case .value(.some) = place {} else { return complete() }
        }
        switch place {
        case .name:
            if isBlank || byte == UInt8(ascii: "/") { place = .between } else { text.append(byte) }
        case .between:
            if !isBlank, byte != UInt8(ascii: "/") { begin(byte) }
        case .attribute where byte == UInt8(ascii: "="), .afterAttribute where byte == UInt8(ascii: "="):
            place = .beforeValue
        case .attribute:
            if isBlank { place = .afterAttribute } else { attribute.append(byte) }
        case .afterAttribute where !isBlank:
            finishAttribute()
            if byte != UInt8(ascii: "/") { begin(byte) }
        case .beforeValue where !isBlank:
            let isQuote = byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
            place = .value(isQuote ? byte : nil)
            if !isQuote { value.append(byte) }
        case .value(let end):
            if byte == end || end == nil && isBlank { finishAttribute() } else { value.append(byte) }
        case .afterAttribute, .beforeValue: break
        }
    }

    private mutating func begin(_ byte: UInt8) {
        attribute = [byte]
        place = .attribute
    }

    private mutating func complete() {
        switch place {
        case .attribute, .afterAttribute, .beforeValue, .value: finishAttribute()
        case .name, .between: break
        }
        text.append(UInt8(ascii: ">"))
        isComplete = true
    }

    private mutating func finishAttribute() {
        defer {
            (attribute, value) = ([], [])
            place = .between
        }
        guard attributes < Self.mostAttributes, attribute.allSatisfy(Self.isOfName),
            attribute.first.map(Self.isFirst) == true
        else { return }
        attributes += 1
        let quote = value.contains(UInt8(ascii: "\"")) ? UInt8(ascii: "'") : UInt8(ascii: "\"")
        text.append(0x20)
        text += attribute
        text += [UInt8(ascii: "="), quote]
        // Only a value without quotation marks may contain both kinds.
        text += value.contains(quote) ? value.filter { $0 != quote } : value
        text.append(quote)
    }

    private static func isFirst(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte & 0xDF) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        isFirst(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}
