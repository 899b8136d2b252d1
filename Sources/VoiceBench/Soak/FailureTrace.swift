/// What happened before the first failures of each kind.
struct FailureTrace: Sendable {
    private static let kept = 40
    private static let longest = 180
    /// How many failures of a kind are reported.
    private static let mostReported = 2

    private(set) var lines: [String] = []
    private var recent: [String] = []
    private var known: [Int] = []

    /// Takes a line; the moment is in ms.
    mutating func note(_ text: String, at moment: Int) {
        recent.append("\(moment) ms \(text.prefix(Self.longest))")
        if recent.count > Self.kept { recent.removeFirst() }
    }

    /// Learns how many failures of each kind there have been.
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
