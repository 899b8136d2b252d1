internal import VoiceBase
internal import VoiceReply

/// Reads the episodes of a podcast as the feed comes: RSS of every version, Atom, with enclosures or Media RSS.
package final class PodcastFeed {
    private static let longestText = 4096
    private static let longestID = 512
    /// Longest address against which others are resolved, in bytes.
    private static let longestBase = 2048

    /// The names of the elements that a feed begins with.
    static let roots: Set<String> = ["rss", "feed", "rdf:rdf", "channel"]

    package private(set) var list = EpisodeList()
    package private(set) var isFeed = false
    private var episode: EpisodeList.Episode?
    private var sound = EpisodeSound()
    private var otherTitle = ""
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
        guard !list.isFull else { return }
        reader?.push(decoder.decode(bytes, isLast: isLast), isLast: isLast)
        if isLast { finishEpisode() }
    }

    // MARK: Elements

    private func open(_ name: String, _ attributes: [String: String]) {
        if Self.roots.contains(name) { isFeed = true }
        if name == "item" || name == "entry" {
            finishEpisode()
            episode = EpisodeList.Episode()
        }
        let outer = path.last?.base ?? base
        let inner = attributes["xml:base"].map { MediaResolver.join($0, to: outer) } ?? outer
        path.append((name, inner.utf8.count <= Self.longestBase ? inner : outer))
        if gathered > 0, MarkupReader.beginsLine(name) { text.append(0x20) }
        if gathered == 0, isText(name, in: path.dropLast().last?.name ?? "") { (gathered, text) = (path.count, []) }
        if episode != nil, let (address, type) = Self.sound(name, attributes) {
            sound.consider(address, type: type, base: path.last?.base ?? "")
        }
    }

    private func isText(_ name: String, in parent: String) -> Bool {
        switch name {
        case "title": parent == "item" || parent == "entry" || Self.roots.contains(parent)
        case "itunes:type": episode == nil
        case "itunes:episodetype", "itunes:season", "itunes:episode", "itunes:title", "media:title", "guid", "id",
            "pubdate", "published", "updated", "issued", "modified",
            "dc:date":
            episode != nil && (parent == "item" || parent == "entry")
        default: false
        }
    }

    private func close(_ name: String) {
        if gathered == path.count { gather(name) } else if MarkupReader.beginsLine(name) { text.append(0x20) }
        path.removeLast()
        if name == "item" || name == "entry" { finishEpisode() }
    }

    private func gather(_ name: String) {
        gathered = 0
        let value = String(decoding: text, as: UTF8.self)
        switch name {
        case "title" where episode == nil: if list.title.isEmpty { list.title = Self.words(value) }
        case "title": if episode?.title.isEmpty == true { episode?.title = Self.words(value) }
        case "itunes:title", "media:title": otherTitle = Self.words(value)
        case "itunes:type": list.isSerial = Self.trimmed(value).lowercased() == "serial"
        case "itunes:episodetype": episode?.isTrailer = Self.trimmed(value).lowercased() == "trailer"
        case "itunes:season": episode?.season = Int(Self.trimmed(value))
        case "itunes:episode": episode?.number = Int(Self.trimmed(value))
        case "guid", "id": if let id = Self.identifier(value) { episode?.id = id }
        case "pubdate", "published": date(value)
        default: if episode?.date == nil { date(value) }
        }
    }

    private func date(_ text: String) {
        let text = Self.trimmed(text)
        guard !text.isEmpty else { return }
        let date = FeedDate(text) ?? episode?.date
        episode?.date = date
        episode?.hasOddDate = date == nil
    }

    private func finishEpisode() {
        if var done = episode {
            done.address = sound.address
            if done.title.isEmpty { done.title = otherTitle }
            list.append(done)
        }
        (episode, sound, otherTitle) = (nil, EpisodeSound(), "")
    }

    private static func sound(_ name: String, _ attributes: [String: String]) -> (address: String, type: String)? {
        let address: String? =
            switch name {
            case "enclosure":
                attributes["url"] ?? attributes["href"] ?? attributes["rdf:resource"] ?? attributes["resource"]
            case "link": attributes["rel"]?.lowercased() == "enclosure" ? attributes["href"] : nil
            case "media:content": attributes["url"]
            case "content": attributes["src"]
            default: nil
            }
        return address.map {
            ($0, attributes["type"] ?? attributes["enc:type"] ?? attributes["medium"].map { $0 + "/" } ?? "")
        }
    }

    // MARK: Texts

    /// Titles may be HTML, escaped once more.
    static func words(_ text: String) -> String { ForeignText.title(MarkupReader.text(of: text)) }

    /// A feed's identifier of an episode; nil if it is too long.
    static func identifier(_ text: String) -> String? { text.utf8.count <= longestID ? trimmed(text) : nil }

    static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
