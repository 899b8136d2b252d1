internal import VoiceBase

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
