internal import VoiceBase

/// The episodes of a podcast (RSS 2.0 with enclosures, or Atom with enclosure links): the newest first if all have
/// dates, otherwise in the order of the feed.
package struct PodcastFeed: Equatable {
    package struct Episode: Equatable {
        package var title = ""
        package var address = ""
        /// The date of publication as a number that sorts, not a time; 0 if there is none.
        package var date = 0
    }

    package static let mostEpisodes = 2000

    package private(set) var title = ""
    package private(set) var episodes: [Episode] = []

    /// Returns nil if the text is not a feed.
    package init?(_ bytes: [UInt8]) {
        var scanner = MarkupScanner(bytes)
        var isFeed = false
        var episode: Episode?
        var path: [String] = []
        var text = ""
        while let token = scanner.next(), episodes.count < Self.mostEpisodes {
            switch token {
            case .open(let name, let attributes):
                if name == "rss" || name == "feed" || name == "rdf:RDF" { isFeed = true }
                if name == "item" || name == "entry" { episode = Episode() }
                if let address = Self.enclosure(name, attributes), episode?.address.isEmpty == true {
                    episode?.address = address
                }
                path.append(name)
                if path.count > 64 { path.removeFirst() }
                text = ""
            case .text(let piece):
                if text.utf8.count < 4096 { text += String(decoding: piece.utf8.prefix(4096), as: UTF8.self) }
            case .close(let name):
                let value = ForeignText.title(text)
                switch name {
                case "title":
                    if episode != nil {
                        if episode?.title.isEmpty == true { episode?.title = value }
                    } else if title.isEmpty, path.dropLast().last != "image" {
                        title = value
                    }
                case "pubDate": episode?.date = Self.date(value) ?? 0
                case "published", "updated": if episode?.date == 0 { episode?.date = Self.atomDate(value) ?? 0 }
                case "item", "entry":
                    if let done = episode, !done.address.isEmpty { episodes.append(done) }
                    episode = nil
                default: break
                }
                if let index = path.lastIndex(of: name) { path.removeSubrange(index...) }
                text = ""
            }
        }
        guard isFeed else { return nil }
        if episodes.allSatisfy({ $0.date > 0 }) { episodes.sort { $0.date > $1.date } }
    }

    /// Returns the first episode not heard to its end; the first of all if all were heard.
    func newest(unheard isHeard: (String) -> Bool) -> Episode? {
        episodes.first { !isHeard($0.address) } ?? episodes.first
    }

    private static func enclosure(_ name: String, _ attributes: [String: String]) -> String? {
        switch name {
        case "enclosure":
            let type = attributes["type"] ?? "audio/"
            return type.hasPrefix("audio/") || type.hasPrefix("video/") || type.isEmpty ? attributes["url"] : nil
        case "link": return attributes["rel"] == "enclosure" ? attributes["href"] : nil
        default: return nil
        }
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// "Tue, 10 Jun 2025 04:00:00 GMT" (RFC 822, section 5). Time zones are ignored: episodes are hours apart.
    private static func date(_ text: String) -> Int? {
        let words = text.split { $0 == " " || $0 == "," || $0 == ":" }
        guard let index = words.firstIndex(where: { months.contains($0.prefix(3).lowercased()) }), index > 0,
            let month = months.firstIndex(of: words[index].prefix(3).lowercased()), let day = Int(words[index - 1]),
            index + 1 < words.count, let year = Int(words[index + 1])
        else { return nil }
        let time = words[(index + 2)...].prefix(3).map { Int($0) ?? 0 }
        return stamp([year < 100 ? year + 2000 : year, month + 1, day] + time)
    }

    /// "2025-06-10T04:00:00Z" (RFC 3339).
    private static func atomDate(_ text: String) -> Int? {
        let numbers = text.split { !$0.isASCII || !$0.isNumber }.prefix(6).map { Int($0) ?? 0 }
        return numbers.count >= 3 ? stamp(Array(numbers)) : nil
    }

    private static func stamp(_ parts: [Int]) -> Int {
        var result = 0
        for index in 0..<6 {
            let part = index < parts.count ? max(0, min(9999, parts[index])) : 0
            result = result * (index == 0 ? 1 : 100) + (index == 0 ? part : min(99, part))
        }
        return result
    }
}
