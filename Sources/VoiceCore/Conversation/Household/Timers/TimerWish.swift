internal import VoiceBase

/// A requested timer, alarm or reminder.
package struct TimerWish: Equatable, Sendable {
    package enum When: Equatable, Sendable {
        /// This many seconds from now.
        case after(Int)
        /// At this minute of the day; the next time the clock shows it, unless a day is given. `isEither`: on the 12-hour
        /// clock, neither morning nor evening was stated.
        case at(minute: Int, Day, repeats: Weekdays, isEither: Bool = false)

        /// Whether no day and no half of the day can follow.
        var isComplete: Bool {
            guard case .at(_, let day, let repeats, let isEither) = self else { return true }
            return !isEither && (day != .next || !repeats.isEmpty)
        }

        package var isEither: Bool { if case .at(_, _, _, true) = self { true } else { false } }

        /// The same time in the morning; twelve is noon.
        package static func morning(_ minute: Int) -> Int { minute % 720 < 60 ? minute % 720 + 720 : minute % 720 }
    }

    package enum Day: Equatable, Sendable {
        case next
        /// This many days from today.
        case after(Int)
        /// The next such weekday, which may be today; Monday is 0.
        case weekday(Int)
        /// The next such weekday after today.
        case nextWeekday(Int)
        /// Days since 1970-01-01.
        case date(Int)
    }

    package var when: When
    /// One short line; empty for none. The words of a reminder.
    package var name: String
    /// Its words are said when it is due.
    package var isReminder: Bool

    /// Longest timer, in seconds: 30 days.
    package static let longest = 30 * 86_400
    /// The hours of the day that "8h" may mean; any other number is a length.
    static let clockHours = 5..<24

    /// - Parameter name: reduced to one line of at most 120 bytes, without quotes and brackets.
    package init(_ when: When, name: String = "", isReminder: Bool = false) {
        self.when = when
        self.name = ForeignText.title(name)
        self.isReminder = isReminder
    }

    /// Reads what was typed or written by a model: a time, then a name. "10m tea", "half an hour", "7:30 pm", "every weekday at
    /// 7 wake up", "2026-12-24 18:00 guests", "10m tea and another for 20m".
    ///
    /// - Parameters:
    ///   - isReminder: whether the words after "to" or "that" are the reminder's text, once the time is complete.
    ///   - isLength: whether the text must begin with a length, so that "8h" is not doubtful.
    /// - Returns: one wish, or more if the text says "and another".
    /// - Throws: which form is expected, which limit is exceeded, or which words were not understood.
    package static func reading(
        _ text: String,
        isReminder: Bool = false,
        isLength: Bool = false
    ) throws(TimerProblem) -> [TimerWish] {
        let all = TimeWords(text.replacing(" o clock", with: " o'clock").replacing(" oclock", with: " o'clock"))
        var left = all.words[...]
        var wishes: [TimerWish] = []
        var unit: Int?
        while true {
            // But "in the morning at seven".
            var opening: String?
            if let first = left.first, ["in", "after", "for"].contains(first), left.dropFirst().first != "the" {
                opening = first
                left = left.dropFirst()
            }
            let time = left
            var parser = TimeParser(isTyped: true)
            guard parser.consume(&left) || unit.map({ parser.consumeNumber(of: $0, &left) }) ?? false,
                let when = parser.when
            else {
                throw .unreadable
            }
            if case .after(let seconds) = when {
                guard 1...longest ~= seconds else { throw .length }
            } else if opening == "after" || opening == "in" {
                throw .unreadable
            }
            let isHours = opening == nil && !isLength && left.startIndex - time.startIndex == 2
            let hour = isHours && time.dropFirst().first == "h" ? time.first.flatMap { Int($0) } : nil
            let doubtfulHour = hour.flatMap { clockHours.contains($0) ? $0 : nil }
            unit = parser.unit
            let end = left.indices.first { Self.another(left[$0...]) != nil } ?? left.endIndex
            var name = left[..<end]
            var lead: TypedName.Lead = all.isAfterColon(name.startIndex) ? .purpose : .none
            let words: TypedName.Lead = when.isComplete && doubtfulHour == nil ? .named : .purpose
            while let first = name.first,
                let step = joints[first] ?? (isReminder && ["to", "that"].contains(first) ? words : nil)
            {
                if step != .none { lead = step }
                name = name.dropFirst()
                if step == .named { break }
            }
            let source = all.source(of: name.indices)
            if Self.isQuoted(source) { lead = .named }
            var isOfClock = doubtfulHour != nil
            if case .at = when { isOfClock = true }
            // "1 hr 30 tea" is not a timer for 30 teas.
            let isMinutes = unit == 3600 && lead == .none && name.first.map(TimeTable.isNumeric) ?? false
            let typed = TypedName(words: name, lead: lead, isOfClock: isOfClock)
            if isMinutes || !typed.isFiller && typed.isDoubtful { throw .leftOver(ForeignText.title(source)) }
            if let doubtfulHour { throw .hours(doubtfulHour) }
            wishes.append(TimerWish(when, name: typed.isFiller ? "" : String(source), isReminder: isReminder))
            guard let more = Self.another(left[end...]) else { return wishes }
            left = more
        }
    }

    private static let joints: [String: TypedName.Lead] = [
        "for": .purpose, "called": .named, "named": .named, "and": .none,
    ]

    /// Whether quotes are around all of it.
    private static func isQuoted(_ text: Substring) -> Bool {
        let pairs = ["\"\"", "''", "\u{201C}\u{201D}", "\u{201E}\u{201C}", "\u{AB}\u{BB}", "\u{2018}\u{2019}"]
        guard text.count > 2, let first = text.first, let last = text.last, pairs.contains("\(first)\(last)") else {
            return false
        }
        return !text.dropFirst().dropLast().contains { $0 == first || $0 == last && first != "'" }
    }

    /// What follows "and another for"; nil if the words do not begin so.
    private static func another(_ words: ArraySlice<String>) -> ArraySlice<String>? {
        guard words.first == "and", words.dropFirst().first == "another" else { return nil }
        return words.dropFirst(2).drop { ["one", "timer", "alarm", "for", "of", "in"].contains($0) }
    }
}

extension TimerWish.When {
    /// The time in words that are read as the same: "5400 seconds", "07:30 tomorrow", "07:00 every monday and friday".
    package var text: String {
        guard case .at(let minute, let day, let repeats, _) = self else {
            if case .after(let seconds) = self { return "\(seconds) seconds" }
            return ""
        }
        let place =
            switch day {
            case .next: ""
            case .after(0): " today"
            case .after(1): " tomorrow"
            case .after: " the day after tomorrow"
            case .weekday(let number): " " + Weekdays.names[number].lowercased()
            case .nextWeekday(let number): " next " + Weekdays.names[number].lowercased()
            case .date(let date): " " + LocalTime.date(day: date)
            }
        return LocalTime.clock(minute: minute) + place + (repeats.isEmpty ? "" : " " + repeats.text.lowercased())
    }
}
