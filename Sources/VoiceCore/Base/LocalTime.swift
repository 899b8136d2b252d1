internal import CLinux
internal import Glibc

/// One instant on the three clocks used for periods and alarms.
package struct ClockInstant: Equatable, Sendable {
    /// Unix time in seconds. It may jump, in either direction.
    package var wall: Int
    /// Seconds by which local time is ahead of UTC; changes with the time zone and daylight saving time.
    package var offset: Int
    /// Time since an arbitrary instant in the past. Never jumps.
    package var uptime: Duration
    /// Unix time before which the clock cannot have been set.
    private let epoch: Int

    /// - Parameter epoch: Unix time before which the clock cannot have been set.
    package init(wall: Int, offset: Int = 0, uptime: Duration, epoch: Int = Self.oldest) {
        self.wall = wall
        self.offset = offset
        self.uptime = uptime
        self.epoch = epoch
    }

    /// Whether the clock has been set. A board without a battery-backed clock starts in the past, at 1970 or at a date of
    /// its system, and is set by the network later.
    package var isPlausible: Bool { wall >= epoch }

    /// 2025-01-01, when this program was begun.
    package static let oldest = 1_735_689_600

    /// The day before this program was built: in its time zone it may have been a day later.
    private static let built = max(oldest, Int(clinux_built()) - 86_400)

    /// Now; the uptime includes time during which the machine was suspended (CLOCK_BOOTTIME).
    package static func now() -> ClockInstant {
        now(uptime: Duration(nanoseconds: clinux_boottime_ns()))
    }

    /// Now; the uptime excludes time during which the machine was suspended, in which nothing was spent.
    package static func awake() -> ClockInstant { now(uptime: Monotonic.now()) }

    private static func now(uptime: Duration) -> ClockInstant {
        var seconds = time(nil)
        var local = tm()
        // `localtime_r` alone would keep the time zone that the machine had at the start.
        tzset()
        localtime_r(&seconds, &local)
        return ClockInstant(wall: seconds, offset: local.tm_gmtoff, uptime: uptime, epoch: built)
    }

    /// The problem that the clock is not set; nil if it is.
    package var unset: String? {
        isPlausible
            ? nil : "the clock of this machine is not set: it shows \(LocalTime.date(day: local.day)) \(local.clock)"
    }

    package var local: LocalTime { LocalTime(seconds: wall + offset) }

    /// The number of the current hour (3600) or day (86,400), counted in local time since 1970.
    package func number(of seconds: Int) -> Int { local.number(of: seconds) }

    /// Formats a time in the near future: "14:00" or "tomorrow 00:00".
    package func text(of wall: Int) -> String {
        let there = LocalTime(seconds: wall + offset)
        return (there.day > local.day ? "tomorrow " : "") + there.clock
    }
}

/// Local wall clock time, without a time zone.
package struct LocalTime: Equatable, Sendable {
    /// Seconds since 1970-01-01 00:00 in local time.
    package var seconds: Int

    package init(seconds: Int) { self.seconds = seconds }

    package init(day: Int, minute: Int) { seconds = day * 86_400 + minute * 60 }

    /// The number of whole periods of `length` seconds that have passed, rounded down.
    func number(of length: Int) -> Int { seconds >= 0 ? seconds / length : -((length - 1 - seconds) / length) }

    /// Days since 1970-01-01.
    package var day: Int { number(of: 86_400) }
    /// Minutes since midnight.
    package var minute: Int { (seconds - day * 86_400) / 60 }

    /// "07:05"
    package var clock: String { LocalTime.clock(minute: minute) }

    /// "2026-11-27T03:02:01"
    package var stamp: String {
        "\(LocalTime.date(day: day))T\(clock):\(LocalTime.twoDigits(seconds - number(of: 60) * 60))"
    }

    package static func clock(minute: Int) -> String { "\(twoDigits(minute / 60)):\(twoDigits(minute % 60))" }

    /// "2026-11-23"
    package static func date(day: Int) -> String {
        let (year, month, dayOfMonth) = civil(day: day)
        return "\(year)-\(twoDigits(month))-\(twoDigits(dayOfMonth))"
    }

    private static func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }

    /// The day number of a Gregorian date; nil if the date does not exist or lies outside 1970 ... 9999.
    package static func day(year: Int, month: Int, dayOfMonth: Int) -> Int? {
        guard (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(dayOfMonth) else { return nil }
        // Counts years from March, so that the leap day is the last of its year.
        let years = month > 2 ? year : year - 1
        let months = (month + 9) % 12
        let day =
            years * 365 + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + dayOfMonth - 1 - 719_468
        // The 31st of a shorter month would be a day of the next month.
        let (_, other, _) = civil(day: day)
        return other == month ? day : nil
    }

    private static func civil(day: Int) -> (year: Int, month: Int, dayOfMonth: Int) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let months = (5 * ofYear + 2) / 153
        let month = months < 10 ? months + 3 : months - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * months + 2) / 5 + 1)
    }
}
