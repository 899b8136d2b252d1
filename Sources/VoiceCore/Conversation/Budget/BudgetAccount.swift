package import VoiceBase

/// Spending in one clock hour or day.
package struct BudgetAccount: Equatable, Sendable {
    /// The number of the hour or day since 1970, in local time.
    package var number: Int
    package var spending = Spending()
    /// Since when (monotonic) the clock has been before the period.
    private var behindSince: Duration?
    /// Since when (monotonic) the clock has not been set, and what had been spent before.
    private var unset: Unset?

    private struct Unset: Equatable {
        var since: Duration
        var before: Spending
    }

    /// Money, talk, and whether the notice before the end was given.
    package struct Spending: Equatable, Sendable {
        /// Millionths of a dollar.
        package var micros = 0.0
        package var talk = Duration.zero
        /// Microphone audio that has left this machine.
        package var sent = SentAudio.Amount()
        package var isReported = false

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
    ///
    /// A clock that is not set begins none either: the account ends when its length has passed. What is spent meanwhile
    /// counts for the period in which the clock is set.
    package mutating func roll(to instant: ClockInstant, length: Int) {
        guard instant.isPlausible else { return pass(instant, length) }
        let present = instant.number(of: length)
        let unset = unset
        self.unset = nil
        if present == number {
            behindSince = nil
        } else if let unset {
            behindSince = nil
            number = present
            spending.micros = max(0, spending.micros - unset.before.micros)
            spending.talk = max(.zero, spending.talk - unset.before.talk)
            spending.sent = spending.sent - unset.before.sent
            spending.isReported = false
        } else if present > number {
            self = BudgetAccount(number: present)
        } else if let since = behindSince {
            if instant.uptime - since >= .seconds(length) { self = BudgetAccount(number: present) }
        } else {
            behindSince = instant.uptime
        }
    }

    /// Lets time pass without a clock. An account without a date keeps all of its spending for the period in which the clock
    /// is set.
    private mutating func pass(_ instant: ClockInstant, _ length: Int) {
        guard let unset else {
            self.unset = Unset(since: instant.uptime, before: isDated(length) ? spending : Spending())
            return
        }
        guard instant.uptime - unset.since >= .seconds(length) else { return }
        spending = Spending()
        self.unset = Unset(since: instant.uptime, before: Spending())
    }

    private func isDated(_ length: Int) -> Bool { number >= ClockInstant.oldest / length }

    /// Corrects an account without a date, or dated more than ten years ahead, after a start: the clock that wrote it was
    /// wrong. It counts for the current period and ends with it. For a nearer date the current clock may be the wrong one: a
    /// machine without a battery-backed clock starts with last month's time, its system's build date, or 1970.
    package mutating func bringBack(to instant: ClockInstant, length: Int) {
        let present = instant.number(of: length)
        guard instant.isPlausible, !isDated(length) || number - present > 3660 * 86_400 / length else { return }
        number = present
    }

    /// When the account ends, in Unix time.
    func end(at instant: ClockInstant, length: Int) -> Int {
        let byClock = (number + 1) * length - instant.offset
        guard let since = unset?.since ?? behindSince else { return byClock }
        let left = Duration.seconds(length) - (instant.uptime - since)
        return min(byClock, instant.wall + Int(left.components.seconds))
    }
}
