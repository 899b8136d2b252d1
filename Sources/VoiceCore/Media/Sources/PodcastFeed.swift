internal import VoiceBase
internal import VoiceReply

/// Reads the episodes of a podcast as the feed comes: RSS of every version, Atom, with enclosures or Media RSS.
package final class PodcastFeed {
    package struct Episode: Equatable {
        package var title = ""
        package var address = ""
        /// What the feed calls it, which stays when the address changes; empty if there is none.
        package var id = ""
        /// The date of publication as a number that sorts, not a time; 0 if there is none.
        package var date = 0
        /// How surely the address is the sound of the episode.
        fileprivate var rank = 0
        fileprivate var otherTitle = ""
    }

    package static let mostEpisodes = 2000
    private static let longestText = 4096
    private static let longestID = 512
    /// This many episodes, the newest first, show the order of a feed.
    private static let telling = 3

    /// The names of the elements that a feed begins with.
    static let roots: Set<String> = ["rss", "feed", "rdf:rdf", "channel"]

    package private(set) var title = ""
    package private(set) var isFeed = false
    /// In the order of the feed.
    private var read: [Episode] = []
    private var episode: Episode?
    private var path: [(name: String, base: String)] = []
    private var text: [UInt8] = []
    /// Depth of the element whose text is gathered; 0 for none.
    private var gathered = 0
    private let base: String
    private let decoder: TextDecoder
    private var reader: MarkupReader?

    /// - Parameters:
    ///   - encoding: nil for UTF-8.
    ///   - base: the address of the feed.
    package init(encoding: String? = nil, base: String = "") {
        self.base = base
        decoder = TextDecoder(encoding)
        reader = MarkupReader { [unowned self] event in
            switch event {
            case .open(let name, let attributes): open(name, attributes)
            case .text(let piece):
                if gathered > 0, text.count < Self.longestText { text += piece.prefix(Self.longestText) }
            case .close(let name): close(name)
            }
        }
    }

    /// Returns nil if the text is not a feed.
    package convenience init?(_ bytes: [UInt8], transport: String? = nil, base: String = "") {
        self.init(encoding: TextDecoder.encoding(of: bytes, transport: transport), base: base)
        push(bytes, isLast: true)
        guard isFeed else { return nil }
    }

    package func push(_ bytes: [UInt8], isLast: Bool = false) {
        guard read.count < Self.mostEpisodes else { return }
        reader?.push(decoder.decode(bytes, isLast: isLast), isLast: isLast)
        if isLast { finishEpisode() }
    }

    /// The newest first. Those without a date come last, in the order of the feed.
    package var episodes: [Episode] {
        read.enumerated().sorted { ($1.element.date, $0.offset) < ($0.element.date, $1.offset) }.map(\.element)
    }

    /// Returns the newest episode not heard to its end; the newest of all if all were heard.
    func newest(unheard isHeard: (Episode) -> Bool) -> Episode? {
        let episodes = episodes
        return episodes.first { !isHeard($0) } ?? episodes.first
    }

    /// Whether the rest of the feed is older than what was read, as far as its order shows, so that the newest unheard
    /// episode is known.
    func isSettled(unheard isHeard: (Episode) -> Bool) -> Bool {
        let last = read.suffix(Self.telling).map(\.date)
        return last.count == Self.telling && last.last != 0 && last == last.sorted(by: >) && last.first != last.last
            && read.contains { !isHeard($0) }
    }

    // MARK: Elements

    private func open(_ name: String, _ attributes: [String: String]) {
        if Self.roots.contains(name) { isFeed = true }
        if name == "item" || name == "entry" {
            finishEpisode()
            episode = Episode()
        }
        let outer = path.last?.base ?? base
        path.append((name, attributes["xml:base"].map { MediaResolver.join($0, to: outer) } ?? outer))
        if gathered == 0, isText(name, in: path.dropLast().last?.name ?? "") { (gathered, text) = (path.count, []) }
        if episode != nil, let sound = Self.sound(name, attributes) { consider(sound) }
    }

    private func isText(_ name: String, in parent: String) -> Bool {
        switch name {
        case "title": parent == "item" || parent == "entry" || Self.roots.contains(parent)
        case "itunes:title", "media:title", "guid", "id", "pubdate", "published", "updated", "issued", "modified",
            "dc:date":
            episode != nil && (parent == "item" || parent == "entry")
        default: false
        }
    }

    private func close(_ name: String) {
        if gathered == path.count { gather(name) }
        path.removeLast()
        if name == "item" || name == "entry" { finishEpisode() }
    }

    private func gather(_ name: String) {
        gathered = 0
        let value = String(decoding: text, as: UTF8.self)
        switch name {
        case "title" where episode == nil: if title.isEmpty { title = Self.words(value) }
        case "title": if episode?.title.isEmpty == true { episode?.title = Self.words(value) }
        case "itunes:title", "media:title": episode?.otherTitle = Self.words(value)
        case "guid", "id": if value.utf8.count <= Self.longestID { episode?.id = Self.trimmed(value) }
        case "pubdate", "published": episode?.date = Self.date(value) ?? 0
        default: if episode?.date == 0 { episode?.date = Self.date(value) ?? 0 }
        }
    }

    private func finishEpisode() {
        if var done = episode, !done.address.isEmpty, read.count < Self.mostEpisodes {
            if done.title.isEmpty { done.title = done.otherTitle }
            read.append(done)
        }
        episode = nil
    }

    // MARK: Sound

    private struct Sound {
        var address: String
        var type: String
    }

    private static func sound(_ name: String, _ attributes: [String: String]) -> Sound? {
        let address: String? =
            switch name {
            case "enclosure":
                attributes["url"] ?? attributes["href"] ?? attributes["rdf:resource"] ?? attributes["resource"]
            case "link": attributes["rel"]?.lowercased() == "enclosure" ? attributes["href"] : nil
            case "media:content": attributes["url"]
            case "content": attributes["src"]
            default: nil
            }
        guard let address, !trimmed(address).isEmpty else { return nil }
        let type = attributes["type"] ?? attributes["enc:type"] ?? attributes["medium"].map { $0 + "/" } ?? ""
        return Sound(address: trimmed(address), type: trimmed(type).lowercased())
    }

    /// Keeps the first of the addresses that are most likely sound: pictures, texts and the like are none.
    private func consider(_ sound: Sound) {
        let rank = Self.rank(sound)
        guard rank > episode?.rank ?? 0,
            let address = PlaylistText.address(
                sound.address.filter { !$0.isNewline && $0 != "\t" },
                base: path.last?.base ?? ""
            )
        else { return }
        episode?.address = address
        episode?.rank = rank
    }

    private static func rank(_ sound: Sound) -> Int {
        let kind = sound.type.prefix { $0 != "/" }
        if kind == "audio" || kind == "x-audio" || sound.type == "application/ogg" { return 4 }
        if ["image", "text", "document"].contains(kind) { return 0 }
        // Types are often wrong or missing where the name is right.
        if isNamedLikeSound(sound.address) { return 3 }
        if kind == "video" { return 2 }
        let isPlausible = ["octet-stream", "mpeg", "mp3", "ogg", "aac"].contains(where: sound.type.contains)
        return sound.type.isEmpty || isPlausible ? 1 : 0
    }

    private static func isNamedLikeSound(_ address: String) -> Bool {
        let name = address.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last ?? ""
        let ending = name.split(separator: ".").dropFirst().last?.lowercased() ?? ""
        return ["mp3", "m4a", "m4b", "aac", "ogg", "oga", "opus", "flac", "wav", "wma", "mp4"].contains(ending)
    }

    // MARK: Texts

    /// Titles may be HTML, escaped once more.
    private static func words(_ text: String) -> String { ForeignText.title(MarkupReader.text(of: text)) }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// "Tue, 10 Jun 2025 04:00:00 GMT" (RFC 822 section 5) or "2025-06-10T04:00:00Z" (RFC 3339). Time zones are ignored:
    /// episodes are hours apart.
    private static func date(_ text: String) -> Int? {
        let words = text.split { !$0.isASCII || !$0.isLetter && !$0.isNumber }
        guard let index = words.firstIndex(where: { months.contains($0.prefix(3).lowercased()) }) else {
            let numbers = text.split { !$0.isASCII || !$0.isNumber }.prefix(6).map { Int($0) ?? 0 }
            guard let year = numbers.first else { return nil }
            // "20250610"
            if numbers.count < 3 { return year > 19_000_000 && year < 99_999_999 ? year * 1_000_000 : nil }
            return year > 1900 ? stamp(Array(numbers)) : nil
        }
        guard index > 0, index + 1 < words.count, let day = Int(words[index - 1].prefix(2)),
            let year = Int(words[index + 1]),
            let month = months.firstIndex(of: words[index].prefix(3).lowercased())
        else { return nil }
        let time = words[(index + 2)...].prefix(3).map { Int($0) ?? 0 }
        return stamp([year < 100 ? year + 2000 : year, month + 1, day] + time)
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
