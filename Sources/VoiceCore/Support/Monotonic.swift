internal import CLinux

/// The clock that everything is stamped with: CLOCK_MONOTONIC, the one sound cards use too.
package enum Monotonic {
    /// Time since an arbitrary instant of the past, the same for all threads and processes of the machine.
    package static func now() -> Duration {
        Duration(nanoseconds: clinux_monotonic_ns())
    }
}

extension Duration {
    package init(nanoseconds: UInt64) {
        self = .nanoseconds(Int64(clamping: nanoseconds))
    }

    /// In ms, with fractions.
    package var fractionalMilliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
    }
}
