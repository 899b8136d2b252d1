internal import VoiceBase

/// Finds what is to be played in a JSON value: objects that have an address and also a title, a type or an address that
/// looks like sound; arrays of such objects or of addresses; such objects inside others ("items", "playlist",
/// "episode").
///
/// An address with a title is not enough: calendars and lists of pages have those too. Such an object counts if it
/// names a type, has a member that only media has, or is found together with others that are certainly media.
struct MediaObjects {
    private(set) var items: [NamedMedia] = []
    /// Text to be spoken that the objects contain, in order.
    private(set) var words: [String] = []

    /// Far more than are kept, so that the number left out is known.
    private static let most = 500
    private static let addresses = [
        "url", "stream_url", "audio_url", "feed_url", "stream", "audio", "feed", "link", "href", "address", "station",
        "file",
        "path",
    ]
    private static let titles = ["title", "name", "episode", "station"]
    private static let reasons = ["reason", "why"]
    private static let types = ["type", "kind", "media_type"]
    /// Members that hold text to be spoken.
    private static let speech = [
        "intro", "say", "spoken", "speech", "answer", "response", "reply", "message", "text", "comment", "summary",
        "description", "note",
    ]
    /// Members whose contents are to be played, in preference to the object that has them.
    private static let parts: Set<String> = [
        "episode", "episodes", "latest", "latest_episode", "newest_episode", "enclosure", "enclosures", "track",
        "tracks",
        "song", "songs", "item", "items", "entries", "playlist", "queue", "audio", "stream", "streams", "stations",
        "media", "recordings", "files",
    ]
    /// Of these, the members that lists of anything have too.
    private static let vague: Set<String> = ["item", "items", "entries", "files"]
    /// Members that only media has...
    private static let ofMedia: Set<String> = [
        "stream_url", "audio_url", "feed_url", "stream", "audio", "feed", "station", "artist", "album", "podcast",
        "show", "episode", "reason", "why",
    ]
    /// ...and members of objects that are not to be played.
    private static let ofCalendars: Set<String> = [
        "start", "end", "date", "time", "when", "due", "location", "where", "attendees", "participants", "organizer",
        "start_time", "end_time", "starttime", "endtime", "all_day", "calendar", "meeting", "snippet", "status",
    ]
    private static let kinds: [Substring: MediaKind] = [
        "radio": .radio, "station": .radio, "stream": .radio, "live": .radio,
        "podcast": .podcast, "podcasts": .podcast, "episode": .podcast, "feed": .podcast, "rss": .podcast,
        "show": .podcast,
        "track": .track, "song": .track, "music": .track, "album": .track, "audio": .track, "file": .track,
        "mix": .track,
        "playlist": .track, "recording": .track, "concert": .track, "audiobook": .track, "sound": .track,
        "archive": .track,
    ]

    /// A find, and whether it is certain that it is to be played.
    private struct Candidate {
        var item: NamedMedia
        var isSure: Bool
    }

    private var candidates: [Candidate] = []

    init(_ value: JSONValue) {
        look(into: value)
        if candidates.contains(where: \.isSure) { items = candidates.map(\.item) }
        candidates = []
    }

    /// Words that also occur in links to pages: a weather station, a live blog, a file.
    private static let ofPages: Set<Substring> = [
        "station", "live", "show", "file", "feed", "track", "sound", "archive", "stream",
    ]

    /// Returns the kind that the text of a link names.
    static func kind(ofLinkText text: String) -> MediaKind? {
        text.lowercased().split { !$0.isLetter }.lazy.filter { !ofPages.contains($0) }.compactMap { kinds[$0] }.first
    }

    /// Returns the kind that a word of the text names.
    private static func kind(ofWordsIn text: String) -> MediaKind? {
        text.lowercased().split { !$0.isLetter }.lazy.compactMap { kinds[$0] }.first
    }

    /// - Parameters:
    ///   - title: the title of the enclosing object, for an object that has none.
    ///   - isPart: whether the value is part of something to be played.
    private mutating func look(into value: JSONValue, title: String? = nil, isPart: Bool = false) {
        guard candidates.count < Self.most else { return }
        switch value {
        case .object(let given): look(into: Members(given), title: title, isPart: isPart)
        case .array(let values):
            for value in values {
                if let text = value.stringValue {
                    let address = SoundAddress.encoded(text)
                    guard let sound = SoundAddress(address), let kind = sound.kind else { continue }
                    let item = NamedMedia(address: address, title: sound.title, kind: kind)
                    candidates.append(Candidate(item: item, isSure: true))
                } else {
                    look(into: value, isPart: isPart)
                }
            }
        default: break
        }
    }

    private mutating func look(into members: Members, title: String?, isPart: Bool) {
        for name in Self.speech {
            guard let text = members.text(name), text.contains(where: \.isLetter), SoundAddress(text) == nil,
                !words.contains(text)
            else { continue }
            words.append(text)
        }
        let own = Self.candidate(members, title: title, isPart: isPart)
        let known = candidates.count
        // If only a name was found, it may as well be the title of what is inside.
        let isName = own.map { $0.item.address == $0.item.title } ?? true
        let outer = members.text(Self.titles)
        for name in members.names where isName || Self.parts.contains(name) {
            guard let value = members[name] else { continue }
            var inherited: String?
            if case .object = value { inherited = outer }
            look(into: value, title: inherited, isPart: isPart || Self.parts.subtracting(Self.vague).contains(name))
        }
        if let own, candidates.count == known { candidates.append(own) }
    }

    private static func candidate(_ members: Members, title: String?, isPart: Bool) -> Candidate? {
        let ownTitle = members.text(titles)
        let type = members.text(types)
        let named: MediaKind? = type.flatMap { Self.kind(ofWordsIn: $0) }
        let station: String? = named == .radio ? ownTitle : nil
        let written: String? = Self.writtenAddress(members) ?? station
        guard let address = written.map(SoundAddress.encoded), address.utf8.count <= AddressInText.longest else {
            return nil
        }
        let sound = SoundAddress(address)
        let isFile = AddressText.filePath(address) != nil
        // An address with a scheme other than http(s) cannot be played; a name without a scheme may be a station's.
        let isStation = named != nil && !address.contains(":")
        guard sound != nil || isFile || isStation else { return nil }
        guard ownTitle != nil || named != nil || sound?.kind != nil || isPart else { return nil }
        let isKnown = named != nil || sound?.kind != nil || isFile
        let isOther = type != nil || members.names.contains(where: ofCalendars.contains)
        if isOther, !isKnown { return nil }
        var kind = named ?? sound?.kind ?? .track
        // "Audio" and "music" may be anything; the address is more precise.
        if named == .track, let known = sound?.kind { kind = known }
        let item = NamedMedia(
            address: address, title: ownTitle ?? title ?? sound?.title ?? address, kind: kind,
            reason: members.text(reasons)
        )
        return Candidate(item: item, isSure: isKnown || isPart || members.names.contains(where: ofMedia.contains))
    }

    /// Prefers sound to a page or a feed: objects often have the page of an episode in addition to its file.
    private static func writtenAddress(_ members: Members) -> String? {
        let given = addresses.compactMap { members.text($0) }
        func kind(_ text: String) -> MediaKind? { SoundAddress(SoundAddress.encoded(text))?.kind }
        return given.first { kind($0).map { $0 != .podcast } ?? false } ?? given.first
    }

    /// The members of an object, by lower-case name.
    private struct Members {
        private let values: [String: JSONValue]
        /// Sorted, since a dictionary has no order.
        let names: [String]

        init(_ given: [String: JSONValue]) {
            let lower = given.sorted { $0.key < $1.key }.map { ($0.key.lowercased(), $0.value) }
            values = Dictionary(lower, uniquingKeysWith: { first, _ in first })
            names = values.keys.sorted()
        }

        subscript(name: String) -> JSONValue? { values[name] }

        /// Returns a member without surrounding white space; nil if it is not a string or is blank.
        func text(_ name: String) -> String? {
            guard let text = values[name]?.stringValue else { return nil }
            let start = text.drop(while: \.isWhitespace)
            guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return nil }
            return String(start[...end])
        }

        func text(_ names: [String]) -> String? { names.lazy.compactMap { text($0) }.first }
    }
}
