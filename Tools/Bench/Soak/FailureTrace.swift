/// The events before the first failures of each kind.
struct FailureTrace: Sendable {
    private static let kept = 40
    private static let longest = 180
    /// Number of failures of a kind that are reported.
    private static let mostReported = 2

    private(set) var lines: [String] = []
    private var recent: [String] = []
    private var known: [Int] = []

    /// Adds a line; `moment` is in ms.
    mutating func note(_ text: String, at moment: Int) {
        recent.append("\(moment) ms \(text.prefix(Self.longest))")
        if recent.count > Self.kept { recent.removeFirst() }
    }

    /// Updates the number of failures of each kind.
    mutating func look(_ counts: [Int], at moment: Int) {
        guard counts != known else { return }
        if known.count != counts.count { known = counts.map { _ in 0 } }
        if zip(counts, known).contains(where: { $0 > $1 && $0 <= Self.mostReported }) {
            lines += recent + ["\(moment) ms (failure)", ""]
            recent.removeAll()
        }
        known = counts
    }
}
