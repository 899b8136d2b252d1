extension Array where Element: Comparable {
    /// For values in ascending order: the smallest value that at least this share of them, 0 ... 1, does not exceed
    /// (nearest rank). nil if the array is empty.
    package func quantile(_ share: Double) -> Element? {
        isEmpty ? nil : self[Swift.min(count - 1, Swift.max(0, Int((share * Double(count)).rounded(.up)) - 1))]
    }
}

/// The latest measured durations, for a median or a percentile. Keeps 1024; each new one then replaces the oldest.
package struct RecentDurations: Sendable {
    private static let capacity = 1024
    /// In us, unordered.
    private var kept: [Int32] = []
    private var next = 0

    package init() {
        kept.reserveCapacity(Self.capacity)
    }

    package mutating func note(_ duration: Duration) {
        let microseconds = Int32(clamping: Int64(duration.fractionalMilliseconds * 1000))
        if kept.count < Self.capacity {
            kept.append(microseconds)
        } else {
            kept[next] = microseconds
            next = (next + 1) % Self.capacity
        }
    }

    package mutating func clear() {
        kept.removeAll(keepingCapacity: true)
        next = 0
    }

    /// In ms, unordered.
    package var milliseconds: [Double] { kept.map { Double($0) / 1000 } }
}
