/// What the media player wants told, until nobody speaks.
struct MediaRemarks: Equatable, Sendable {
    /// More are not kept: the oldest goes.
    private static let most = 3
    /// Older news are none.
    private static let lifetime = Duration.seconds(120)

    private var waiting: [(text: String, at: Duration)] = []

    mutating func add(_ text: String, at now: Duration) {
        waiting.append((text, now))
        if waiting.count > Self.most { waiting.removeFirst() }
    }

    /// All that is still worth telling.
    mutating func take(at now: Duration) -> [String] {
        defer { waiting = [] }
        return waiting.filter { now - $0.at < Self.lifetime }.map(\.text)
    }

    mutating func forget() { waiting = [] }

    var isEmpty: Bool { waiting.isEmpty }

    static func == (left: Self, right: Self) -> Bool {
        left.waiting.elementsEqual(right.waiting) { $0.text == $1.text && $0.at == $1.at }
    }
}

/// The media player's news: told when nobody speaks, and then asked to be spoken about.
extension ConversationMachine {
    /// - Parameter opens: whether a session is opened for it.
    mutating func mediaTold(_ text: String, opens: Bool) {
        guard announces, link != .closed || opens && hold.until == nil else { return }
        media.add(text, at: now)
        activate()
    }

    mutating func tellMedia() {
        guard !media.isEmpty else { return }
        if link == .closed { return media.forget() }
        guard link == .ready, isQuiet, !calls.isWaiting else { return }
        let news = media.take(at: now)
        guard !news.isEmpty else { return }
        for text in news { send({ .systemMessage(text: text, eventID: $0) }, "media") }
        askForResponse()
    }
}
