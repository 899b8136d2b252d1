/// The address of an episode's sound, among all that the feed names for it. A value.
struct EpisodeSound: Sendable, Equatable {
    private(set) var address = ""
    /// How surely the address is the sound of the episode.
    private var rank = 0

    /// Keeps the first of the addresses that are most likely sound, unlike pictures, texts and the like.
    mutating func consider(_ written: String, type: String, base: String) {
        let written = written.filter { !$0.isNewline && $0 != "\t" }
        let rank = Self.rank(written, PodcastFeed.trimmed(type).lowercased())
        guard rank > self.rank, let address = PlaylistText.address(written, base: base) else { return }
        (self.address, self.rank) = (address, rank)
    }

    private static func rank(_ address: String, _ type: String) -> Int {
        let kind = type.prefix { $0 != "/" }
        if kind == "audio" || kind == "x-audio" || type == "application/ogg" { return 4 }
        if ["image", "text", "document"].contains(kind) { return 0 }
        // Types are often wrong or missing where the name is right.
        if isNamedLikeSound(address) { return 3 }
        if kind == "video" { return 2 }
        let isPlausible = ["octet-stream", "mpeg", "mp3", "ogg", "aac"].contains(where: type.contains)
        return type.isEmpty || isPlausible ? 1 : 0
    }

    private static func isNamedLikeSound(_ address: String) -> Bool {
        let name = address.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last ?? ""
        let ending = name.split(separator: ".").dropFirst().last?.lowercased() ?? ""
        return ["mp3", "m4a", "m4b", "aac", "ogg", "oga", "opus", "flac", "wav", "wma", "mp4"].contains(ending)
    }
}
