/// The state of one item of the conversation, for its line of the transcript.
struct TranscriptItem: Sendable {
    /// A stretch of text; an item may have several, by content index.
    struct Part: Sendable {
        var text = ""
        var isFinal = false
        /// Where playback was cut.
        var cut: Cut?
    }

    struct Cut: Equatable, Sendable {
        /// Milliseconds of audio.
        var heard: Int
        var received: Int
        /// Characters of text received with it; nil if the text arrived later, as a whole.
        var known: Int?
    }

    enum Silence: Equatable, Sendable {
        case afterAllSound
        case beforeAllSound
    }

    enum Playback: Equatable, Sendable {
        /// Not known to be over.
        case open
        /// Played to its end.
        case heard
        case cut
        /// Its response ended without a sound.
        case silent
    }

    let id: String
    /// The item it follows, if stated.
    var previous: String?
    /// nil for items that are not spoken: a call, its output, a system message.
    var speaker: TranscriptLine.Speaker?
    var responseID: String?
    var parts: [Int: Part] = [:]
    var playback = Playback.open
    /// All audio has arrived.
    var isSoundComplete = false
    /// Set if its response was silenced: whether all of its audio had arrived by then. `voiceStopped` will report how much
    /// was heard.
    var silenced: Silence?
    /// All text has arrived.
    var isTextComplete = false
    /// Since when the item waits for its text.
    var since: Duration
    /// Later lines no longer wait for it.
    var isPassed = false
    var isWritten = false
    var number: Int?

    /// Whether its line can be written.
    var isSettled: Bool {
        switch speaker {
        case nil: true
        case .user: isTextComplete
        case .voice: isTextComplete && playback != .open
        }
    }

    mutating func append(_ text: String, to index: Int, limit: Int) {
        var part = parts[index] ?? Part()
        guard !part.isFinal, part.text.utf8.count + text.utf8.count <= limit else { return }
        part.text += text
        parts[index] = part
    }

    /// Sets the whole text of a part; it replaces the pieces.
    mutating func complete(_ index: Int, text: String, limit: Int) {
        var part = parts[index] ?? Part()
        part.text = text.utf8.count <= limit ? text : String(text.prefix(limit / 4))
        part.isFinal = true
        parts[index] = part
    }

    mutating func cut(_ index: Int, heard: Int, received: Int) {
        playback = .cut
        var part = parts[index] ?? Part()
        part.cut = Cut(heard: heard, received: received, known: part.text.isEmpty ? nil : part.text.count)
        parts[index] = part
    }

    /// Ends playback: no further report on it will come.
    mutating func endPlayback() {
        guard playback == .open else { return }
        playback = silenced == .beforeAllSound ? .cut : .heard
    }

    /// The text that was said or heard, and the ms heard if it was cut.
    var spoken: (text: String, heard: Int?) {
        guard playback != .silent else { return ("", nil) }
        guard playback == .cut else { return (joined(parts.keys.sorted().compactMap { parts[$0]?.text }), nil) }
        var texts: [String] = []
        for index in parts.keys.sorted() {
            guard let part = parts[index] else { continue }
            guard let cut = part.cut else {
                texts.append(part.text)
                continue
            }
            let known = min(cut.known ?? part.text.count, part.text.count)
            texts.append(SpokenShare.words(of: part.text, known: known, heard: cut.heard, received: cut.received))
            return (joined(texts), cut.heard)
        }
        // Silenced before any of it was played.
        return ("", 0)
    }

    private func joined(_ texts: [String]) -> String {
        texts.map(\.trimmed).filter { !$0.isEmpty }.joined(separator: " ")
    }
}
