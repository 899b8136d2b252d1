/// What is to be played of a JSON value: objects with an address and a title, a type or an address that looks like sound;
/// arrays of them or of addresses; such objects within others ("items", "playlist").
struct MediaObjects {
    private(set) var items: [NamedMedia] = []

    private static let addresses = [
        "url", "stream_url", "audio_url", "feed_url", "stream", "audio", "feed", "link", "href", "address", "station",
        "file",
        "path",
    ]
    private static let titles = ["title", "name", "episode", "station"]
    private static let reasons = ["reason", "why"]
    private static let types = ["type", "kind", "media_type"]
    private static let kinds: [Substring: MediaKind] = [
        "radio": .radio, "station": .radio, "stream": .radio, "live": .radio,
        "podcast": .podcast, "podcasts": .podcast, "episode": .podcast, "feed": .podcast, "rss": .podcast,
        "show": .podcast,
        "track": .track, "song": .track, "music": .track, "album": .track, "audio": .track, "file": .track,
        "mix": .track,
        "playlist": .track, "recording": .track, "concert": .track, "audiobook": .track, "sound": .track,
        "archive": .track,
    ]

    init(_ value: JSONValue) { look(into: value) }

    /// The kind that a word of a text names.
    static func kind(ofWordsIn text: String) -> MediaKind? {
        text.lowercased().split { !$0.isLetter }.lazy.compactMap { kinds[$0] }.first
    }

    private mutating func look(into value: JSONValue) {
        guard items.count < MediaInReply.mostItems else { return }
        switch value {
        case .object(let members):
            let item = Self.item(members)
            let known = items.count
            // What is named by its title alone may as well be the title of what is within it.
            if item.map({ $0.address == $0.title }) ?? true {
                // A dictionary has no order of its own.
                for key in members.keys.sorted() { members[key].map { look(into: $0) } }
            }
            if let item, items.count == known { items.append(item) }
        case .array(let values):
            for value in values {
                if let text = value.stringValue.map(SoundAddress.encoded) {
                    guard let sound = SoundAddress(text), let kind = sound.kind else { continue }
                    items.append(NamedMedia(address: text, title: sound.title, kind: kind))
                } else {
                    look(into: value)
                }
            }
        default: break
        }
        items = Array(items.prefix(MediaInReply.mostItems))
    }

    private static func item(_ members: [String: JSONValue]) -> NamedMedia? {
        let lower = members.map { ($0.key.lowercased(), $0.value) }
        let members = Dictionary(lower, uniquingKeysWith: { first, _ in first })
        func text(_ names: [String]) -> String? {
            names.lazy.compactMap { members[$0]?.stringValue }.first { !$0.allSatisfy(\.isWhitespace) }
        }
        let title: String? = text(titles)
        let named: MediaKind? = text(types).flatMap { Self.kind(ofWordsIn: $0) }
        let station: String? = named == .radio ? title : nil
        guard let address = (text(addresses) ?? station).map(SoundAddress.encoded), address.utf8.count <= 2048 else {
            return nil
        }
        let sound = SoundAddress(address)
        let isFile = MediaResolver.filePath(address) != nil
        // What has a scheme and is not the web's is nothing to play; what has none is a station's name.
        let isStation = named != nil && !address.contains(":")
        guard sound != nil || isFile || isStation else { return nil }
        guard title != nil || named != nil || sound?.kind != nil else { return nil }
        var kind = named ?? sound?.kind ?? .track
        // "Audio" and "music" may be anything; the address knows better.
        if named == .track, let known = sound?.kind { kind = known }
        return NamedMedia(address: address, title: title ?? sound?.title ?? address, kind: kind, reason: text(reasons))
    }
}
