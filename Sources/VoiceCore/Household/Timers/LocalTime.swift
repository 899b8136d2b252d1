internal import Glibc

/// One instant by the three clocks that timers need.
package struct TimerInstant: Equatable, Sendable {
    /// Unix time in seconds. It may jump, in either direction.
    package var wall: Int
    /// Seconds by which local time is ahead of UTC; changes with the time zone and with summer time.
    package var offset: Int
    /// Time since the machine was started, the time in which it was suspended included (CLOCK_BOOTTIME). Never jumps.
    package var uptime: Duration

    package init(wall: Int, offset: Int = 0, uptime: Duration) {
        self.wall = wall
        self.offset = offset
        self.uptime = uptime
    }

    package static func now() -> TimerInstant {
        var seconds = time(nil)
        var local = tm()
        localtime_r(&seconds, &local)
        var boot = timespec()
        clock_gettime(CLOCK_BOOTTIME, &boot)
        return TimerInstant(
            wall: seconds,
            offset: local.tm_gmtoff,
            uptime: .seconds(boot.tv_sec) + .nanoseconds(boot.tv_nsec)
        )
    }

    /// Whether the clock has been set at all: it shows a time after this program was begun. A board without a clock of its
    /// own starts in the past and is set by the network later.
    var isPlausible: Bool { wall >= 1_735_689_600 }

    var local: LocalTime { LocalTime(seconds: wall + offset) }
}

/// What the clock on the wall shows, without a time zone.
package struct LocalTime: Equatable, Sendable {
    /// Seconds since 1970-01-01 00:00 as the wall shows them.
    package var seconds: Int

    init(seconds: Int) { self.seconds = seconds }

    init(day: Int, minute: Int) { seconds = day * 86_400 + minute * 60 }

    /// Days since 1970-01-01.
    var day: Int { seconds >= 0 ? seconds / 86_400 : -((86_399 - seconds) / 86_400) }
    /// Minutes since midnight.
    var minute: Int { (seconds - day * 86_400) / 60 }

    /// "07:05"
    var clock: String { LocalTime.clock(minute: minute) }

    static func clock(minute: Int) -> String { "\(twoDigits(minute / 60)):\(twoDigits(minute % 60))" }

    /// "2026-11-23"
    static func date(day: Int) -> String {
        let (year, month, dayOfMonth) = civil(day: day)
        return "\(year)-\(twoDigits(month))-\(twoDigits(dayOfMonth))"
    }

    private static func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }

    /// The day of a date of the Gregorian calendar; nil where there is no such date between 1970 and 9999.
    static func day(year: Int, month: Int, dayOfMonth: Int) -> Int? {
        guard (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(dayOfMonth) else { return nil }
        // Years that begin in March: the day that leap years add is their last.
        let years = month > 2 ? year : year - 1
        let months = (month + 9) % 12
        let day =
            years * 365 + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + dayOfMonth - 1 - 719_468
        // The 31st of a shorter month would be a day of the next.
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

/// Days of the week.
package struct Weekdays: OptionSet, Sendable, Equatable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue & 0x7F }

    package static let daily = Weekdays(rawValue: 0x7F)
    package static let workdays = Weekdays(rawValue: 0x1F)
    package static let weekend = Weekdays(rawValue: 0x60)

    static let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    /// The weekday of a day since 1970, which began with a Thursday; Monday is 0.
    static func number(of day: Int) -> Int { ((day + 3) % 7 + 7) % 7 }

    func contains(day: Int) -> Bool { rawValue & 1 << Weekdays.number(of: day) != 0 }

    /// A weekday by its name or its first three letters, in any case; Monday is 0.
    static func number(named name: some StringProtocol) -> Int? {
        let name = name.lowercased()
        guard name.utf8.count >= 3 else { return nil }
        return names.firstIndex { full in
            let full = full.lowercased()
            return name == full || name == full + "s" || name == full.prefix(3)
        }
    }

    /// "daily", "weekdays", "weekends" or the name of a weekday.
    package init?(named name: some StringProtocol) {
        switch name.lowercased() {
        case "daily", "everyday": self = .daily
        case "weekdays", "workdays": self = .workdays
        case "weekends": self = .weekend
        default:
            guard let number = Weekdays.number(named: name) else { return nil }
            self.init(rawValue: 1 << number)
        }
    }

    /// "every day", "every weekday", "every Monday and Friday".
    var text: String {
        switch self {
        case .daily: return "every day"
        case .workdays: return "every weekday"
        case .weekend: return "every weekend"
        default:
            let days = Weekdays.names.indices.filter { rawValue & 1 << $0 != 0 }.map { Weekdays.names[$0] }
            guard let last = days.last, days.count > 1 else { return "every " + (days.first ?? "day") }
            return "every " + days.dropLast().joined(separator: ", ") + " and " + last
        }
    }
}
