internal import VoiceConversation

/// Texts sent and not yet placed on the session's timeline. Pure.
struct LiveAppends: Equatable, Sendable {
    struct Append: Equatable, Sendable {
        var tone: LiveTone
        var text: String
        var delegation: String?
        var sent: Duration
        /// Sent for the second time.
        var isRetry = false
    }

    /// Maximum number kept; beyond it the oldest counts as lost.
    private static let most = 64
    /// Placement takes a second; after this long the text counts as lost.
    static let patience = Duration.seconds(10)

    private var open: [(id: String, append: Append)] = []
    private var pushedOut = 0

    static func == (left: LiveAppends, right: LiveAppends) -> Bool {
        left.pushedOut == right.pushedOut
            && left.open.elementsEqual(right.open) { $0.id == $1.id && $0.append == $1.append }
    }

    mutating func sent(_ append: Append, id: String) {
        open.append((id, append))
        guard open.count > Self.most else { return }
        open.removeFirst()
        pushedOut += 1
    }

    /// Notes a placement. If the service does not say which text, the oldest of this tone was placed.
    mutating func placed(_ tone: LiveTone, id: String?) {
        let index = open.firstIndex { id == nil ? $0.append.tone == tone : $0.id == id }
        if let index { open.remove(at: index) }
    }

    /// Removes and returns a refused text.
    mutating func failed(_ id: String) -> Append? {
        open.firstIndex { $0.id == id }.map { open.remove(at: $0).append }
    }

    /// Gives up on texts that were never placed, and returns their number.
    mutating func lost(at now: Duration) -> Int {
        defer { pushedOut = 0 }
        let before = open.count
        open.removeAll { now - $0.append.sent >= Self.patience }
        return before - open.count + pushedOut
    }
}
