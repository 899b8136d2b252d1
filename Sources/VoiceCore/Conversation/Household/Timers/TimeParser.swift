/// Reads lengths, times of day, days and repetitions, typed and spoken, from the front of a request: words -> phrases
/// (`TimeTable`) -> `TimerWish.When`, and the words that are left. Pure.
package struct TimeParser: Equatable, Sendable {
    private struct Clock: Equatable {
        var minute: Int
        /// On the 24-hour clock. `isFixed`: not even "pm" changes the hour, as it is 0, 13 or more.
        var isExact: Bool
        var isFixed = false
        /// A number alone, which may be anything.
        var isBare = false
        /// "12.10", which may be a day and a month.
        var isDateLike = false
    }

    /// Whether "7:30" is on the 24-hour clock, and several days alone ("sat, sun") repeat.
    private let isTyped: Bool
    /// The length in seconds, and the unit of its last part.
    private var seconds: Double?
    package private(set) var unit: Int?
    /// "Five more minutes": of something that is there.
    package private(set) var isMore = false
    private var clock: Clock?
    private var part: TimeTable.Part?
    private var day: TimerWish.Day?
    private var repeats: Weekdays = []

    package init(isTyped: Bool = false) { self.isTyped = isTyped }

    /// "Seven": a time of day only where nothing else is meant.
    package var isBare: Bool { clock?.isBare ?? false }

    /// The time, once enough is known of it; nil if something is missing or contradicts.
    package var when: TimerWish.When? {
        guard let clock else {
            guard let seconds, part == nil, day == nil, repeats.isEmpty else { return nil }
            return .after(Int(min(max(seconds.rounded(), 0), Double(Int32.max))))
        }
        guard seconds == nil, !clock.isBare || !isTyped || part != nil || day != nil || !repeats.isEmpty,
            !clock.isDateLike || !isTyped || part != nil, isRepeatedDay
        else { return nil }
        let half = clock.minute % 720
        var minute = clock.minute
        switch part {
        case nil: break
        case .morning where clock.isFixed && minute >= 720, .afternoon where clock.isFixed && minute < 720,
            .evening where clock.isFixed && minute < 720:
            return nil
        case .morning: minute = half
        case .afternoon: minute = half + 720
        case .evening, .night:
            // "Twelve tonight", "two at night"; but which night is "two tomorrow night"?
            if half >= (part == .night ? 300 : 60) {
                if !clock.isFixed { minute = half + 720 }
                break
            }
            let isNext = day == nil || day == .next || day == .after(0) && part == .evening
            guard isNext, repeats.isEmpty || repeats == .daily else { return nil }
            if !clock.isFixed { minute = half }
            return .at(minute: minute, .next, repeats: repeats)
        }
        var isEither = part == nil && !clock.isExact
        // What repeats is an order of the day; the reply names the hour.
        if isEither, !repeats.isEmpty { (minute, isEither) = (TimerWish.When.morning(minute), false) }
        return .at(minute: minute, day ?? .next, repeats: repeats, isEither: isEither)
    }

    /// Whether the day, if it is a certain one, is among those of the repetition.
    private var isRepeatedDay: Bool {
        guard let day, !repeats.isEmpty else { return true }
        return switch day {
        case .next, .after: true
        case .weekday(let number), .nextWeekday(let number): repeats.rawValue & 1 << number != 0
        case .date(let date): repeats.contains(day: date)
        }
    }

    /// The day, if nothing else is stated.
    package var dayAlone: TimerWish.Day? {
        guard clock == nil, part == nil, seconds == nil else { return nil }
        guard !repeats.isEmpty else { return day }
        let days = (0..<7).filter { repeats.rawValue & 1 << $0 != 0 }
        return day == nil && days.count == 1 ? .weekday(days[0]) : nil
    }

    /// The name of the weekday that is stated alone.
    package var dayName: String? {
        if case .weekday(let number)? = dayAlone { Weekdays.names[number].lowercased() } else { nil }
    }

    /// The seconds of a unit.
    package static func unit(_ word: String) -> Int? { TimeTable.units[word] }

    /// Reads a text that is nothing but a time: "10 minutes", "half past seven", "tomorrow".
    package init?(all text: String, isTyped: Bool = true) {
        self.init(isTyped: isTyped)
        var left = TimeWords(text).words[...]
        guard consume(&left), left.isEmpty else { return nil }
    }

    /// Consumes a length or a time, whichever is there.
    mutating func consume(_ words: inout ArraySlice<String>) -> Bool {
        var (parser, left) = (self, words)
        if parser.consumeTime(&left), parser.when != nil || parser.dayAlone != nil {
            (self, words) = (parser, left)
            return true
        }
        return consumeLength(&words)
    }

    /// Whether anything in these words still looks like a time, or their front like the rest of one.
    ///
    /// - Parameter isOfClock: whether they stand behind a time of day. No half of a day follows a length: "morning coffee".
    package static func isTime(_ words: ArraySlice<String>, isOfClock: Bool = true) -> Bool {
        guard let first = words.first else { return false }
        let isRest = TimeTable.signs[first] != nil && words.dropFirst().first.map(TimeTable.isNumeric) ?? false
        let isPart = TimeTable.parts[first] != nil && (isOfClock || words.count == 1)
        if isRest || isPart || words.allSatisfy(TimeTable.isNumber) { return true }
        return words.indices.contains { index in
            let word = words[index]
            let beside = [index - 1, index + 1].filter(words.indices.contains).map { words[$0] }
            if TimeTable.others.contains(word) || word == "am" && beside.first != "i" { return true }
            if TimeTable.isMonth(word), beside.contains(where: TimeTable.isNumeric) { return true }
            if TimeTable.isNumeric(word),
                word.contains(where: ":/".contains) || word.hasPrefix("-") || TimeTable.isOrdinal(word)
            {
                return true
            }
            var left = words[index...]
            var parser = TimeParser(isTyped: true)
            return parser.consume(&left)
        }
    }

    /// Whether a word alone belongs to a length, a day or a time.
    package static func isPart(_ word: String) -> Bool {
        TimeTable.isNumeric(word) || TimeTable.units[word] != nil || TimeTable.parts[word] != nil
            || TimeTable.isMonth(word)
            || TimeTable.weekday(word) != nil || TimeTable.others.contains(word)
            || TimeTable.phrases.contains { $0.0 == [word] }
    }

    /// Consumes a whole number below 10,000.
    package static func number(_ words: inout ArraySlice<String>) -> Int? {
        var left = words
        guard let number = TimeTable.number(&left), number < 10_000, number == number.rounded() else { return nil }
        words = left
        return Int(number)
    }

    // MARK: Lengths

    /// Consumes a length: "ten minutes", "1 h 30 m", "an hour and a half", "half an hour", "two and a half hours", "one hour
    /// thirty". Its units get smaller: "10 minutes and 20 minutes" are two.
    package mutating func consumeLength(_ words: inout ArraySlice<String>) -> Bool {
        guard seconds == nil else { return false }
        var left = words
        var last: Int?
        var total = 0.0
        while true {
            var next = last != nil && left.first == "and" ? left.dropFirst() : left
            if let some = Self.amount(&next), some.unit < last ?? .max {
                total += some.amount * Double(some.unit)
                last = some.unit
            } else if let unit = last, unit == 60 || unit == 3600, let some = TimeTable.number(&next), 1..<60 ~= some,
                some == some.rounded(), !isTyped || next.isEmpty && some >= 10
            {
                total += some * Double(unit) / 60
                last = unit / 60
            } else {
                break
            }
            left = next
        }
        guard let last else { return false }
        if left.first == "from", left.dropFirst().first ?? "now" == "now" { left = left.dropFirst(2) }
        if left.starts(with: ["or", "so"]) { left = left.dropFirst(2) }
        isMore = words[..<left.startIndex].contains("more")
        (seconds, unit, words) = (total, last, left)
        return true
    }

    /// Consumes a number as a length in units that are known from before: "... and another for twenty".
    package mutating func consumeNumber(of unit: Int, _ words: inout ArraySlice<String>) -> Bool {
        guard seconds == nil, let number = TimeTable.number(&words) else { return false }
        (seconds, self.unit) = (number * Double(unit), unit)
        return true
    }

    private static func amount(_ words: inout ArraySlice<String>) -> (amount: Double, unit: Int)? {
        var left = words
        var amount: Double
        func fraction() -> Double {
            var more = left.dropFirst()
            guard left.first == "and", let some = TimeTable.first(of: TimeTable.fractions, &more) else { return 0 }
            left = more
            return some
        }
        if let some = TimeTable.first(of: TimeTable.fractions, &left) {
            amount = some
            if left.first == "of" { left = left.dropFirst() }
            if left.first == "a" || left.first == "an" { left = left.dropFirst() }
        } else if let some = TimeTable.number(&left) {
            amount = some + fraction()
        } else if left.first == "a" || left.first == "an" {
            left = left.dropFirst()
            amount = 1
            if left.first == "couple" {
                (amount, left) = (2, left.dropFirst())
                if left.first == "of" { left = left.dropFirst() }
            }
        } else {
            return nil
        }
        if left.first == "more" { left = left.dropFirst() }
        guard let unit = left.first.flatMap({ TimeTable.units[$0] }) else { return nil }
        // "0730 hours" is a time of day.
        if unit == 3600, words.first?.utf8.count == 4, words.first?.utf8.first == 48,
            Int(words[words.startIndex]) != nil
        {
            return nil
        }
        // "1.30 h" may be an hour and a half.
        if unit == 3600, let digits = words.first?.split(separator: ".").dropFirst().first, digits.utf8.count == 2,
            !["25", "50", "75"].contains(digits)
        {
            return nil
        }
        left = left.dropFirst()
        amount += fraction()
        words = left
        return (amount, unit)
    }

    // MARK: Times of day

    /// Consumes a time of day, a day and repetitions from the front, in any order; false if there is none, or if it
    /// contradicts what is already known.
    package mutating func consumeTime(_ words: inout ArraySlice<String>) -> Bool {
        let count = words.count
        while let first = words.first {
            let isRange =
                first == "from" && TimeTable.weekday(words.dropFirst().first) != nil
                && words.dropFirst(2).first.map(TimeTable.ranges.contains) ?? false
            let isLed = ["at", "for", "on", "by"].contains(first) || isRange
            var left = words
            var next = self
            // "At night" begins as "at seven" does.
            var isDay = next.consumeDay(&left)
            if !isDay, isLed {
                left = words.dropFirst()
                isDay = next.consumeDay(&left)
            }
            if isDay {
                guard next.isConsistent(with: self) else { return false }
            } else if clock == nil, let found = readClock(&left) {
                next.clock = found
                next.clock?.isBare = found.isBare && first != "at"
                next.clock?.isDateLike = found.isDateLike && first != "at"
            } else if clock != nil, part == nil, let some = TimeTable.parts[first], words.count == 1 {
                next.part = some
                left = words.dropFirst()
            } else {
                break
            }
            (self, words) = (next, left)
        }
        return words.count < count
    }

    private func isConsistent(with before: TimeParser) -> Bool {
        let isSame =
            (before.day == nil || before.day == day)
            && (before.part.map { some in part.map(some.agrees) ?? false } ?? true)
        // Models name the first day too: "tomorrow", or the Monday of "every Monday".
        let mayRepeat = day == nil || repeats.isEmpty || isTyped
        return isSame && mayRepeat && (before.clock == nil || before.clock == clock)
    }

    private mutating func consumeDay(_ words: inout ArraySlice<String>) -> Bool {
        var left = words
        if let mark = TimeTable.first(of: TimeTable.phrases, &left) {
            switch mark {
            case .clock(let minute): clock = Clock(minute: minute, isExact: true, isFixed: true)
            case .part(let some): part = some
            case .day(let some, let half): (day, part) = (some, half ?? part)
            case .every(let days, let half):
                repeats.formUnion(days)
                part = half ?? part
            }
            if case .part = mark {
                words = left
                return true
            }
            if case .clock = mark {
                words = left
                return true
            }
        } else if let first = left.first, let date = TimeTable.date(first) {
            day = .date(date)
            left = left.dropFirst()
        } else {
            let isEvery = left.first == "every" || left.first == "each"
            let isNext = left.first == "next"
            if isEvery || isNext || left.first == "this" { left = left.dropFirst() }
            var days: [Int] = []
            var isPlural = false
            var rest = left
            while let some = TimeTable.weekday(rest.first) {
                isPlural = isPlural || rest.first?.hasSuffix("days") ?? false
                rest = rest.dropFirst()
                if let joint = rest.first, TimeTable.ranges.contains(joint),
                    let end = TimeTable.weekday(rest.dropFirst().first)
                {
                    days += (some...(end < some ? end + 7 : end)).map { $0 % 7 }
                    isPlural = true
                    rest = rest.dropFirst(2)
                } else {
                    days.append(some)
                }
                left = rest
                if rest.first == "and" { rest = rest.dropFirst() }
            }
            guard let first = days.first, !isNext || days.count == 1 else { return false }
            // "Daily, sun" may be meant without the Sunday.
            if days.allSatisfy({ repeats.rawValue & 1 << $0 != 0 && repeats.rawValue != 1 << $0 }) { return false }
            if isEvery || isPlural || !repeats.isEmpty || days.count > 1 && isTyped {
                for day in days { repeats.formUnion(Weekdays(rawValue: 1 << day)) }
            } else if days.count == 1 {
                day = isNext ? .nextWeekday(first) : .weekday(first)
            } else {
                return false
            }
        }
        if part == nil, let some = left.first.flatMap({ TimeTable.parts[$0] }) {
            part = some
            left = left.dropFirst()
        }
        words = left
        return true
    }

    /// Consumes a time of day: "seven", "7:30", "7 30", "half past six", "twenty to eight o'clock", "noon", "18:30".
    private func readClock(_ words: inout ArraySlice<String>) -> Clock? {
        // "At seven to call" is not seven minutes before an hour.
        readClock(&words, Self.offset) ?? readClock(&words) { _ in 0 }
    }

    private func readClock(_ words: inout ArraySlice<String>, _ offset: (inout ArraySlice<String>) -> Int?) -> Clock? {
        var left = words
        guard let offset = offset(&left), let word = left.first else { return nil }
        var clock: Clock
        var named = left
        if offset != 0, case .clock(let minute)? = TimeTable.first(of: TimeTable.phrases, &named) {
            (clock, left) = (Clock(minute: minute, isExact: true, isFixed: true), named)
        } else {
            guard let (hour, minute, isWritten) = Self.hour(&left, isAlone: offset == 0), hour < 24, minute < 60 else {
                return nil
            }
            let isFixed = hour == 0 || hour > 12
            let isExact = isFixed || isWritten && isTyped || word.utf8.count > 1 && word.first == "0"
            // "0730"
            let isWhole = isTyped && word.utf8.count == 4 && word.first == "0"
            clock = Clock(
                minute: 60 * hour + minute, isExact: isExact, isFixed: isFixed,
                isBare: !isWritten && !isWhole && offset == 0,
                isDateLike: isWritten && word.contains(".") && 1...12 ~= minute
            )
        }
        if left.first == "o'clock" {
            left = left.dropFirst()
            clock.isBare = false
        }
        // "0730 hours"; a timer of so many hours would be too long.
        if word.utf8.count == 4, offset == 0, word.utf8.allSatisfy({ 48...57 ~= $0 }),
            left.first.flatMap({ TimeTable.units[$0] }) == 3600
        {
            left = left.dropFirst()
            (clock.isBare, clock.isExact) = (false, true)
        }
        // "5 to 7 minutes", but "7:00 day after tomorrow"
        var phrase = left
        let isUnit = left.first.map { TimeTable.units[$0] != nil } ?? false
        guard !isUnit || TimeTable.first(of: TimeTable.phrases, &phrase) != nil else { return nil }
        clock.minute = (clock.minute + offset + 1440) % 1440
        words = left
        return clock
    }

    /// - Parameter isAlone: nothing such as "half past" is before it, so that minutes may follow.
    private static func hour(
        _ words: inout ArraySlice<String>,
        isAlone: Bool
    ) -> (hour: Int, minute: Int, isWritten: Bool)? {
        guard let word = words.first else { return nil }
        var left = words.dropFirst()
        var parts = word.split(separator: word.contains(":") ? ":" : ".", omittingEmptySubsequences: false)
        // "07:00:00", but "01:30:00" may be a length.
        if parts.count == 3, word.contains(":"), parts[0].utf8.count == 2, parts[2] == "00",
            TimerWish.clockHours.contains(Int(parts[0]) ?? 0)
        {
            parts.removeLast()
        }
        if isAlone, parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { 48...57 ~= $0 } }) {
            guard 1...2 ~= parts[0].utf8.count, parts.dropFirst().allSatisfy({ $0.utf8.count == 2 }),
                let hour = Int(parts[0]), let minute = Int(parts[1])
            else { return nil }
            words = left
            return (hour, minute, true)
        }
        left = words
        guard let number = TimeTable.number(&left), number == number.rounded(), 0..<2400 ~= number else { return nil }
        words = left
        // "730", "0730", "eighteen hundred"
        if number >= 100 || word.utf8.count == 4 && word.first == "0" {
            return (Int(number) / 100, Int(number) % 100, false)
        }
        guard isAlone else { return (Int(number), 0, false) }
        let isLed = left.first == "oh" || left.first == "o"
        if isLed { left = left.dropFirst() }
        guard let second = left.first, let minute = TimeTable.number(&left), minute == minute.rounded(),
            isLed ? minute < 10 : minute >= 10 || second.utf8.count == 2 && second.first == "0"
        else { return isLed ? nil : (Int(number), 0, false) }
        words = left
        return (Int(number), Int(minute), false)
    }

    /// Consumes what stands before the hour, in minutes: "half past", "twenty minutes to", the "half" of "half seven"; 0 for
    /// nothing, nil if it is not a time.
    private static func offset(_ words: inout ArraySlice<String>) -> Int? {
        var left = words
        let part = TimeTable.first(of: TimeTable.fractions, &left).map { 60 * $0 }
        guard let amount = part ?? TimeTable.number(&left) else { return 0 }
        if part == nil, left.first == "minutes" || left.first == "minute" { left = left.dropFirst() }
        guard let sign = left.first.flatMap({ TimeTable.signs[$0] }) else {
            if part == 30 { words = left }
            return part == nil ? 0 : part == 30 ? 30 : nil
        }
        guard amount < 60, amount == amount.rounded(), part != 30 || sign > 0 else { return nil }
        words = left.dropFirst()
        return sign * Int(amount)
    }
}
