extension Array where Element: Comparable {
    /// Of values in ascending order: the smallest that at least this share of them, 0 ... 1, does not exceed (nearest rank).
    /// Nil where there are none.
    package func quantile(_ share: Double) -> Element? {
        isEmpty ? nil : self[Swift.min(count - 1, Swift.max(0, Int((share * Double(count)).rounded(.up)) - 1))]
    }
}
