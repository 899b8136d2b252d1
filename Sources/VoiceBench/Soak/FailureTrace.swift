/// The last lines before the first failure, and those of the second after it.
struct FailureTrace: Sendable {
    private static let kept = 60
    private static let longest = 200

    private(set) var lines: [String] = []
    private var recent: [String] = []
    private var failedAt: Int?

    /// Takes a line; the moment is in ms.
    mutating func note(_ text: String, at moment: Int) {
        let line = "\(moment) ms \(text.prefix(Self.longest))"
        if let failedAt {
            if moment - failedAt < 1000, lines.count < 2 * Self.kept { lines.append(line) }
            return
        }
        recent.append(line)
        if recent.count > Self.kept { recent.removeFirst() }
    }

    /// Learns how many things have gone wrong so far.
    mutating func look(_ count: Int, at moment: Int) {
        guard count > 0, failedAt == nil else { return }
        failedAt = moment
        lines = recent + ["\(moment) ms (noticed)"]
    }
}
