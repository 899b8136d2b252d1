internal import VoiceBase

/// The title that a station reports, without the additions of its software. Stations send "Artist - Title", but also whole
/// records:
///
///     Artist - text="Title" song_spot="M" MediaBaseId="0"      StreamTitle='Artist - Title';StreamUrl='http://...'
///     Artist - Title - adw_ad='true' durationMilliseconds=...  artist=Artist&title=Title&album=...
///     {"artist":"Artist","title":"Title"}                      Title~Artist~~2005~http://...
package enum StationTitle {
    private static let titles = ["streamtitle", "title", "text", "song", "songtitle", "track", "tracktitle", "name"]
    private static let artists = ["artist", "artistname", "performer", "interpret"]
    /// Texts that stations send instead of a title during advertisements.
    private static let advertisements: Set<String> = [
        "ad", "ads", "ad break", "adbreak", "advert", "adverts", "advertisement", "advertisements", "advertising",
        "commercial", "commercials", "commercial break", "spot block", "spot block end", "targetspot", "publicidad",
        "publicidade", "publicit\u{E9}", "pubblicit\u{E0}", "reklam", "reklama", "reclame", "werbung", "werbeblock",
    ]

    /// Returns an empty text during an advertisement, or if the station says nothing.
    package static func reduced(_ raw: some StringProtocol) -> String {
        let title = ForeignText.title(MarkupReader.text(of: title(in: raw.prefix(2000), depth: 0)))
        let words = trimmed(title[...])
        return advertisements.contains(words.lowercased()) ? "" : words
    }

    private static func title(in raw: some StringProtocol, depth: Int) -> String {
        let text = String(raw)
        if text.hasPrefix("{"),
            case .object(let members)? = OutsideJSON.decode(JSONValue.self, from: Array(text.utf8), atMost: 8192)
        {
            return title(
                of: members.compactMapValues { if case .string(let text) = $0 { text } else { nil } },
                after: ""
            )
        }
        let (lead, fields) = fields(in: text)
        guard fields.isEmpty else {
            let title = title(of: fields, after: lead)
            return depth < 2 ? Self.title(in: title, depth: depth + 1) : title
        }
        let parts = text.split(separator: "~", omittingEmptySubsequences: false)
        guard parts.count > 2 else { return text }
        return parts.map(trimmed).filter { !$0.isEmpty }.prefix(2).joined(separator: " - ")
    }

    private static func title(of written: [String: String], after lead: String) -> String {
        let fields = Dictionary(written.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
        if isAdvertisement(fields) { return "" }
        let name = titles.first { fields[$0] != nil } ?? ""
        let title = trimmed(fields[name, default: ""][...])
        let artist = artists.lazy.compactMap { fields[$0] }.first ?? (name == "streamtitle" ? "" : lead)
        return [trimmed(artist[...]), title].filter { !$0.isEmpty }.joined(separator: " - ")
    }

    /// Marks of AdsWizz, Triton and iHeart: the latter's "M" is music, "F" a feature, "T" a spot.
    private static func isAdvertisement(_ fields: [String: String]) -> Bool {
        isMark("adw_ad", fields["adw_ad"] ?? "") || fields["song_spot"]?.uppercased() == "T"
            || ["insertiontype", "adid", "ad_id", "adcontext"].contains { fields[$0]?.isEmpty == false }
    }

    /// Whether a field of a record marks an advertisement.
    static func isMark(_ name: some StringProtocol, _ value: some StringProtocol) -> Bool {
        name.lowercased() == "adw_ad" && ["true", "1"].contains(trimmed(Substring(value)).lowercased())
    }

    // MARK: Records

    /// Returns the text before the first field, and the fields. A title that contains "=" is not a record.
    private static func fields(in text: String) -> (lead: String, fields: [String: String]) {
        var fields: [String: String] = [:]
        var lead: String?
        var rest = text[...]
        while let equals = rest.firstIndex(of: "="), fields.count < 40 {
            let before = rest[..<equals]
            let name = before.suffix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            let after = rest[rest.index(after: equals)...]
            let isFirst = name.startIndex == text.startIndex || lead != nil
            guard name.first?.isLetter == true, let (value, next) = value(after, of: name, isFirst: isFirst) else {
                break
            }
            lead = lead ?? trimmed(before[..<name.startIndex])
            if fields[String(name)] == nil { fields[String(name)] = value }
            rest = next
        }
        return (lead ?? "", fields)
    }

    /// - Parameter isFirst: whether the record begins with this field or an earlier one.
    private static func value(_ text: Substring, of name: Substring, isFirst: Bool) -> (String, Substring)? {
        if let quote = text.first, quote == "'" || quote == "\"" {
            let inside = text.dropFirst()
            // A quotation mark may also be an apostrophe.
            var end = inside.startIndex
            while let mark = inside[end...].firstIndex(of: quote) {
                let next = inside[inside.index(after: mark)...]
                if next.isEmpty || " ;,&|~-".contains(next.first ?? " ") { return (String(inside[..<mark]), next) }
                end = next.startIndex
            }
            return (String(inside), inside[inside.endIndex...])
        }
        let isWords = (titles + artists).contains(name.lowercased())
        let isOfSoftware = name.contains("_") || name.dropFirst().contains(where: \.isUppercase)
        guard isFirst && (isWords || text.contains("&")) || isOfSoftware else { return nil }
        let value = text.prefix { !";&|~".contains($0) && (isWords || $0 != " ") }
        let decoded =
            text.contains("&") ? PercentEncoding.decoded(String(value.map { $0 == "+" ? " " : $0 })) : String(value)
        return (decoded, text[value.endIndex...])
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank = { (character: Character) in character.isWhitespace || "-;,|~".contains(character) }
        return String(text.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}

extension Substring {
    fileprivate func suffix(while isKept: (Character) -> Bool) -> Substring {
        var start = endIndex
        while start > startIndex, isKept(self[index(before: start)]) { start = index(before: start) }
        return self[start...]
    }
}
