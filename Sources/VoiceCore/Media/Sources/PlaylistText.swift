internal import VoiceBase

/// A list of addresses: M3U, PLS, the lists of Windows Media and RealPlayer, ASX, XSPF, WPL, SMIL, OPML. HLS playlists are
/// left to the decoder.
package enum PlaylistText: Equatable {
    package struct Entry: Equatable {
        package var address: String
        package var title = ""
        /// Whether the entry is a recording: it has a length, or stands beside the list. Recordings follow each other;
        /// the streams of a station replace each other.
        package var isRecording = false
    }

    private static let longestEntry = 2048
    package static let mostEntries = 500

    /// In order, absolute, each with a scheme of http or https.
    case entries([Entry])
    case liveSegments
    /// OPML that names several feeds, by their titles.
    case feeds([String])

    /// The names of the elements that a list in XML begins with.
    static let roots: Set<String> = ["asx", "playlist", "opml", "smil", "winampxml"]

    /// - Parameters:
    ///   - isDeclared: whether the server or the path says that it is a list, so that lines may be relative addresses.
    ///   - base: the address of the list.
    /// - Returns: nil if the text is not a list.
    package init?(_ bytes: [UInt8], encoding: String? = nil, isDeclared: Bool, base: String = "") {
        let text = TextDecoder(encoding ?? TextDecoder.encoding(of: bytes)).decode(bytes, isLast: true)
        if text.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") {
            let list = MarkupList(text, base: base)
            guard list.isList else { return nil }
            self = list.entries.isEmpty && list.feeds.count > 1 ? .feeds(list.feeds.map(\.title)) : .entries(list.all)
            return
        }
        let lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).map(Self.trimmed)
            .filter { !$0.isEmpty }
        let first = lines.first?.lowercased() ?? ""
        if lines.contains(where: { $0.hasPrefix("#EXT-X-") }) {
            self = .liveSegments
        } else if first.hasPrefix("[") && first.hasSuffix("]") || Self.numbered("file", first) != nil {
            self = .entries(Self.named(lines, base: base))
        } else if first.hasPrefix("#extm3u") || isDeclared || Self.areAddresses(lines) {
            self = .entries(Self.plain(lines, base: base))
        } else {
            return nil
        }
    }

    /// "File1=address" and "Title1=words" of PLS, "Ref1=address" of Windows Media, by their numbers.
    private static func named(_ lines: [String], base: String) -> [Entry] {
        var entries: [Int: Entry] = [:]
        for line in lines where entries.count < mostEntries {
            if let (number, value) = numbered("file", line) ?? numbered("ref", line) {
                guard let address = address(value, base: base) else { continue }
                entries[number, default: Entry(address: "")].address = address
            } else if let (number, value) = numbered("title", line) {
                entries[number, default: Entry(address: "")].title = ForeignText.title(value)
            } else if let (number, value) = numbered("length", line), Int(value) ?? 0 > 0 {
                entries[number, default: Entry(address: "")].isRecording = true
            }
        }
        return entries.sorted { $0.key < $1.key }.map(\.value).filter { !$0.address.isEmpty }
    }

    /// M3U, and lists of addresses alone.
    private static func plain(_ lines: [String], base: String) -> [Entry] {
        var entries: [Entry] = []
        var entry = Entry(address: "")
        for line in lines where entries.count < mostEntries {
            if line.uppercased().hasPrefix("#EXTINF:") {
                let comma = line.firstIndex(of: ",")
                entry.title = comma.map { ForeignText.title(line[line.index(after: $0)...]) } ?? entry.title
                entry.isRecording = ("1"..."9").contains(
                    line.dropFirst("#EXTINF:".count).drop { $0 == " " }.first ?? " "
                )
            } else if !line.hasPrefix("#"), let address = address(line, base: base) {
                entry.address = address
                entry.isRecording = entry.isRecording || !line.contains(":")
                entries.append(entry)
                entry = Entry(address: "")
            }
        }
        return entries
    }

    private static func areAddresses(_ lines: [String]) -> Bool {
        let named = lines.filter { !$0.hasPrefix("#") }
        return !named.isEmpty && named.allSatisfy { $0.contains("://") && !$0.contains(where: \.isWhitespace) }
    }

    private static func numbered(_ name: String, _ line: String) -> (Int, String)? {
        guard line.prefix(name.count).lowercased() == name, let equals = line.firstIndex(of: "="),
            let number = Int(trimmed(line[..<equals].dropFirst(name.count)))
        else { return nil }
        return (number, trimmed(line[line.index(after: equals)...]))
    }

    private static func trimmed(_ line: some StringProtocol) -> String {
        let isBlank = { (character: Character) in character.isWhitespace || character == "\0" || character == "\u{FEFF}"
        }
        return String(line.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }

    /// Returns the absolute address; nil if it is not of the web.
    static func address(_ written: String, base: String) -> String? {
        let text = AddressText.ofWeb(trimmed(written))
        guard !text.isEmpty, text.utf8.count <= longestEntry, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        let joined = MediaResolver.join(text, to: base).prefix(longestEntry)
        let start = joined.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://") ? String(joined) : nil
    }
}

/// A list in XML.
private final class MarkupList {
    private(set) var isList = false
    private(set) var entries: [PlaylistText.Entry] = []
    /// The podcasts of OPML.
    private(set) var feeds: [PlaylistText.Entry] = []
    private var base: String
    private var text: [UInt8]?
    private var title = ""
    private var hasLength = false
    /// Number of entries before the element to which the title belongs.
    private var first = 0

    init(_ bytes: [UInt8], base: String) {
        self.base = base
        let reader = MarkupReader { [unowned self] event in
            switch event {
            case .open(let name, let attributes): open(name, attributes)
            case .text(let piece): if let count = text?.count, count < 4096 { text? += piece }
            case .close(let name): close(name)
            }
        }
        reader.push(bytes, isLast: true)
    }

    var all: [PlaylistText.Entry] { entries.isEmpty ? feeds : entries }

    private func open(_ name: String, _ attributes: [String: String]) {
        if PlaylistText.roots.contains(name) { isList = true }
        switch name {
        case "entry", "track": (first, title, hasLength) = (entries.count, "", false)
        case "title", "location", "duration": text = []
        case "base": base = attributes["href"].map { MediaResolver.join($0, to: base) } ?? base
        case "outline":
            let words = ForeignText.title(attributes["text"] ?? attributes["title"] ?? "")
            if let feed = attributes["xmlurl"] {
                add(feed, words, to: &feeds)
            } else if attributes["type"]?.lowercased() == "audio", let address = attributes["url"] {
                add(address, words, to: &entries)
            }
        default: break
        }
        let sound: String? =
            switch name {
            case "ref", "entryref": attributes["href"] ?? attributes["src"]
            case "media", "audio", "video", "embed": attributes["src"]
            case "entry": attributes["playstring"]
            default: nil
            }
        if let sound { add(sound, title, to: &entries) }
    }

    private func close(_ name: String) {
        switch name {
        case "title": title = ForeignText.title(MarkupReader.text(of: String(decoding: text ?? [], as: UTF8.self)))
        case "location": add(String(decoding: text ?? [], as: UTF8.self), title, to: &entries)
        case "duration": hasLength = (text ?? []).contains { (0x31...0x39).contains($0) }
        case "entry", "track":
            for index in entries.indices.dropFirst(first) {
                (entries[index].title, entries[index].isRecording) = (title, hasLength)
            }
        default: return
        }
        text = nil
    }

    private func add(_ written: String, _ title: String, to list: inout [PlaylistText.Entry]) {
        guard list.count < PlaylistText.mostEntries, let address = PlaylistText.address(written, base: base) else {
            return
        }
        list.append(PlaylistText.Entry(address: address, title: title))
    }
}
