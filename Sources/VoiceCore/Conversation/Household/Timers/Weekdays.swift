/// A set of weekdays.
package struct Weekdays: OptionSet, Sendable, Equatable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue & 0x7F }

    package static let daily = Weekdays(rawValue: 0x7F)
    package static let workdays = Weekdays(rawValue: 0x1F)
    package static let weekend = Weekdays(rawValue: 0x60)

    static let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    /// Returns the weekday of a day counted from 1970-01-01, a Thursday; Monday is 0.
    static func number(of day: Int) -> Int { ((day + 3) % 7 + 7) % 7 }

    func contains(day: Int) -> Bool { rawValue & 1 << Weekdays.number(of: day) != 0 }

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
