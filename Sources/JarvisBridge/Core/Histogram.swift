/// Counts of values below rising bounds, as Prometheus wants them.
package struct Histogram: Sendable, Equatable {
    package let bounds: [Double]
    /// How many values were at or below each bound, and above the one before it; then those above the last.
    package private(set) var counts: [Int]
    package private(set) var sum = 0.0

    package init(bounds: [Double]) {
        self.bounds = bounds
        counts = [Int](repeating: 0, count: bounds.count + 1)
    }

    package mutating func add(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }
}

/// Histograms by one label, from a list that holds the daemon's latest entries: each entry counts once.
package struct ListedHistograms: Sendable, Equatable {
    private let bounds: [Double]
    package private(set) var histograms: [String: Histogram] = [:]
    /// Entries of the present list that have been counted; nil before the first list.
    private var counted: Set<String>?

    /// - Parameter labels: shown from the start, because a rate counts nothing before a first value.
    package init(bounds: [Double], labels: [String]) {
        self.bounds = bounds
        for label in labels { histograms[label] = Histogram(bounds: bounds) }
    }

    /// Takes the present list. The entries of the first list are not counted: they happened before this program ran.
    ///
    /// - Parameter entries: what identifies an entry, its label, its value.
    package mutating func count(_ entries: [(id: String, label: String, value: Double)]) {
        if let counted {
            for entry in entries where !counted.contains(entry.id) {
                histograms[entry.label, default: Histogram(bounds: bounds)].add(entry.value)
            }
        }
        counted = Set(entries.map(\.id))
    }
}
