internal import CLinux

/// Ten milliseconds after ten milliseconds of CLOCK_MONOTONIC, in place of a microphone that is away.
struct PeriodClock {
    private static let period: UInt64 = 10_000_000
    private var next: UInt64 = 0

    /// The first period ends ten milliseconds from now.
    mutating func restart() { next = clinux_monotonic_ns() + Self.period }

    /// Waits for the end of the period.
    mutating func wait() {
        clinux_sleep_until_ns(next)
        next += Self.period
        // After a long pause of the machine time goes on from now instead of being made up for.
        let now = clinux_monotonic_ns()
        if now > next + 10 * Self.period { next = now + Self.period }
    }
}
