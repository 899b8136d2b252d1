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
