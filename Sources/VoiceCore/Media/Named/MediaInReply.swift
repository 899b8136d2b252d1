internal import FoundationEssentials

/// Takes what can be played out of an agent's reply, before the reply is made for the ear.
///
///     reply --> items (title, kind, reason, address), at most 20
///           '-> rest: the words, without objects and addresses
///
/// Six forms are read: a JSON object, a JSON array, either of them bare, in a code block or within other objects ("items",
/// "playlist"); a Markdown link; a bare address; playlists and feeds, by their path or by a "type". Links and addresses
/// that do not look like sound are left alone (`SoundAddress`). Bounded: 64 KiB of the reply, 16 KiB and eight levels
/// for each JSON value, and so much work for all of them together.
package struct MediaInReply: Sendable, Equatable {
    package static let mostItems = 20

    package private(set) var items: [NamedMedia] = []
    /// What is left to be said; may be empty.
    package private(set) var rest = ""

    package init(_ reply: String) {
        let text = ThoughtFilter.removeThoughts(from: SpeechShaper.bounded(reply).text)
        var reader = ReplyReader(Array(text.utf8))
        reader.read()
        items = reader.items
        // Nothing taken: every byte of it is as it was.
        rest = items.isEmpty ? reply : String(decoding: reader.rest, as: UTF8.self)
    }
}

/// Reads a reply from its first byte to its last.
private struct ReplyReader {
    private static let longestAddress = 2048

    private let bytes: [UInt8]
    private var position = 0
    private var json = EmbeddedJSON()
    /// The reply has no words beside addresses: whatever they are, they are meant to be played.
    private let isAddressesAlone: Bool
    var items: [NamedMedia] = []
    var rest: [UInt8] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        isAddressesAlone = Self.hasNoWords(bytes)
    }

    mutating func read() {
        while position < bytes.count {
            if isLineStart, takeCodeBlock() { continue }
            switch bytes[position] {
            case UInt8(ascii: "{"): if takeJSON() { continue }
            case UInt8(ascii: "["): if takeJSON() || takeLink() { continue }
            case UInt8(ascii: "h"), UInt8(ascii: "H"): if takeAddress() { continue }
            default: break
            }
            rest.append(bytes[position])
            position += 1
        }
    }

    private var isLineStart: Bool { position == 0 || bytes[position - 1] == 0x0A }

    private mutating func take(_ item: NamedMedia) {
        let isKnown = items.contains { $0.address == item.address }
        if items.count < MediaInReply.mostItems, !isKnown { items.append(item) }
    }

    // MARK: JSON

    private mutating func takeJSON() -> Bool {
        guard let (value, end) = json.value(in: bytes, at: position), take(value) else { return false }
        position = end
        return true
    }

    /// Whether anything in a JSON value is to be played.
    private mutating func take(_ value: JSONValue) -> Bool {
        let found = MediaObjects(value).items
        for item in found { take(item) }
        return !found.isEmpty
    }

    // MARK: Code blocks

    /// A fenced block whose content is JSON, a playlist or addresses is taken as a whole; another is passed as it is.
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
        if !takeContent(of: open..<max(open, close)) { rest += bytes[position..<end] }
        position = end
        return true
    }

    private mutating func takeContent(of block: Range<Int>) -> Bool {
        guard let first = bytes[block].firstIndex(where: { $0 > 0x20 }) else { return false }
        if takeValues(in: block, from: first) { return true }
        let lines = bytes[block].split { $0 == 0x0A || $0 == 0x0D }.map { String(decoding: $0, as: UTF8.self) }
            .filter { !$0.hasPrefix("#") && !$0.allSatisfy(\.isWhitespace) }
        let found = lines.map { SoundAddress($0.filter { $0 != " " }) }
        guard !found.isEmpty, found.allSatisfy({ $0?.kind != nil }) else { return false }
        for case (let line, let sound?) in zip(lines, found) {
            take(NamedMedia(address: line.filter { $0 != " " }, title: sound.title, kind: sound.kind ?? .track))
        }
        return true
    }

    /// One JSON value, or one behind the other, of which any is to be played.
    private mutating func takeValues(in block: Range<Int>, from first: Int) -> Bool {
        var (next, found): (Int?, Bool) = (first, false)
        while let start = next, start < block.upperBound, let (value, end) = json.value(in: bytes, at: start) {
            found = take(value) || found
            next = bytes[min(end, block.upperBound)..<block.upperBound].firstIndex {
                $0 > 0x20 && $0 != UInt8(ascii: ",")
            }
        }
        return found
    }

    /// The position behind the line break.
    private func endOfLine(from start: Int) -> Int {
        bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
    }

    // MARK: Links and addresses

    /// `[text](address)`: the text stays. A link to something else, or an image, is passed as it is.
    private mutating func takeLink() -> Bool {
        var end = position + 1
        // Brackets within it are rare, a line break is none.
        while end < bytes.count, end - position < 1000, bytes[end] != UInt8(ascii: "]"), bytes[end] != 0x0A { end += 1 }
        guard end + 1 < bytes.count, bytes[end] == UInt8(ascii: "]"), bytes[end + 1] == UInt8(ascii: "("),
            let last = Self.closing(bytes, from: end + 2)
        else { return false }
        let text = bytes[position + 1..<end]
        let isImage = position > 0 && bytes[position - 1] == UInt8(ascii: "!")
        if isImage || !takeLink(text, bytes[end + 2..<last]) { rest += bytes[position...last] }
        position = last + 1
        return true
    }

    /// - Parameter target: `<address> "title"`.
    private mutating func takeLink(_ text: ArraySlice<UInt8>, _ target: ArraySlice<UInt8>) -> Bool {
        let inside = target.drop { $0 == 0x20 || $0 == UInt8(ascii: "<") }
        let address = String(decoding: inside.prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") }, as: UTF8.self)
        let words = String(decoding: text, as: UTF8.self)
        guard let sound = SoundAddress(address),
            let kind = sound.kind ?? MediaObjects.kind(ofWordsIn: words) ?? (isAddressesAlone ? .track : nil)
        else { return false }
        let isAddress = SoundAddress(words) != nil
        let title = isAddress ? sound.title : words.filter { $0 != "*" && $0 != "_" && $0 != "`" }
        take(NamedMedia(address: address, title: title, kind: kind))
        if !isAddress { rest += text }
        return true
    }

    /// The bracket that closes a link's address, which may hold pairs of its own.
    private static func closing(_ bytes: [UInt8], from start: Int) -> Int? {
        var depth = 0
        for index in start..<min(bytes.count, start + longestAddress + 300) {
            switch bytes[index] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")") where depth == 0: return index
            case UInt8(ascii: ")"): depth -= 1
            case 0x0A: return nil
            default: break
            }
        }
        return nil
    }

    /// A bare address: it goes, with the marks around it. One that is not to be played is passed as it is.
    private mutating func takeAddress() -> Bool {
        if position > 0, Self.isWord(bytes[position - 1]) { return false }
        guard let end = Self.addressEnd(bytes, from: position) else { return false }
        let address = String(decoding: bytes[position..<end], as: UTF8.self)
        guard let sound = SoundAddress(address), let kind = sound.kind ?? (isAddressesAlone ? .track : nil) else {
            rest += bytes[position..<max(end, position + 1)]
            position = max(end, position + 1)
            return true
        }
        take(NamedMedia(address: address, title: listedTitle() ?? sound.title, kind: kind))
        position = end
        for (open, close) in [("<", ">"), ("`", "`"), ("(", ")"), ("\"", "\"")] {
            let isWithin = rest.last == open.utf8.first && position < bytes.count && bytes[position] == close.utf8.first
            guard isWithin else { continue }
            rest.removeLast()
            position += 1
        }
        return true
    }

    /// In a list the words before the address name it: `- Darknet Diaries 147: https://...`
    private func listedTitle() -> String? {
        let line = rest[(rest.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0)...]
        guard line.count <= 300 else { return nil }
        let text = String(decoding: line, as: UTF8.self).drop { $0 == " " }
        let mark = text.prefix { $0.isNumber || "-*+•.)".contains($0) }
        guard !mark.isEmpty, text.dropFirst(mark.count).first == " " else { return nil }
        let title = ForeignText.title(text.dropFirst(mark.count).filter { $0 != "*" && $0 != "_" })
        let end = title.lastIndex { !" :-–—,".contains($0) }
        return end.map { String(title[...$0]) }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
    }

    /// Where an address that begins here ends; nil where none begins. Punctuation at its end is the sentence's.
    private static func addressEnd(_ bytes: [UInt8], from start: Int) -> Int? {
        let head = bytes[start...].prefix(8).map { $0 | 0x20 }
        guard head.starts(with: "http://".utf8) || head.starts(with: "https://".utf8) else { return nil }
        var end = start
        var depth = 0
        let limit = min(bytes.count, start + longestAddress + 1)
        while end < limit, bytes[end] > 0x20, bytes[end] < 0x7F, !"<>\"`|\\^{}".utf8.contains(bytes[end]) {
            if bytes[end] == UInt8(ascii: "(") { depth += 1 }
            if bytes[end] == UInt8(ascii: ")") {
                if depth == 0 { break }
                depth -= 1
            }
            end += 1
        }
        while end > start, ".,;:!?*_'".utf8.contains(bytes[end - 1]) { end -= 1 }
        return end
    }

    private static func hasNoWords(_ bytes: [UInt8]) -> Bool {
        var position = 0
        var addresses = 0
        while position < bytes.count {
            if let end = addressEnd(bytes, from: position) {
                addresses += 1
                position = max(end, position + 1)
            } else if isWord(bytes[position]) {
                return false
            } else {
                position += 1
            }
        }
        return addresses > 0
    }
}
