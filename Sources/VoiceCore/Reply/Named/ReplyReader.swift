internal import VoiceBase

/// Reads a reply from beginning to end and divides it into media and the rest.
struct ReplyReader {
    /// Addresses beyond this number are not counted.
    private static let mostLeftOut = 1000
    private static let longestText = 1000

    private let bytes: [UInt8]
    private var position = 0
    /// Whether the reply has no words besides addresses. Such addresses are meant to be played, whatever they are.
    let isAddressesAlone: Bool
    /// Whether the text is the content of a code block.
    private let isBlock: Bool
    private var json = EmbeddedJSON()
    /// No closing bracket comes before this position.
    private var unclosed = 0
    private(set) var items: [NamedMedia] = []
    /// The addresses found beyond the maximum.
    private(set) var leftOut: Set<String> = []
    private(set) var rest: [UInt8] = []

    /// - Parameter bytes: UTF-8.
    init(_ bytes: [UInt8], isBlock: Bool = false) {
        self.bytes = bytes
        self.isBlock = isBlock
        isAddressesAlone = !isBlock && Self.hasNoWords(bytes)
    }

    mutating func read() {
        while position < bytes.count {
            if position == 0 || bytes[position - 1] == 0x0A, isBlock ? skipComment() : takeCodeBlock() { continue }
            switch bytes[position] {
            case UInt8(ascii: "{"): if takeJSON() { continue }
            case UInt8(ascii: "["): if takeJSON() || takeLink() { continue }
            case UInt8(ascii: "h"), UInt8(ascii: "H"), UInt8(ascii: "w"), UInt8(ascii: "W"):
                if takeAddress() { continue }
            default: break
            }
            rest.append(bytes[position])
            position += 1
        }
    }

    private mutating func add(_ item: NamedMedia) {
        guard !items.contains(where: { $0.address == item.address }) else { return }
        if items.count < MediaInReply.mostItems {
            items.append(item)
        } else if leftOut.count < Self.mostLeftOut {
            leftOut.insert(item.address)
        }
    }

    // MARK: JSON

    /// Extracts the media of a JSON value; the text to be spoken in it becomes a paragraph.
    private mutating func takeJSON() -> Bool {
        guard let (value, end) = json.value(in: bytes, at: position) else { return false }
        let found = MediaObjects(value)
        guard !found.items.isEmpty else { return false }
        for item in found.items { add(item) }
        for words in found.words { rest += Array("\n\n\(words)\n\n".utf8) }
        position = end
        return true
    }

    // MARK: Code blocks

    /// Names of blocks that are not in a programming language.
    private static let languagesOfLists: Set<String> = [
        "", "text", "txt", "plain", "plaintext", "json", "json5", "jsonc", "list", "markdown", "md",
    ]

    /// Extracts the media of a fenced block; its other words become a paragraph. A block without media, or in a
    /// programming language, stays as it is.
    private mutating func takeCodeBlock() -> Bool {
        var start = position
        while start < bytes.count, start - position < 3, bytes[start] == 0x20 { start += 1 }
        guard start < bytes.count, bytes[start] == UInt8(ascii: "`") || bytes[start] == UInt8(ascii: "~") else {
            return false
        }
        let fence = bytes[start...].prefix { $0 == bytes[start] }
        guard fence.count >= 3 else { return false }
        let open = endOfLine(from: start)
        var (close, end) = (bytes.count, bytes.count)
        var line = open
        while line < close {
            let next = endOfLine(from: line)
            let text = bytes[line..<next].drop { $0 == 0x20 }
            if text.starts(with: fence), text.allSatisfy({ $0 == bytes[start] || $0 <= 0x20 }) {
                (close, end) = (line, next)
            }
            line = next
        }
        let language = bytes[(start + fence.count)..<open].drop { $0 <= 0x20 }.prefix { $0 > 0x20 }
        var block = ReplyReader(Array(bytes[open..<max(open, close)]), isBlock: true)
        if Self.languagesOfLists.contains(String(decoding: language, as: UTF8.self).lowercased()) { block.read() }
        for item in block.items { add(item) }
        leftOut.formUnion(block.leftOut.prefix(Self.mostLeftOut - leftOut.count))
        rest += block.items.isEmpty ? Array(bytes[position..<end]) : Array("\n\n".utf8) + block.rest + [0x0A, 0x0A]
        position = end
        return true
    }

    /// Within a block, lines with a comment are not spoken; `#EXTINF` and its kind are comments as well.
    private mutating func skipComment() -> Bool {
        let line = bytes[position...].drop { $0 == 0x20 }
        guard line.starts(with: "//".utf8) || line.starts(with: "#".utf8) else { return false }
        position = endOfLine(from: position)
        return true
    }

    /// Returns the position after the line break.
    private func endOfLine(from start: Int) -> Int {
        bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
    }

    // MARK: Links

    /// `[text](address "title")`: the words of the text stay. Other links, and images, are passed on unchanged.
    private mutating func takeLink() -> Bool {
        guard let close = bracketEnd(from: position + 1), close + 1 < bytes.count,
            bytes[close + 1] == UInt8(ascii: "("), let last = Self.closing(bytes, from: close + 2)
        else { return false }
        let isImage = position > 0 && bytes[position - 1] == UInt8(ascii: "!")
        if isImage || !takeLink(bytes[position + 1..<close], bytes[close + 2..<last]) {
            rest += bytes[position...last]
        }
        position = last + 1
        return true
    }

    /// Returns the bracket that closes the text, which may contain pairs. If one of them is not closed, the first
    /// closing bracket counts. The text ends at a line break.
    private mutating func bracketEnd(from start: Int) -> Int? {
        guard start >= unclosed else { return nil }
        var (depth, first): (Int, Int?) = (0, nil)
        let limit = min(bytes.count, start + Self.longestText)
        for end in start..<max(start, limit) {
            switch bytes[end] {
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"):
                first = first ?? end
                if depth == 0 { return end }
                depth -= 1
            case 0x0A: return first
            default: break
            }
        }
        if first == nil { unclosed = limit }
        return first
    }

    /// Returns the bracket that closes a link's address, which may contain pairs.
    private static func closing(_ bytes: [UInt8], from start: Int) -> Int? {
        var depth = 0
        for index in start..<min(bytes.count, start + AddressInText.longest + 300) {
            switch bytes[index] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")") where depth == 0: return index
            case UInt8(ascii: ")"): depth -= 1
            // Where the next link begins, this one was not closed.
            case UInt8(ascii: "[") where bytes[index - 1] <= 0x20, 0x0A: return nil
            default: break
            }
        }
        return nil
    }

    /// Extracts a link if it is to be played; the words of its text stay in the reply.
    ///
    /// - Parameter target: `<address> "title"`.
    private mutating func takeLink(_ text: ArraySlice<UInt8>, _ target: ArraySlice<UInt8>) -> Bool {
        let start = target.drop { $0 == 0x20 }
        // In angle brackets an address may contain spaces.
        let inside =
            start.first == UInt8(ascii: "<")
            ? start.dropFirst().prefix { $0 != UInt8(ascii: ">") } : start.prefix { $0 > 0x20 }
        let address = SoundAddress.encoded(String(decoding: inside, as: UTF8.self))
        let text = Self.words(String(decoding: text, as: UTF8.self))
        guard let sound = SoundAddress(address),
            let kind = sound.kind ?? MediaObjects.kind(ofLinkText: text) ?? (isAddressesAlone ? .track : nil)
        else { return false }
        // A number is not a title; neither is an address.
        let hasWords = SoundAddress(SoundAddress.encoded(text)) == nil && text.contains(where: \.isLetter)
        let words = hasWords ? text : ""
        let title = ForeignText.title(words.filter { $0 != "*" && $0 != "_" && $0 != "`" })
        add(NamedMedia(address: address, title: title.isEmpty ? sound.title : title, kind: kind))
        rest += Array(words.utf8)
        return true
    }

    /// Returns the words of a link's text; an image in it is replaced by its description.
    private static func words(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let image = rest.firstRange(of: "![") {
            let inside = rest[image.upperBound...]
            guard let close = inside.firstRange(of: "]("),
                let end = inside[close.upperBound...].firstIndex(of: ")")
            else { break }
            result += rest[..<image.lowerBound] + inside[..<close.lowerBound]
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    // MARK: Bare addresses

    private static let enclosures = [
        ("<", ">"), ("`", "`"), ("(", ")"), ("\"", "\""), ("'", "'"), ("\u{201C}", "\u{201D}"),
        ("\u{201E}", "\u{201C}"),
        ("\u{201E}", "\u{201D}"), ("\u{201D}", "\u{201D}"), ("\u{2018}", "\u{2019}"), ("\u{201A}", "\u{2018}"),
        ("\u{AB}", "\u{BB}"), ("\u{BB}", "\u{AB}"), ("\u{2039}", "\u{203A}"), ("\u{203A}", "\u{2039}"),
        ("\u{300C}", "\u{300D}"), ("\u{300E}", "\u{300F}"), ("\u{300A}", "\u{300B}"), ("\u{3008}", "\u{3009}"),
        ("\u{3010}", "\u{3011}"), ("\u{FF08}", "\u{FF09}"), ("\u{FF3B}", "\u{FF3D}"),
    ].map { (Array($0.0.utf8), Array($0.1.utf8)) }

    /// Removes a bare address that is to be played, with the marks around it. Any other address is passed on unchanged.
    private mutating func takeAddress() -> Bool {
        guard AddressInText.mayBegin(in: bytes, at: position),
            let end = AddressInText.end(in: bytes, from: position)
        else { return false }
        let address = SoundAddress.encoded(String(decoding: bytes[position..<end], as: UTF8.self))
        guard let sound = SoundAddress(address), let kind = sound.kind ?? (isAddressesAlone ? .track : nil) else {
            rest += bytes[position..<max(end, position + 1)]
            position = max(end, position + 1)
            return true
        }
        add(NamedMedia(address: address, title: listedTitle() ?? sound.title, kind: kind))
        position = end
        while let (open, close) = Self.enclosures.first(where: encloses) {
            rest.removeLast(open.count)
            position += close.count
        }
        return true
    }

    private func encloses(_ marks: (open: [UInt8], close: [UInt8])) -> Bool {
        rest.count >= marks.open.count && rest.suffix(marks.open.count).elementsEqual(marks.open)
            && bytes[position...].starts(with: marks.close)
    }

    /// In a list, the words before an address are its title: `- Darknet Diaries 147: https://...`
    private func listedTitle() -> String? {
        let line = rest[(rest.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0)...]
        guard line.count <= 300 else { return nil }
        let text = String(decoding: line, as: UTF8.self).drop { $0 == " " }
        let mark = text.prefix { $0.isNumber || "-*+•.)".contains($0) }
        guard !mark.isEmpty, text.dropFirst(mark.count).first == " " else { return nil }
        let title = ForeignText.title(text.dropFirst(mark.count).filter { $0 != "*" && $0 != "_" })
        let end = title.lastIndex { !" :-–—,\u{FF1A}".contains($0) }
        return end.map { String(title[...$0]) }
    }

    private static func hasNoWords(_ bytes: [UInt8]) -> Bool {
        var position = 0
        var addresses = 0
        while position < bytes.count {
            if let end = AddressInText.end(in: bytes, from: position) {
                addresses += 1
                position = max(end, position + 1)
            } else if let (scalar, length) = AddressInText.scalar(in: bytes, at: position) {
                if scalar.isOfWord { return false }
                position += length
            } else {
                position += 1
            }
        }
        return addresses > 0
    }
}
