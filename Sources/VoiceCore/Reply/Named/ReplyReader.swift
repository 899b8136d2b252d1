internal import VoiceBase

/// Reads a reply from beginning to end and divides it into media and the rest.
struct ReplyReader {
    /// Addresses beyond this number are not counted.
    private static let mostLeftOut = 1000

    let bytes: [UInt8]
    var position = 0
    let definitions: LinkDefinitions
    /// Whether the reply has no words besides addresses. Such addresses are meant to be played, whatever they are.
    let isAddressesAlone: Bool
    private var json = EmbeddedJSON()
    /// YAML lists have been looked for up to here.
    private var yamlEnd = 0
    private(set) var items: [NamedMedia] = []
    /// The addresses found beyond the maximum.
    private(set) var leftOut: Set<String> = []
    var rest: [UInt8] = []

    /// - Parameter bytes: UTF-8.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        definitions = LinkDefinitions(bytes)
        isAddressesAlone = Self.hasNoWords(bytes)
    }

    mutating func read() {
        while position < bytes.count {
            if isLineStart, takeCodeBlock() || takePlaylist() || takeDefinition() || takeYAML() { continue }
            switch bytes[position] {
            case UInt8(ascii: "{"): if takeJSON() { continue }
            case UInt8(ascii: "["): if takeJSON() || takeLink() { continue }
            case UInt8(ascii: "<"): if takeTag() { continue }
            case UInt8(ascii: "h"), UInt8(ascii: "H"), UInt8(ascii: "w"), UInt8(ascii: "W"):
                if takeAddress() { continue }
            default: break
            }
            rest.append(bytes[position])
            position += 1
        }
    }

    private var isLineStart: Bool { position == 0 || bytes[position - 1] == 0x0A }

    mutating func take(_ item: NamedMedia) {
        guard !items.contains(where: { $0.address == item.address }) else { return }
        if items.count < MediaInReply.mostItems {
            items.append(item)
        } else if leftOut.count < Self.mostLeftOut {
            leftOut.insert(item.address)
        }
    }

    func isTaken(_ address: String) -> Bool {
        leftOut.contains(address) || items.contains { $0.address == address }
    }

    // MARK: JSON

    private mutating func takeJSON() -> Bool {
        guard let (value, end) = json.value(in: bytes, at: position), take(value) else { return false }
        position = end
        return true
    }

    /// Extracts the media of a JSON value; false if there is none. The text to be spoken in it becomes a paragraph.
    private mutating func take(_ value: JSONValue) -> Bool {
        let found = MediaObjects(value)
        guard !found.items.isEmpty else { return false }
        for item in found.items { take(item) }
        for words in found.words { rest += Array("\n\n\(words)\n\n".utf8) }
        return true
    }

    // MARK: Code blocks and playlists

    /// Drops a fenced block whose content is JSON, YAML, a playlist or addresses, and extracts the media in it. Any
    /// other block stays in the rest unchanged, even if addresses in it were extracted.
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
        let block = open..<max(open, close)
        let language = bytes[(start + fence.count)..<open].drop { $0 <= 0x20 }.prefix { $0 > 0x20 }
        if !takeContent(of: block), !takeAddresses(in: block, of: String(decoding: language, as: UTF8.self)) {
            rest += bytes[position..<end]
        }
        position = end
        return true
    }

    private mutating func takeContent(of block: Range<Int>) -> Bool {
        guard var first = bytes[block].firstIndex(where: { $0 > 0x20 }) else { return false }
        // Skip comments before the value.
        while bytes[first..<block.upperBound].starts(with: "//".utf8) {
            let next = endOfLine(from: first)
            guard let start = bytes[min(next, block.upperBound)..<block.upperBound].firstIndex(where: { $0 > 0x20 })
            else { return false }
            first = start
        }
        if takeValues(in: block, from: first) { return true }
        if let list = YAMLInText(bytes, from: lineStart(of: first), to: block.upperBound),
            bytes[list.end..<block.upperBound].allSatisfy({ $0 <= 0x20 }), take(list.value)
        {
            return true
        }
        if let list = PlaylistInText(bytes, from: first, to: block.upperBound),
            bytes[list.end..<block.upperBound].allSatisfy({ $0 <= 0x20 })
        {
            for entry in list.entries { take(NamedMedia(entry)) }
            return true
        }
        let lines = bytes[block].split { $0 == 0x0A || $0 == 0x0D }.map { String(decoding: $0, as: UTF8.self) }
            .filter { !$0.hasPrefix("#") && !$0.allSatisfy(\.isWhitespace) }
        // "https://e.org/stream/1 - First" is an address with its title: `takeAddresses` reads it.
        let heads = lines.map { $0.drop { $0 == " " }.split(separator: " ", maxSplits: 1) }
        guard !heads.contains(where: { $0.count > 1 && SoundAddress(String($0[0]))?.kind != nil }) else { return false }
        let addresses = lines.map { SoundAddress.encoded($0.filter { $0 != " " }) }
        let found = addresses.map { SoundAddress($0) }
        guard !found.isEmpty, found.allSatisfy({ $0?.kind != nil }) else { return false }
        for case (let line, let sound?) in zip(addresses, found) {
            take(NamedMedia(address: line, title: sound.title, kind: sound.kind ?? .track))
        }
        return true
    }

    /// Names of blocks that are not in a programming language.
    private static let languagesOfLists: Set<String> = [
        "", "text", "txt", "plain", "plaintext", "yaml", "yml", "json", "json5", "jsonc", "m3u", "m3u8", "pls", "ini",
        "toml", "csv", "list", "playlist", "markdown", "md",
    ]

    /// Extracts the addresses that look like sound from a block of another form: "https://e.org/1.mp3 - First".
    /// - Returns: whether every line is such an address with its title, so that nothing of the block remains to be
    ///   spoken.
    private mutating func takeAddresses(in block: Range<Int>, of language: String) -> Bool {
        guard Self.languagesOfLists.contains(language.lowercased()) else { return false }
        var isAll = true
        var found = false
        for line in bytes[block].split(separator: 0x0A) where line.contains(where: { $0 > 0x20 }) {
            let addresses = addresses(in: line.indices)
            for (range, sound) in addresses {
                let address = SoundAddress.encoded(String(decoding: bytes[range], as: UTF8.self))
                let words = addresses.count == 1 ? title(in: line, around: range) : nil
                isAll = isAll && words != nil && sound.kind != nil
                guard let kind = sound.kind else { continue }
                let title = words.flatMap { $0.isEmpty ? nil : $0 } ?? sound.title
                take(NamedMedia(address: address, title: title, kind: kind))
                found = true
            }
            if addresses.isEmpty { isAll = false }
        }
        return found && isAll
    }

    private func addresses(in line: Range<Int>) -> [(Range<Int>, SoundAddress)] {
        var result: [(Range<Int>, SoundAddress)] = []
        var position = line.lowerBound
        while position < line.upperBound {
            guard AddressInText.mayBegin(in: bytes, at: position),
                let end = AddressInText.end(in: bytes, from: position), end > position
            else {
                position += 1
                continue
            }
            let address = SoundAddress.encoded(String(decoding: bytes[position..<end], as: UTF8.self))
            if let sound = SoundAddress(address) { result.append((position..<end, sound)) }
            position = end
        }
        return result
    }

    /// Returns the words of a line beside its address: empty if there are none, nil if they are not a title.
    private func title(in line: ArraySlice<UInt8>, around address: Range<Int>) -> String? {
        func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
            let marks = " \t\r:-\u{2013}\u{2014}|,*+\u{2022}"
            let text = String(decoding: bytes, as: UTF8.self).drop(while: marks.contains)
            return text.lastIndex { !marks.contains($0) }.map { String(text[...$0]) } ?? ""
        }
        let before = String(decoding: line[..<address.lowerBound], as: UTF8.self)
        let (named, behind) = (trimmed(line[..<address.lowerBound]), trimmed(line[address.upperBound...]))
        if named.isEmpty || named.allSatisfy({ $0.isNumber || ".)".contains($0) }) {
            return behind.contains(where: "{}<>=\"".contains) ? nil : behind
        }
        let last = before.last { !$0.isWhitespace }
        let isName = last.map(":-\u{2013}\u{2014}|,".contains) ?? false
        guard isName, behind.isEmpty, !named.contains(where: "{}<>=\"".contains) else { return nil }
        return MediaObjects.isNameOfAddress(named) ? "" : named
    }

    /// Extracts the media of the JSON values in a block that begins with one; false if there is none. The words between
    /// and after the values stay in the rest.
    private mutating func takeValues(in block: Range<Int>, from first: Int) -> Bool {
        let restBefore = rest.count
        var (next, found): (Int?, Bool) = (first, false)
        while let start = next, start < block.upperBound {
            if let (value, end) = json.value(in: bytes, at: start) {
                found = take(value) || found
                next = min(end, block.upperBound)
            } else if start == first {
                return false
            } else {
                next = passWords(from: start, to: block.upperBound)
            }
            next = next.flatMap { bytes[$0..<block.upperBound].firstIndex { $0 > 0x20 && $0 != UInt8(ascii: ",") } }
        }
        // The block is read in another way, or stays in the rest as it is.
        if !found { rest.removeSubrange(restBefore...) }
        return found
    }

    /// Passes the words of a block on as a paragraph, up to the end of the line or what may be a value; drops comments and
    /// stray punctuation.
    /// - Returns: the position after them.
    private mutating func passWords(from start: Int, to limit: Int) -> Int {
        let line = bytes[start..<limit]
        let isComment = line.starts(with: "//".utf8) || line.starts(with: "#".utf8)
        let brackets = isComment ? [] : [UInt8(ascii: "{"), UInt8(ascii: "[")]
        let end = line.dropFirst().firstIndex { $0 == 0x0A || brackets.contains($0) } ?? limit
        let words = String(decoding: bytes[start..<end], as: UTF8.self)
        if !isComment, words.unicodeScalars.contains(where: \.isOfWord) { rest += Array("\n\n\(words)\n\n".utf8) }
        return end
    }

    /// Extracts a playlist outside a code block.
    private mutating func takePlaylist() -> Bool {
        guard bytes[position] == UInt8(ascii: "#") || bytes[position] == UInt8(ascii: "["),
            let list = PlaylistInText(bytes, from: position, to: bytes.count)
        else { return false }
        for entry in list.entries { take(NamedMedia(entry)) }
        // The text after it is a separate paragraph.
        rest.append(0x0A)
        position = list.end
        return true
    }

    /// Extracts a YAML list outside a code block.
    private mutating func takeYAML() -> Bool {
        guard position >= yamlEnd, let list = YAMLInText(bytes, from: position, to: bytes.count) else { return false }
        // Whatever the list contains, no line of it begins another.
        yamlEnd = list.end
        guard MediaObjects.isMediaAlone(list.value), take(list.value) else { return false }
        rest.append(0x0A)
        position = list.end
        return true
    }

    private func lineStart(of position: Int) -> Int {
        bytes[..<position].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    }

    /// Returns the position after the line break.
    func endOfLine(from start: Int) -> Int {
        bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
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
        take(NamedMedia(address: address, title: listedTitle() ?? sound.title, kind: kind))
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
