/// The day of an alarm, in the words of the tool `set_timer`.
package enum AlarmDay: Equatable, Sendable {
    /// The next time the clock shows it.
    case next
    /// "today", "tomorrow", or a weekday.
    case on(String)
    /// "daily", "weekdays", "weekends", or weekdays.
    case every([String])
}

/// A time of day with its day, as spoken and as recognisers write it: "half past six", "7 30 am tomorrow", "on weekdays at
/// seven".
struct SpokenWhen: Equatable, Sendable {
    /// Minutes since midnight. `isExact`: on the 24-hour clock.
    private struct Clock: Equatable {
        var minute: Int
        var isExact: Bool
    }

    private enum Part {
        case morning, afternoon, night
    }

    private var clock: Clock?
    private var part: Part?
    private(set) var day: AlarmDay?

    /// The minute of the day, if the time is stated and possible. `isEither`: neither morning nor evening was stated.
    var time: (minute: Int, isEither: Bool)? {
        guard let clock else { return nil }
        let half = clock.minute % 720
        switch part {
        case nil: return (clock.minute, !clock.isExact)
        case .morning:
            guard !clock.isExact || clock.minute < 720 else { return nil }
            return (half, false)
        case .afternoon:
            guard !clock.isExact || clock.minute >= 720 else { return nil }
            return (half + 720, false)
        case .night:
            // "Twelve tonight", "two at night"; but which night is "two tomorrow night"?
            if case .on = day, half < 300 { return nil }
            return (clock.isExact ? clock.minute : half < 300 ? half : half + 720, false)
        }
    }

    /// The weekday, if nothing else is stated. Recognisers write "Tuesday's" without its apostrophe.
    var weekdayAlone: String? {
        guard clock == nil, part == nil else { return nil }
        return switch day {
        case .on(let day) where Self.isWeekday(day): day
        case .every(let days) where days.count == 1 && Self.isWeekday(days[0]): days[0]
        default: nil
        }
    }

    /// Takes all that tells a time from the front, in any order.
    ///
    /// - Returns: false if there is none, or if it contradicts what is already known.
    static func take(_ words: inout ArraySlice<String>, into when: inout SpokenWhen) -> Bool {
        let count = words.count
        while !words.isEmpty {
            var left = words
            if let first = left.first, ["at", "for", "on", "by"].contains(first) { left = left.dropFirst() }
            if let day = takeDay(&left) {
                guard when.day == nil, when.part == nil || day.part == nil else { return false }
                when.day = day.day
                when.part = day.part ?? when.part
            } else if let part = takeFirst(of: parts, &words) {
                guard when.part == nil else { return false }
                when.part = part
                continue
            } else if let clock = takeClock(&left) {
                guard when.clock == nil else { return false }
                when.clock = clock
            } else {
                break
            }
            words = left
        }
        return words.count < count
    }

    // MARK: Tables

    private typealias Table<Value> = [([String], Value)]

    private static func table<Value>(_ rows: [(String, Value)]) -> Table<Value> {
        rows.map { ($0.split(separator: " ").map(String.init), $1) }
    }

    private static func takeFirst<Value>(of table: Table<Value>, _ words: inout ArraySlice<String>) -> Value? {
        guard let (form, value) = table.first(where: { words.starts(with: $0.0) }) else { return nil }
        words = words.dropFirst(form.count)
        return value
    }

    private static let parts = table([
        ("am", Part.morning), ("a m", .morning), ("in the morning", .morning), ("pm", .afternoon), ("p m", .afternoon),
        ("in the afternoon", .afternoon), ("in the evening", .afternoon), ("at night", .night),
    ])
    /// Behind a day.
    private static let partsOfDays = table([
        ("morning", Part.morning), ("mornings", .morning), ("afternoon", .afternoon), ("afternoons", .afternoon),
        ("evening", .afternoon), ("evenings", .afternoon), ("night", .night), ("nights", .night),
    ])
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    private static let spans = table([
        ("daily", "daily"), ("everyday", "daily"), ("every day", "daily"), ("each day", "daily"),
        ("weekdays", "weekdays"), ("weekday", "weekdays"), ("every weekday", "weekdays"), ("workdays", "weekdays"),
        ("every workday", "weekdays"), ("monday to friday", "weekdays"), ("monday through friday", "weekdays"),
        ("weekends", "weekends"), ("every weekend", "weekends"),
    ])

    // MARK: Days

    static func isWeekday(_ word: String) -> Bool { weekday(word) != nil }

    private static func weekday(_ word: String?) -> (name: String, isPlural: Bool)? {
        guard let word, let name = weekdays.first(where: { word.hasPrefix($0) }) else { return nil }
        return word == name ? (name, false) : word == name + "s" ? (name, true) : nil
    }

    private static func takeDay(_ words: inout ArraySlice<String>) -> (day: AlarmDay, part: Part?)? {
        guard let first = words.first else { return nil }
        var left = words
        let day: AlarmDay
        if first == "tonight" {
            words = words.dropFirst()
            return (.next, .night)
        } else if first == "today" || first == "tomorrow" {
            left = left.dropFirst()
            day = .on(first)
        } else if first == "this" {
            left = left.dropFirst()
            guard let part = takeFirst(of: partsOfDays, &left) else { return nil }
            words = left
            return (.on("today"), part)
        } else if let span = takeFirst(of: spans, &left) {
            day = .every([span])
        } else if first == "every" || first == "each" {
            left = left.dropFirst()
            if let part = takeFirst(of: partsOfDays, &left) {
                words = left
                return (.every(["daily"]), part)
            }
            let days = takeWeekdays(&left)
            guard !days.isEmpty else { return nil }
            day = .every(days)
        } else if let some = weekday(first) {
            if some.isPlural {
                day = .every(takeWeekdays(&left))
            } else {
                left = left.dropFirst()
                day = .on(some.name)
            }
        } else {
            return nil
        }
        let part = takeFirst(of: partsOfDays, &left)
        words = left
        return (day, part)
    }

    /// Takes a list: "Mondays, Wednesdays and Fridays".
    private static func takeWeekdays(_ words: inout ArraySlice<String>) -> [String] {
        var days: [String] = []
        var left = words
        while let day = weekday(left.first) {
            if !days.contains(day.name) { days.append(day.name) }
            left = left.dropFirst()
            words = left
            if left.first == "and" { left = left.dropFirst() }
        }
        return days
    }

    // MARK: Times of day

    private static let names = table([
        ("noon", 720), ("midday", 720), ("twelve noon", 720), ("12 noon", 720), ("midnight", 0), ("twelve midnight", 0),
        ("12 midnight", 0),
    ])

    /// Takes a time of day: "seven", "7 30", "half past six", "twenty to eight o'clock", "noon", "18 30".
    private static func takeClock(_ words: inout ArraySlice<String>) -> Clock? {
        var left = words
        if let minute = takeFirst(of: names, &left) {
            words = left
            return Clock(minute: minute, isExact: true)
        }
        guard let (offset, isRelative) = takeOffset(&left), let word = left.first, var hour = take(&left) else {
            return nil
        }
        var minutes = 0
        var isExact = word.utf8.count > 1 && word.first == "0"
        if !isRelative {
            if hour >= 100 {
                // "730", "0730", "eighteen hundred"
                (hour, minutes) = (hour / 100, hour % 100)
            } else if left.first == "oh" || left.first == "o" {
                left = left.dropFirst()
                guard let some = take(&left), some < 10 else { return nil }
                minutes = some
            } else {
                var rest = left
                if let word = rest.first, let some = take(&rest), some >= 10 || word.utf8.count == 2 {
                    (left, minutes) = (rest, some)
                }
            }
        }
        guard hour < 24, minutes < 60 else { return nil }
        if left.first == "o'clock" { left = left.dropFirst() }
        if !(1...12).contains(hour) { isExact = true }
        words = left
        return Clock(minute: (60 * hour + minutes + offset + 1440) % 1440, isExact: isExact)
    }

    private static func take(_ words: inout ArraySlice<String>) -> Int? { SpokenNumber.take(&words) }

    /// Takes what stands before the hour: "half past", "twenty minutes to", the "half" of "half seven"; nothing gives 0.
    ///
    /// - Returns: nil if the words are no time.
    private static func takeOffset(_ words: inout ArraySlice<String>) -> (minutes: Int, isRelative: Bool)? {
        var left = words
        if left.first == "a" { left = left.dropFirst() }
        let isHalf = left.first == "half"
        guard let amount = takeFirst(of: [(["half"], 30), (["quarter"], 15)], &left) ?? take(&left) else {
            return (0, false)
        }
        if left.first == "minutes" || left.first == "minute" { left = left.dropFirst() }
        guard let sign = takeFirst(of: [(["past"], 1), (["after"], 1), (["to"], -1), (["till"], -1)], &left) else {
            guard isHalf else { return (0, false) }
            words = words.dropFirst()
            return (30, true)
        }
        guard amount < 60, !isHalf || sign > 0 else { return nil }
        words = left
        return (sign * amount, true)
    }
}
