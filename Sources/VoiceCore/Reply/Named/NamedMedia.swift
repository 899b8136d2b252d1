internal import VoiceBase

/// Something to play that an agent's reply names. Title and reason are outside text.
package struct NamedMedia: Sendable, Equatable {
    /// As written: http, https, a file, or the name of a station. Never shown to a model.
    package let address: String
    /// One line of at most 120 bytes; may be empty.
    package let title: String
    package let kind: MediaKind
    /// Why the agent chose it, at most 200 bytes; nil if it gave no reason.
    package let reason: String?

    package init(address: String, title: String, kind: MediaKind, reason: String? = nil) {
        self.address = address
        self.title = ForeignText.title(title)
        self.kind = kind
        self.reason = reason.map { ForeignText.sentence($0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the item, completed from an earlier mention of the same address where this one gives no title, kind or
    /// reason.
    func adding(_ known: NamedMedia) -> NamedMedia {
        let plain = SoundAddress(address)
        let isNamed = !title.isEmpty && title != plain?.title && title != ForeignText.title(address)
        let hasKind = kind != (plain?.kind ?? .track)
        return NamedMedia(
            address: address, title: isNamed ? title : known.title, kind: hasKind ? kind : known.kind,
            reason: reason ?? known.reason
        )
    }
}

/// Extracts media from an agent's reply, before the reply is shaped for speech.
///
///     reply --> items (title, kind, reason, address), at most 20
///           '-> rest: the words, without objects and addresses
///
/// These forms are recognised: JSON objects and arrays, bare, in a code block or inside other objects ("items",
/// "playlist"); links of Markdown; bare addresses. Text to be spoken in an object ("say", "message") is kept.
///
/// A link or a bare address counts if it looks like sound (`SoundAddress`); any other stays in the text, unless the
/// text of the link names a kind of media or the reply consists only of addresses. Bounded: 64 KiB of the reply, eight
/// levels for each JSON value, and a limit on the work for all of them.
package struct MediaInReply: Sendable, Equatable {
    package static let mostItems = 20

    package private(set) var items: [NamedMedia] = []
    /// How many more the reply names.
    package private(set) var leftOut = 0
    /// Whether the reply is nothing but addresses that do not look like sound.
    package private(set) var isLinks = false
    /// The words that remain to be spoken; may be empty.
    package private(set) var rest = ""

    package init(_ reply: String) {
        let text = WrittenReply(SpeechShaper.bounded(reply).text).text
        var reader = ReplyReader(Array(text.utf8))
        reader.read()
        items = reader.items
        isLinks =
            reader.isAddressesAlone && !items.isEmpty && items.allSatisfy { SoundAddress($0.address)?.kind == nil }
        leftOut = reader.leftOut.count
        // If nothing was extracted, the reply is unchanged to the byte.
        rest = items.isEmpty ? reply : String(decoding: reader.rest, as: UTF8.self)
    }
}
