package import VoiceBase
internal import VoiceConfiguration

/// The saved timers and alarms, kept across restarts.
///
///     boot = "0b6c..."        the boot of the machine during which it was written
///     timers = ["1 timer 1795285800 5400 600 tea", "2 alarm 20780 420 31 wake up", ...]
///
/// Fields of a timer: number; due time in Unix time and in seconds of uptime (0 if only the clock counts); length in
/// seconds. Fields of an alarm: number; day since 1970; minute of that day; weekdays as bits (Monday is 1), all in
/// local time. The rest is the name, which may be empty.
package struct SavedTimers: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package enum Due: Equatable, Sendable {
            case timer(wall: Int, uptime: Int, length: Int)
            case alarm(day: Int, minute: Int, repeats: Weekdays)
        }

        package var number: Int
        package var due: Due
        package var name: String
    }

    package var boot: String
    package var entries: [Entry]

    package init(boot: String = "", entries: [Entry] = []) {
        self.boot = boot
        self.entries = entries
    }

    /// Larger numbers mean a damaged file.
    private static let range = 0...100_000_000_000

    /// Reads the text of the file; unknown keys are ignored, as a newer version may have written them.
    package init(parsing bytes: [UInt8]) throws(Unreadable) {
        let values = try ConfigurationDocument(ofState: bytes).values
        guard case .texts(let texts)? = values["timers"], texts.count <= TimerBook.most else {
            throw Unreadable("timers must be at most \(TimerBook.most) strings")
        }
        if case .text(let boot)? = values["boot"] { self.boot = boot } else { boot = "" }
        entries = []
        for text in texts {
            guard let entry = Entry(text), !entries.contains(where: { $0.number == entry.number }) else {
                throw Unreadable("\"\(text.prefix(40))\" is no timer and no alarm")
            }
            entries.append(entry)
        }
    }

    package var text: String {
        let lines = entries.map { "    " + ConfigurationValue.text($0.text).toml + ",\n" }
        return StateStore.header + "boot = \(ConfigurationValue.text(boot).toml)\ntimers = [\n\(lines.joined())]\n"
    }

    fileprivate static func number(_ text: Substring) -> Int? {
        Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
}

extension SavedTimers.Entry {
    fileprivate init?(_ text: String) {
        let fields = text.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: false)
        guard fields.count >= 5, let number = SavedTimers.number(fields[0]), (1...TimerBook.most).contains(number),
            let first = SavedTimers.number(fields[2]), let second = SavedTimers.number(fields[3]),
            let third = SavedTimers.number(fields[4])
        else { return nil }
        switch fields[1] {
        case "timer" where (1...TimerWish.longest).contains(third):
            due = .timer(wall: first, uptime: second, length: third)
        case "alarm" where second < 1440 && third <= Weekdays.daily.rawValue && first < 4_000_000:
            due = .alarm(day: first, minute: second, repeats: Weekdays(rawValue: third))
        default: return nil
        }
        self.number = number
        name = fields.count > 5 ? ForeignText.title(fields[5]) : ""
    }

    fileprivate var text: String {
        let times =
            switch due {
            case .timer(let wall, let uptime, let length): "timer \(max(0, wall)) \(max(0, uptime)) \(length)"
            case .alarm(let day, let minute, let repeats): "alarm \(max(0, day)) \(minute) \(repeats.rawValue)"
            }
        return "\(number) \(times) \(name)"
    }
}
