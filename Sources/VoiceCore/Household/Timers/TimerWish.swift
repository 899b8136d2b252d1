internal import VoiceBase

/// A requested timer or alarm.
package struct TimerWish: Equatable, Sendable {
    package enum When: Equatable, Sendable {
        /// This many seconds from now.
        case after(Int)
        /// At this minute of the day; the next time the clock shows it, unless a day is given.
        case at(minute: Int, Day, repeats: Weekdays)
    }

    package enum Day: Equatable, Sendable {
        case next
        case today
        case tomorrow
        /// The next such weekday; Monday is 0.
        case weekday(Int)
        /// Days since 1970-01-01.
        case date(Int)
    }

    package var when: When
    /// One short line; empty for none.
    package var name: String

    /// Longest timer, in seconds: 30 days.
    package static let longest = 30 * 86_400

    /// - Parameter name: reduced to one line of at most 120 bytes, without quotes and brackets.
    package init(_ when: When, name: String = "") {
        self.when = when
        self.name = ForeignText.title(name)
    }

    /// Parses a request as typed: "10m tea", "1h 30m", "90 s", "07:00 mondays wake up", "tomorrow 6:30", "2026-12-24
    /// 18:00 guests".
    ///
    /// - Throws: which form is expected, or which limit is exceeded.
    package init(parsing text: String) throws(TimerProblem) {
        var words = text.split(whereSeparator: \.isWhitespace)[...]
        if let seconds = try Self.length(&words) {
            self.init(.after(seconds), name: words.joined(separator: " "))
        } else {
            let when = try Self.alarm(&words)
            self.init(when, name: words.joined(separator: " "))
        }
    }

    // MARK: Lengths

    private static let units: [String: Int] = {
        var units: [String: Int] = [:]
        for name in ["s", "sec", "secs", "second", "seconds"] { units[name] = 1 }
        for name in ["m", "min", "mins", "minute", "minutes"] { units[name] = 60 }
        for name in ["h", "hr", "hrs", "hour", "hours"] { units[name] = 3600 }
        for name in ["d", "day", "days"] { units[name] = 86_400 }
        return units
    }()

    /// Parses a text that is nothing but a length: "10 minutes".
    static func length(of text: String) -> Int? {
        var words = text.split(whereSeparator: \.isWhitespace)[...]
        guard let seconds = try? length(&words), words.isEmpty else { return nil }
        return seconds
    }

    /// Consumes a length from the front: "1h30m", "90 s", "1 hour 5 min"; nil if there is none.
    private static func length(_ words: inout ArraySlice<Substring>) throws(TimerProblem) -> Int? {
        var left = words
        var seconds: Int?
        while let word = left.first {
            if let some = parts(word) {
                seconds = min((seconds ?? 0) + some, Int(Int32.max))
                left = left.dropFirst()
            } else if let number = Int(word), number >= 0, let unit = left.dropFirst().first.flatMap({ units["\($0)"] })
            {
                seconds = min((seconds ?? 0) + min(number, longest + 1) * unit, Int(Int32.max))
                left = left.dropFirst(2)
            } else {
                break
            }
        }
        guard let seconds else { return nil }
        words = left
        guard (1...longest).contains(seconds) else { throw .length }
        return seconds
    }

    /// Returns the seconds of a word such as "1h30m"; nil for any other word.
    private static func parts(_ word: Substring) -> Int? {
        var left = word
        var seconds = 0
        while !left.isEmpty {
            let digits = left.prefix { $0.isASCII && $0.isNumber }
            left = left.dropFirst(digits.count)
            let name = left.prefix { $0.isASCII && $0.isLetter }
            left = left.dropFirst(name.count)
            guard let number = Int(digits), let unit = units[name.lowercased()] else { return nil }
            seconds = min(seconds + min(number, longest + 1) * unit, Int(Int32.max))
        }
        return word.isEmpty ? nil : seconds
    }

    // MARK: Times of day

    /// Consumes a day, a time of day and repetitions from the front, in any order.
    private static func alarm(_ words: inout ArraySlice<Substring>) throws(TimerProblem) -> When {
        var minute: Int?
        var day: Day?
        var repeats: Weekdays = []
        while let word = words.first {
            if minute == nil, let found = Self.minute(word) {
                minute = found
            } else if day == nil, let list = Self.days(words) {
                repeats.formUnion(list.days)
                words = words.dropFirst(list.words - 1)
            } else if day == nil, let some = Weekdays(plural: word) {
                repeats.formUnion(some)
            } else if day == nil, repeats.isEmpty, let found = Day(word) {
                day = found
            } else if day == nil, word.lowercased() == "every", let list = Self.days(words.dropFirst()) {
                repeats.formUnion(list.days)
                words = words.dropFirst(list.words)
            } else if day == nil, word.lowercased() == "every", let some = words.dropFirst().first.flatMap(Self.every) {
                repeats.formUnion(some)
                words = words.dropFirst()
            } else if day == nil,
                ["daily", "everyday", "weekdays", "workdays", "weekends"].contains(word.lowercased()),
                let some = Weekdays(named: word)
            {
                repeats.formUnion(some)
            } else {
                break
            }
            words = words.dropFirst()
        }
        guard let minute else { throw .unreadable }
        return .at(minute: minute, day ?? .next, repeats: repeats)
    }

    /// Parses a list of days, each of which means every such day: "sat,sun", "Mon, Wed and Fri".
    ///
    /// - Returns: the days and how many words they take; nil for a single day, which may mean the next one alone.
    private static func days(_ words: ArraySlice<Substring>) -> (days: Weekdays, words: Int)? {
        var found: Weekdays = []
        var count = 0
        var taken = 0
        var goesOn = true
        for (index, word) in words.enumerated() {
            // "and" belongs to the list only if a day follows it.
            if index > 0, word.lowercased() == "and" {
                goesOn = true
                continue
            }
            guard goesOn else { break }
            let names = word.split(separator: ",")
            let days = names.compactMap { Weekdays(named: $0) }
            guard !names.isEmpty, days.count == names.count else { break }
            for day in days { found.formUnion(day) }
            count += days.count
            taken = index + 1
            goesOn = word.last == ","
        }
        return count > 1 ? (found, taken) : nil
    }

    /// Parses the word after "every": "day", "weekday", "monday".
    private static func every(_ word: Substring) -> Weekdays? {
        switch word.lowercased() {
        case "day", "morning", "evening": .daily
        case "weekday", "workday": .workdays
        case "weekend": .weekend
        default: Weekdays(named: word)
        }
    }

    /// Returns the minutes since midnight for "07:00" or "7:00"; nil for anything else. Seconds are ignored.
    package static func minute(_ text: some StringProtocol) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, (1...2).contains(parts[0].utf8.count),
            parts.dropFirst().allSatisfy({ $0.utf8.count == 2 }),
            parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return 60 * hour + minute
    }
}

extension TimerWish.Day {
    /// Parses "today", "tomorrow", a weekday's name, or a date such as 2026-12-24; nil for anything else.
    package init?(_ text: some StringProtocol) {
        switch text.lowercased() {
        case "today": self = .today
        case "tomorrow": self = .tomorrow
        default:
            if let number = Weekdays.number(named: text) {
                self = .weekday(number)
                return
            }
            let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard parts.count == 3, let year = parts[0], let month = parts[1], let dayOfMonth = parts[2],
                let day = LocalTime.day(year: year, month: month, dayOfMonth: dayOfMonth)
            else { return nil }
            self = .date(day)
        }
    }
}

/// Why a timer was not set or cancelled; the text follows "jarvis-voiced ctl: " and can be spoken.
package enum TimerProblem: Error, Equatable, Sendable, CustomStringConvertible {
    case unreadable
    case length
    case past
    case tooFar
    case clock
    case full
    case none(TimerKind)
    case unknown(String, TimerKind)
    case ambiguous(TimerKind)
    case repeats
    /// No alarm is set for this day.
    case noneOn(String)
    /// The alarms of this day.
    case severalOn(String, [String])
    /// The only alarm of the day rings on other days as well.
    case repeatsOn(String)
    case stopping

    package var description: String {
        switch self {
        case .unreadable:
            "the time cannot be read: give a length such as 10m or 1h30m, or a time of day such as 07:00, followed by "
                + "a name"
        case .length: "a timer lasts from 1 second to 30 days"
        case .past: "that time has passed"
        case .tooFar: "an alarm can be set for the next 366 days"
        case .clock: "the clock of this machine is not set yet; a timer, such as 10m, does not need it"
        case .full: "there are already \(TimerBook.most) timers and alarms: cancel one first"
        case .none(let kind): "no \(kind.plural) are set"
        case .unknown(let name, let kind): "there is no \(kind.name) \"\(name)\""
        case .ambiguous(.any): "there are several: name one, or \"all\""
        case .ambiguous(let kind): "there are several \(kind.plural): name one, or \"all \(kind.plural)\""
        case .repeats:
            "nothing rings, and the only alarm repeats: give its name, its number or its time, or \"all alarms\""
        case .noneOn(let day): "no alarm is set for \(day)"
        case .severalOn(let day, let all):
            "there are \(all.count) alarms for \(day): " + all.prefix(4).joined(separator: "; ")
                + "; name one by its time, or \"all alarms\""
        case .repeatsOn(let alarm):
            "the alarm for \(alarm), repeats: give its name, its number or its time to end it for good"
        case .stopping: "the daemon is stopping"
        }
    }
}
