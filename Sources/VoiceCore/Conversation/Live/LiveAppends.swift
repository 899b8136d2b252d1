/// Texts that were sent and have no place on the session's timeline yet. Pure.
struct LiveAppends: Equatable, Sendable {
    struct Append: Equatable, Sendable {
        var tone: LiveTone
        var text: String
        var delegation: String?
        var sent: Duration
        /// Sent for the second time.
        var isRetry = false
    }

    /// More are not kept: the oldest goes.
    private static let most = 64
    /// Placement takes a second; so long after that it is lost.
    static let patience = Duration.seconds(10)

    private var open: [(id: String, append: Append)] = []

    static func == (left: LiveAppends, right: LiveAppends) -> Bool {
        left.open.elementsEqual(right.open) { $0.id == $1.id && $0.append == $1.append }
    }

    mutating func sent(_ append: Append, id: String) {
        open.append((id, append))
        if open.count > Self.most { open.removeFirst() }
    }

    /// It has its place. Where the service does not say which, it is the oldest of its tone.
    mutating func placed(_ tone: LiveTone, id: String?) {
        let index = open.firstIndex { id == nil ? $0.append.tone == tone : $0.id == id }
        if let index { open.remove(at: index) }
    }

    /// The service refuses it.
    mutating func failed(_ id: String) -> Append? {
        open.firstIndex { $0.id == id }.map { open.remove(at: $0).append }
    }

    /// How many were never placed, and are given up.
    mutating func lost(at now: Duration) -> Int {
        let before = open.count
        open.removeAll { now - $0.append.sent >= Self.patience }
        return before - open.count
    }
}
