internal import VoiceBase

/// Judges the content of an address by its text.
///
/// A reply is full of links to pages. Only an address whose path, host or port suggests sound, a playlist or a feed is
/// offered for playback. An agent that names anything else says so by form: an object with a title or a type.
package struct SoundAddress {
    let url: ServerURL
    /// The likely kind; nil if nothing suggests sound.
    let kind: MediaKind?
    /// Taken from the file name, or from the host.
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

    /// Returns nil for anything but http and https.
    init?(_ text: String) {
        let plain = AddressText.withoutUser(AddressText.withoutFragment(text)).address
        guard let url = ServerURL(plain), url.scheme == "http" || url.scheme == "https"
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

    /// Encodes a web address as people write it, "https://b\u{FC}cher.example/Gr\u{F6}\u{DF}e 2.mp3": the host is
    /// converted to ASCII, and spaces and letters after it are percent-encoded (RFC 3986 section 2.1).
    /// "www.e.org/a.mp3" gets its missing scheme, and "&amp;" becomes "&". Any other text is returned unchanged.
    package static func encoded(_ written: String) -> String {
        var text = written.utf8.contains(UInt8(ascii: "&")) ? withoutEntities(written) : written
        if isNameOfWeb(text) { text = "https://" + text }
        guard text.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) else { return text }
        let lower = text.prefix(8).lowercased()
        let scheme = lower.hasPrefix("https://") ? 8 : lower.hasPrefix("http://") ? 7 : 0
        guard scheme > 0, text.utf8.count <= 3 * AddressInText.longest else { return text }
        let rest = text.dropFirst(scheme)
        let place = rest.prefix { !"/?#".contains($0) }
        guard let authority = asciiAuthority(place) else { return text }
        let tail = rest.dropFirst(place.count)
        // Line breaks and other control characters are not part of a name.
        guard tail.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return text }
        let encoded = PercentEncoding.encoded(tail) { $0 > 0x20 && $0 < 0x7F }
        return "\(text.prefix(scheme))\(authority)\(encoded)"
    }

    private static func withoutEntities(_ text: String) -> String {
        ["&amp;", "&#38;", "&#x26;"].reduce(text) { $0.replacing($1, with: "&") }
    }

    /// Whether the text is "www." and a name that contains another dot.
    private static func isNameOfWeb(_ text: String) -> Bool {
        guard text.prefix(4).lowercased() == "www." else { return false }
        let name = text.dropFirst(4).prefix { !"/?#:".contains($0) }
        return name.first != "." && name.contains(".") && name.last != "." && !name.contains(where: \.isWhitespace)
    }

    /// Returns host and port; nil if the host cannot be converted to ASCII.
    private static func asciiAuthority(_ place: Substring) -> String? {
        guard !place.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return String(place) }
        let port = place.lastIndex(of: ":").map { place[$0...] } ?? ""
        guard port.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return InternationalHost.ascii(place.dropLast(port.count)).map { $0 + port }
    }

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
        // The usual ports of Icecast and SHOUTcast servers.
        if (8000...8099).contains(url.port), url.port != 8080 { return .radio }
        let isStream = parts.contains { streamWords.contains($0.drop { $0 == ";" }) }
        return isStream || streamHosts.contains(label.prefix { !$0.isNumber }) ? .radio : nil
    }

    private static func lower(_ text: Substring) -> Substring { text.lowercased()[...] }

    /// Converts "quiet%20evening_2" to "quiet evening 2".
    private static func words(_ name: Substring) -> String {
        PercentEncoding.decoded(String(name.map { "_+".contains($0) ? " " : $0 }))
    }
}
