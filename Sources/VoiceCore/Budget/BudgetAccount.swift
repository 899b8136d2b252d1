package import VoiceBase

/// Spending in one clock hour or day.
package struct BudgetAccount: Equatable, Sendable {
    /// The number of the hour or day since 1970, in local time.
    package var number: Int
    package var spending = Spending()
    /// Since when (monotonic) the clock has been before the period.
    private var behindSince: Duration?

    /// Money, talk, and whether the notice before the end was given.
    package struct Spending: Equatable, Sendable {
        /// Millionths of a dollar.
        package var micros = 0.0
        package var talk = Duration.zero
        package var isReported = false

        package init() {}

        package var dollars: Double { micros / 1e6 }
        package var minutes: Double { talk.fractionalMilliseconds / 60_000 }
    }

    package init(number: Int) {
        self.number = number
    }

    /// Begins a new account when the period is over.
    ///
    /// A clock set back does not begin one, or it would grant the same budget twice. But a clock that had been far ahead
    /// must not block the daemon for years either: the account ends at the latest when its length has passed since the
    /// clock was set back.
    package mutating func roll(to instant: ClockInstant, length: Int) {
        let present = instant.number(of: length)
        if present == number {
            behindSince = nil
        } else if present > number {
            self = BudgetAccount(number: present)
        } else if let since = behindSince {
            if instant.uptime - since >= .seconds(length) { self = BudgetAccount(number: present) }
        } else {
            behindSince = instant.uptime
        }
    }

    /// Corrects an account dated more than ten years ahead, after a start: the clock that wrote it was wrong. It counts for
    /// the current period and ends with it. For a nearer date the current clock may be the wrong one: a machine without a
    /// battery-backed clock starts with last month's time, its system's build date, or 1970.
    package mutating func bringBack(to instant: ClockInstant, length: Int) {
        let present = instant.number(of: length)
        if instant.isPlausible, number - present > 3660 * 86_400 / length { number = present }
    }

    /// When the account ends, in Unix time.
    func end(at instant: ClockInstant, length: Int) -> Int {
        let byClock = (number + 1) * length - instant.offset
        guard let since = behindSince else { return byClock }
        let left = Duration.seconds(length) - (instant.uptime - since)
        return min(byClock, instant.wall + Int(left.components.seconds))
    }
}
