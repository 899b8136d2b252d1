package import VoiceBase

/// What was spent in one hour or day by the clock.
package struct BudgetAccount: Equatable, Sendable {
    /// The hour or day it is about, counted in local time since 1970.
    package var number: Int
    package var spending = Spending()
    /// Since when (monotonic) the clock has stood before the period.
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

    /// Begins a new account where the period is over.
    ///
    /// A clock that was put back does not: it would hand out the same budget twice. But a clock that had been far ahead
    /// must not close the box for years either: the account ends at the latest when its length has gone by since.
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

    /// The account of a day ten years ahead, after a start: the clock that wrote it was wrong. It counts as the present
    /// one's, and ends with it. Of a nearer day it may be the present clock that is wrong: a box without one that is kept
    /// begins with the time of last month, of the system's making, or with 1970.
    package mutating func bringBack(to instant: ClockInstant, length: Int) {
        let present = instant.number(of: length)
        if instant.isPlausible, number - present > 3660 * 86_400 / length { number = present }
    }

    /// When it ends, in Unix time.
    func end(at instant: ClockInstant, length: Int) -> Int {
        let byClock = (number + 1) * length - instant.offset
        guard let since = behindSince else { return byClock }
        let left = Duration.seconds(length) - (instant.uptime - since)
        return min(byClock, instant.wall + Int(left.components.seconds))
    }
}
