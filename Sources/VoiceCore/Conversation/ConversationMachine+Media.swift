internal import VoiceBase

/// What the media player wants told, until nobody speaks.
struct MediaRemarks: Equatable, Sendable {
    /// More are not kept: the oldest goes.
    private static let most = 3
    /// Older news are none.
    private static let lifetime = Duration.seconds(120)

    private var waiting: [(remark: MediaRemark, at: Duration)] = []

    mutating func add(_ remark: MediaRemark, at now: Duration) {
        waiting.append((remark, now))
        if waiting.count > Self.most { waiting.removeFirst() }
    }

    /// All that is still worth telling.
    mutating func take(at now: Duration) -> [MediaRemark] {
        defer { waiting = [] }
        return waiting.filter { now - $0.at < Self.lifetime }.map(\.remark)
    }

    mutating func forget() { waiting = [] }

    var isEmpty: Bool { waiting.isEmpty }

    static func == (left: Self, right: Self) -> Bool {
        left.waiting.elementsEqual(right.waiting) { $0 == $1 }
    }
}

/// The media player's news: told when nobody speaks. Nobody has asked for them, so nothing may come of them but words.
extension ConversationMachine {
    /// - Parameter opens: whether a session is opened for it.
    mutating func mediaReported(_ remark: MediaRemark, opens: Bool) {
        guard announces, link != .closed || opens && hold.until == nil else { return }
        media.add(remark, at: now)
        // Nobody has asked: a service that refuses us is left alone.
        if link == .refused { effects.append(.play(.error)) } else { activate() }
    }

    mutating func tellMedia() {
        guard !media.isEmpty else { return }
        if link == .closed { return media.forget() }
        guard link == .ready, isQuiet, !calls.isWaiting else { return }
        let news = media.take(at: now)
        for remark in news { tell(.init(name: "get_now_playing", arguments: "{}", output: remark.report), "media") }
        guard let wish = news.last(where: { $0.wish != nil })?.wish else { return }
        send({ .systemMessage(text: "News of the media player of this box. \(wish)", eventID: $0) }, "media")
        askForResponse(for: .remark)
    }
}
