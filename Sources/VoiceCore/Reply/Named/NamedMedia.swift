internal import VoiceBase

/// Something to play that an agent's reply names. Its texts come from outside.
package struct NamedMedia: Sendable, Equatable {
    /// As it was written: http, https, a file, or the name of a station. Never told to a model.
    package let address: String
    /// One line of at most 120 bytes; may be empty.
    package let title: String
    package let kind: MediaKind
    /// Why the agent chose it, at most 200 bytes; nil where it did not say.
    package let reason: String?

    package init(address: String, title: String, kind: MediaKind, reason: String? = nil) {
        self.address = address
        self.title = ForeignText.title(title)
        self.kind = kind
        self.reason = reason.map { ForeignText.sentence($0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// With what an earlier mention of the same address told, where this one tells nothing but the address.
    func adding(_ known: NamedMedia) -> NamedMedia {
        let plain = SoundAddress(address)
        let isNamed = !title.isEmpty && title != plain?.title && title != ForeignText.title(address)
        let hasKind = kind != (plain?.kind ?? .track)
        return NamedMedia(
            address: address,
            title: isNamed ? title : known.title,
            kind: hasKind ? kind : known.kind,
            reason: reason ?? known.reason
        )
    }
}

/// What kind of media an item is: how it ends and whether its place is remembered.
package enum MediaKind: String, Sendable, Codable, CaseIterable {
    /// A live stream: has no end, is connected again when it breaks.
    case radio
    /// Resumed where it was left.
    case podcast
    /// Music, or any other recording.
    case track
}

/// Takes what can be played out of an agent's reply, before the reply is made for the ear.
///
///     reply --> items (title, kind, reason, address), at most 20
///           '-> rest: the words, without objects and addresses
///
/// These forms are read: a JSON object, a JSON array, either of them bare, in a code block or within other objects
/// ("items", "playlist"), also as models write them (`EmbeddedJSON`); a link of Markdown, one by reference, one of HTML; a
/// bare address; playlists and feeds, by their path or by a "type", and the lines of a playlist. What an object has to say
/// beside ("say", "message") is kept. Links and addresses that do not look like sound are left alone (`SoundAddress`).
/// Bounded: 64 KiB of the reply, eight levels for each JSON value, and so much work for all of them together.
package struct MediaInReply: Sendable, Equatable {
    package static let mostItems = 20

    package private(set) var items: [NamedMedia] = []
    /// How many others it names.
    package private(set) var leftOut = 0
    /// What is left to be said; may be empty.
    package private(set) var rest = ""

    package init(_ reply: String) {
        let text = ThoughtFilter.removeThoughts(from: SpeechShaper.bounded(reply).text)
        var reader = ReplyReader(Array(text.utf8))
        reader.read()
        items = reader.items
        leftOut = reader.leftOut.count
        // Nothing taken: every byte of it is as it was.
        rest = items.isEmpty ? reply : String(decoding: reader.rest, as: UTF8.self)
    }
}
