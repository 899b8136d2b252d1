extension Duration {
    package init(nanoseconds: UInt64) {
        self = .nanoseconds(Int64(clamping: nanoseconds))
    }

    /// Whole milliseconds, for the log; of more than 30,000 years those of 30,000 years.
    package var milliseconds: Int64 {
        min(max(components.seconds, -Self.longestSeconds), Self.longestSeconds) * 1000
            + components.attoseconds / 1_000_000_000_000_000
    }

    private static let longestSeconds: Int64 = 1_000_000_000_000

    /// Milliseconds with their fraction.
    package var fractionalMilliseconds: Double {
        Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
    }
}
