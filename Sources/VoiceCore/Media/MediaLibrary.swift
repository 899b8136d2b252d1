import FoundationEssentials
internal import VoiceBase
internal import VoiceReply

/// What was played and how far: the history, and the places in podcasts. A value; the player writes it to a file.
///
/// One JSON object per line, the newest last, at most `most` of them.
struct MediaLibrary: Sendable, Equatable {
    struct Entry: Sendable, Equatable, Codable {
        /// Unix time, in seconds.
        var at: Int
        var title: String
        var artist: String?
        var address: String
        var kind: MediaKind
        var id: String?
        /// How much of it was heard, in seconds.
        var second: Double
        var isDone: Bool

        private enum CodingKeys: String, CodingKey {
            case at, title, artist, address, kind, id, second
            case isDone = "done"
        }

        /// Whether the entry is this item: by its address, or by its id in the same feed.
        func isSame(_ item: MediaItem) -> Bool {
            address == AddressText.withoutUser(item.address).address
                || id != nil && id == item.id && artist == item.artist
        }
    }

    static let most = 400
    private static let longestLine = 16 << 10
    /// Largest file that is read, in bytes; those written here are far smaller.
    static let longestFile = 4 << 20
    /// The last second of the year 9999.
    private static let latest = 253_402_300_799
    /// A podcast that was left earlier than this is not resumed, in seconds.
    static let shortestPlace = 20.0
    /// A year, in seconds; no recording is longer.
    static let longestPlace = 365.0 * 24 * 3600
    /// A podcast resumes this many seconds before the place where it was left.
    static let overlap = 5.0

    private(set) var entries: [Entry] = []

    init() {}

    /// Parses the file and skips unreadable lines; also returns how many of the newest `most` lines are unreadable.
    static func reading(_ bytes: [UInt8]) -> (library: MediaLibrary, unreadable: Int) {
        let lines = bytes.split(separator: UInt8(ascii: "\n")).suffix(most)
        var library = MediaLibrary()
        library.entries = lines.compactMap { line in
            OutsideJSON.decode(Entry.self, from: line, atMost: longestLine).map(checked)
        }
        return (library, lines.count - library.entries.count)
    }

    /// Bounds the values: anybody may have written the file.
    private static func checked(_ entry: Entry) -> Entry {
        var entry = entry
        entry.at = min(max(entry.at, 0), latest)
        entry.title = ForeignText.title(entry.title)
        entry.artist = entry.artist.map { ForeignText.title($0) }
        entry.second = entry.second.isFinite ? max(0, min(longestPlace, entry.second)) : 0
        return entry
    }

    var text: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return entries.flatMap { entry in ((try? encoder.encode(entry)).map(Array.init) ?? []) + [UInt8(ascii: "\n")] }
    }

    /// Adds an item. One that continues the newest entry replaces it.
    mutating func note(_ item: MediaItem, second: Double, isDone: Bool, at now: Int) {
        // An item that made no sound was not played, and does not move the place where it was left before.
        guard second > 0 || isDone else { return }
        let isSame = entries.last.map { $0.isSame(item) && !$0.isDone && now - $0.at < 24 * 3600 } ?? false
        if isSame { entries.removeLast() }
        entries.append(
            Entry(
                at: now,
                title: item.title,
                artist: item.artist,
                // Passwords stay out of the file.
                address: AddressText.withoutUser(item.address).address,
                kind: item.kind,
                id: item.id,
                second: (second * 10).rounded() / 10,
                isDone: isDone
            )
        )
        if entries.count > Self.most { entries.removeFirst(entries.count - Self.most) }
    }

    func isHeard(_ item: MediaItem) -> Bool { entries.contains { $0.isDone && $0.isSame(item) } }

    /// Where to resume a podcast, in seconds.
    func place(of item: MediaItem) -> Double {
        guard let entry = entries.last(where: { $0.isSame(item) }), !entry.isDone,
            entry.second > Self.shortestPlace
        else { return 0 }
        return entry.second - Self.overlap
    }

    /// The latest titles, the newest first, without duplicates; for the agent, so that it does not repeat itself.
    func recent(_ count: Int, since earliest: Int) -> [String] {
        var titles: [String] = []
        for entry in entries.reversed() where entry.at >= earliest && titles.count < count {
            let title = entry.artist.map { "\($0) - \(entry.title)" } ?? entry.title
            if !titles.contains(title) { titles.append(title) }
        }
        return titles
    }
}
