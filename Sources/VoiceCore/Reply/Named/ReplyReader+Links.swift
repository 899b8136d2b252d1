internal import VoiceBase

/// Links: inline or by reference in Markdown, and HTML. The text of an extracted link stays.
extension ReplyReader {
    private static let longestText = 1000

    /// `[text](address)`, `[text][label]`, `[label]`. Other links, and images, are passed on unchanged.
    mutating func takeLink() -> Bool {
        guard let close = bracketEnd(from: position + 1) else { return false }
        let text = bytes[position + 1..<close]
        let isImage = position > 0 && bytes[position - 1] == UInt8(ascii: "!")
        guard close + 1 < bytes.count, bytes[close + 1] == UInt8(ascii: "("),
            let last = Self.closing(bytes, from: close + 2)
        else { return !isImage && takeReference(text, close) }
        if isImage || !takeLink(text, bytes[close + 2..<last]) { rest += bytes[position...last] }
        position = last + 1
        return true
    }

    /// Returns the bracket that closes the text, which may contain pairs. If one of them is not closed, the first
    /// closing bracket counts. The text ends at a line break.
    private func bracketEnd(from start: Int) -> Int? {
        var (depth, first): (Int, Int?) = (0, nil)
        for end in start..<min(bytes.count, start + Self.longestText) {
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
        return first
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

    /// - Parameter target: `<address> "title"`.
    private mutating func takeLink(_ text: ArraySlice<UInt8>, _ target: ArraySlice<UInt8>) -> Bool {
        let start = target.drop { $0 == 0x20 }
        // In angle brackets an address may contain spaces.
        let inside =
            start.first == UInt8(ascii: "<")
            ? start.dropFirst().prefix { $0 != UInt8(ascii: ">") } : start.prefix { $0 > 0x20 }
        return take(String(decoding: inside, as: UTF8.self), text: String(decoding: text, as: UTF8.self))
    }

    /// - Parameter close: the position of the text's closing bracket.
    private mutating func takeReference(_ text: ArraySlice<UInt8>, _ close: Int) -> Bool {
        var (label, end) = (text, close + 1)
        if end < bytes.count, bytes[end] == UInt8(ascii: "["), let last = bracketEnd(from: end + 1) {
            if last > end + 1 { label = bytes[end + 1..<last] }
            end = last + 1
        }
        guard let target = definitions.target(of: String(decoding: label, as: UTF8.self)),
            take(target.address, text: String(decoding: text, as: UTF8.self), title: target.title)
        else { return false }
        position = end
        return true
    }

    /// `[1]: https://e.org/a.mp3`. None of it is spoken, whether anything refers to it or not.
    mutating func takeDefinition() -> Bool {
        guard bytes[position] == UInt8(ascii: "[") || bytes[position] == 0x20 else { return false }
        let end = endOfLine(from: position)
        var line = bytes[position..<end]
        while let last = line.last, last <= 0x20 { line.removeLast() }
        guard let (label, target) = LinkDefinitions.definition(in: line) else { return false }
        if !isTaken(target.address) {
            guard let sound = SoundAddress(target.address), let kind = sound.kind else { return false }
            let named = [target.title, label].map { ForeignText.title($0) }.first { $0.contains(where: \.isLetter) }
            take(NamedMedia(address: target.address, title: named ?? sound.title, kind: kind))
        }
        position = end
        return true
    }

    /// Extracts a link; the words of its text stay in the reply.
    private mutating func take(_ written: String, text: String, title: String = "") -> Bool {
        let address = SoundAddress.encoded(written)
        let text = Self.words(text)
        guard let sound = SoundAddress(address),
            let kind = sound.kind ?? MediaObjects.kind(ofLinkText: text) ?? (isAddressesAlone ? .track : nil)
        else { return false }
        // The number of a reference is not a title; neither is an address.
        let hasWords = SoundAddress(SoundAddress.encoded(text)) == nil && text.contains(where: \.isLetter)
        let words = hasWords && !text.hasPrefix("^") ? text : ""
        let named = [words.filter { $0 != "*" && $0 != "_" && $0 != "`" }, title].first {
            !ForeignText.title($0).isEmpty
        }
        take(NamedMedia(address: address, title: named ?? sound.title, kind: kind))
        rest += Array(words.utf8)
        return true
    }

    /// Returns the bracket that closes a link's address, which may contain pairs.
    private static func closing(_ bytes: [UInt8], from start: Int) -> Int? {
        var depth = 0
        for index in start..<min(bytes.count, start + AddressInText.longest + 300) {
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

    // MARK: HTML

    /// `<a href="...">text</a>`, `<audio src="...">`, `<source src="...">` and `<embed src="...">`.
    mutating func takeTag() -> Bool {
        let names = ["a", "audio", "source", "embed"]
        let head = bytes[position...].dropFirst().prefix(8)
        let name = String(decoding: head.prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") }, as: UTF8.self).lowercased()
        guard names.contains(name),
            let close = bytes[position...].prefix(AddressInText.longest + 1000).firstIndex(of: UInt8(ascii: ">"))
        else { return false }
        var attributes: [String: String] = [:]
        let reader = MarkupReader(isFragment: true) { event in
            if case .open(name, let given) = event { attributes = given }
        }
        reader.push(Array(bytes[position...close]), isLast: true)
        guard let address = attributes[name == "a" ? "href" : "src"] else { return false }
        if name != "a" {
            let encoded = SoundAddress.encoded(address)
            guard let sound = SoundAddress(encoded) else { return false }
            let title = attributes["title"] ?? sound.title
            take(NamedMedia(address: encoded, title: title, kind: sound.kind ?? .track))
            position = close + 1
            return true
        }
        guard let end = endOfLinkText(from: close + 1),
            let last = bytes[end...].prefix(10).firstIndex(of: UInt8(ascii: ">"))
        else { return false }
        let text = HTMLText.text(of: String(decoding: bytes[(close + 1)..<end], as: UTF8.self))
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard take(address, text: text, title: attributes["title"] ?? "") else { return false }
        position = last + 1
        return true
    }

    /// Returns the position of `</a`.
    private func endOfLinkText(from start: Int) -> Int? {
        var position = start
        while position + 2 < bytes.count, position - start < Self.longestText {
            if bytes[position] == UInt8(ascii: "<"), bytes[position + 1] == UInt8(ascii: "/"),
                bytes[position + 2] | 0x20 == UInt8(ascii: "a")
            {
                return position
            }
            position += 1
        }
        return nil
    }
}
