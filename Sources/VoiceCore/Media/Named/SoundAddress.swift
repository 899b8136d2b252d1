/// What the text of an address tells of what is behind it.
///
/// A reply is full of links to pages; only what by its path or host is sound, a playlist or a feed is offered to be played.
/// An agent that names something else says so by its form: an object with a title or a type.
struct SoundAddress {
    let url: ServerURL
    /// What it seems to be; nil where nothing speaks for sound.
    let kind: MediaKind?
    /// From the name of the file, or of the host.
    let title: String

    private static let files: Set<Substring> = [
        "mp3", "ogg", "oga", "opus", "flac", "m4a", "m4b", "mp4", "aac", "wav", "wave", "aif", "aiff", "wma", "mka",
        "weba", "webm", "ape", "m3u", "m3u8", "pls",
    ]
    private static let codecs: Set<Substring> = ["mp3", "aac", "aacp", "ogg", "opus", "flac"]
    private static let feeds: Set<Substring> = ["rss", "xml", "atom"]
    private static let feedWords: Set<Substring> = ["feed", "feeds", "rss"]
    private static let streamWords: Set<Substring> = [
        "stream", "streams", "streaming", "listen", "icecast", "shoutcast",
    ]
    private static let streamHosts: Set<Substring> = [
        "stream", "streams", "streaming", "listen", "ice", "icecast", "radio",
    ]

    /// Nil for anything but http and https.
    init?(_ text: String) {
        guard let url = ServerURL(MediaPolicy.withoutFragment(text)), url.scheme == "http" || url.scheme == "https"
        else { return nil }
        self.url = url
        let parts = url.path.split(separator: "/")
        let name = parts.last ?? ""
        let dot = name.lastIndex(of: ".")
        let ending = dot.map { name[name.index(after: $0)...] } ?? ""
        kind = Self.kind(of: url, parts: parts.map { Self.lower($0) }, ending: Self.lower(ending))
        let named = ForeignText.title(Self.words(dot.map { name[..<$0] } ?? name))
        title = named.isEmpty ? ForeignText.title(url.host) : named
    }

    /// An address of the web as people write it, "https://e.org/Größe 2.mp3", with its blanks and letters as RFC 3986 wants
    /// them (section 2.1). Anything else stays as it is, and so does one whose host is not plain.
    static func encoded(_ text: String) -> String {
        let scheme = text.lowercased().hasPrefix("https://") ? 8 : text.lowercased().hasPrefix("http://") ? 7 : 0
        let bytes = Array(text.utf8)
        guard scheme > 0, let path = bytes[scheme...].firstIndex(of: UInt8(ascii: "/")) else { return text }
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if byte > 0x20, byte < 0x7F {
                result.append(byte)
            } else {
                // Line breaks and the like are no part of any name.
                guard index > path, byte == 0x20 || byte > 0x7F else { return text }
                result += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    private static func kind(of url: ServerURL, parts: [Substring], ending: Substring) -> MediaKind? {
        if files.contains(ending) { return .track }
        if feeds.contains(ending) { return .podcast }
        if url.host == "archive.org" || url.host.hasSuffix(".archive.org") {
            return parts.first == "details" || parts.first == "download" ? .track : nil
        }
        // "groovesalad-128-mp3", as Icecast servers name their streams.
        let last = parts.last ?? ""
        let lastWord = last.split { $0 == "-" || $0 == "_" }.last ?? ""
        if codecs.contains(lastWord) { return .radio }
        let label = url.host.split(separator: ".").first ?? ""
        if parts.contains(where: feedWords.contains) || feedWords.contains(label) { return .podcast }
        // Where Icecast and SHOUTcast servers listen.
        if (8000...8099).contains(url.port), url.port != 8080 { return .radio }
        let isStream = parts.contains { streamWords.contains($0.drop { $0 == ";" }) }
        return isStream || streamHosts.contains(label.prefix { !$0.isNumber }) ? .radio : nil
    }

    private static func lower(_ text: Substring) -> Substring { text.lowercased()[...] }

    /// "quiet%20evening_2" as "quiet evening 2".
    private static func words(_ name: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append("_+".utf8.contains(byte) ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
