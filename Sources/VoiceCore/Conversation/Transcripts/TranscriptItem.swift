/// What is known of one item of the conversation for its line of the transcript.
struct TranscriptItem: Sendable {
    /// A stretch of text; an item may have several, by content index.
    struct Part: Sendable {
        var text = ""
        var isFinal = false
        /// Where playback was cut.
        var cut: Cut?
    }

    struct Cut: Equatable, Sendable {
        /// Milliseconds of sound.
        var heard: Int
        var received: Int
        /// Characters of text that had come in with it; nil where the text came whole, later.
        var known: Int?
    }

    enum Silence: Equatable, Sendable {
        case afterAllSound
        case beforeAllSound
    }

    enum Playback: Equatable, Sendable {
        /// Not over yet, as far as is known.
        case open
        /// Played to its end.
        case heard
        case cut
    }

    let id: String
    /// The item it follows, where that was told.
    var previous: String?
    /// Nil for what nobody says: a call, its output, a remark of the system.
    var speaker: TranscriptLine.Speaker?
    var responseID: String?
    var parts: [Int: Part] = [:]
    var playback = Playback.open
    /// No more sound comes.
    var isSoundComplete = false
    /// Its response was silenced, and whether all of its sound had come by then; `voiceStopped` will say what was heard.
    var silenced: Silence?
    /// No more text comes.
    var isTextComplete = false
    /// Since when its text is awaited.
    var since: Duration
    /// The reading has gone beyond it.
    var isPassed = false
    var isWritten = false
    var number: Int?

    init(id: String, previous: String? = nil, since: Duration) {
        self.id = id
        self.previous = previous
        self.since = since
    }

    /// Nothing is awaited for its line.
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

    /// The whole text of a part; it takes the place of its pieces.
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

    /// Nothing more will be told of its playback.
    mutating func endPlayback() {
        guard playback == .open else { return }
        playback = silenced == .beforeAllSound ? .cut : .heard
    }

    /// What was said, or heard of it, and the ms heard where it was cut.
    var spoken: (text: String, heard: Int?) {
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
