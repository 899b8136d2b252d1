internal import VoiceBase

/// The words that times are made of.
enum TimeTable {
    enum Part: Sendable {
        case morning, afternoon, evening, night

        /// "7 pm this evening"
        func agrees(with other: Part) -> Bool {
            self == other || [self, other].allSatisfy { $0 == .afternoon || $0 == .evening }
        }
    }

    /// What a phrase says about a time of day.
    enum Mark: Sendable {
        case clock(Int)
        case part(Part)
        case day(TimerWish.Day, Part? = nil)
        case every(Weekdays, Part? = nil)
    }

    /// The longest phrase that fits counts.
    static let phrases: [([String], Mark)] = rows([
        ("noon, midday, twelve noon, 12 noon, 12:00 noon", .clock(720)),
        ("midnight, twelve midnight, 12 midnight", .clock(0)),
        ("am, a m, in the morning", .part(.morning)), ("at night", .part(.night)),
        ("pm, p m, in the afternoon", .part(.afternoon)), ("in the evening", .part(.evening)),
        ("today", .day(.after(0))), ("tomorrow", .day(.after(1))),
        ("day after tomorrow, the day after tomorrow", .day(.after(2))),
        ("tonight", .day(.next, .night)), ("this morning", .day(.after(0), .morning)),
        ("this afternoon", .day(.after(0), .afternoon)), ("this evening", .day(.after(0), .evening)),
        ("daily, everyday, every day, each day", .every(.daily)),
        ("weekdays, workdays, every weekday, every workday, each weekday", .every(.workdays)),
        ("weekends, every weekend", .every(.weekend)),
        ("every morning, each morning", .every(.daily, .morning)),
        ("every afternoon", .every(.daily, .afternoon)),
        ("every evening, each evening", .every(.daily, .evening)),
        ("every night", .every(.daily, .night)),
    ])

    /// Behind a day, and behind a time of day if nothing follows.
    static let parts: [String: Part] = [
        "morning": .morning, "mornings": .morning, "afternoon": .afternoon, "afternoons": .afternoon,
        "evening": .evening, "evenings": .evening, "night": .night, "nights": .night,
    ]

    static let units: [String: Int] = table([
        ("s, sec, secs, second, seconds", 1), ("m, min, mins, minute, minutes", 60), ("h, hr, hrs, hour, hours", 3600),
        ("d, day, days", 86_400), ("week, weeks", 604_800),
    ])

    /// May follow digits without a blank.
    static let attached = Set(units.keys).union(["am", "pm", "o'clock"])

    /// Behind "and", or in front of "an hour".
    static let fractions: [([String], Double)] = rows([
        ("half, a half", 0.5), ("quarter, a quarter", 0.25), ("three quarters", 0.75),
    ])

    /// Between two weekdays.
    static let ranges: Set<String> = ["to", "through", "thru"]

    static let signs = table([("past, after", 1), ("to, till, before", -1)])

    private static let numbers: [String: Int] = {
        let names = """
            zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen \
            eighteen nineteen
            """
        let tens = "twenty thirty forty fifty sixty seventy eighty ninety"
        let small = names.split(separator: " ").enumerated().map { (String($1), $0) }
        return Dictionary(
            uniqueKeysWithValues: small + tens.split(separator: " ").enumerated().map { (String($1), 10 * $0 + 20) }
        )
    }()

    /// Part of a time that is not read.
    static let others: Set<String> = [
        "every", "each", "pm", "o'clock", "week", "weeks", "weekend", "month", "months", "year", "years", "fortnight",
        "weekly",
        "monthly", "yearly", "hourly", "yesterday", "ago", "minus",
    ]

    private static let months = """
        january february march april may june july august september october november december
        """.split(separator: " ")

    static func isMonth(_ word: String) -> Bool { word.utf8.count >= 3 && months.contains { $0.hasPrefix(word) } }

    /// "24th"
    static func isOrdinal(_ word: String) -> Bool {
        ["st", "nd", "rd", "th"].contains { word.hasSuffix($0) && Int(word.dropLast(2)) != nil }
    }

    private static func rows<Value>(_ rows: [(String, Value)]) -> [([String], Value)] {
        rows.flatMap { list, value in
            list.split(separator: ", ").map { ($0.split(separator: " ").map(String.init), value) }
        }.sorted { $0.0.count > $1.0.count }
    }

    private static func table<Value>(_ rows: [(String, Value)]) -> [String: Value] {
        Dictionary(uniqueKeysWithValues: Self.rows(rows).map { ($0.0.joined(), $0.1) })
    }

    /// Consumes the longest of these phrases from the front.
    static func first<Value>(of rows: [([String], Value)], _ words: inout ArraySlice<String>) -> Value? {
        guard let (phrase, value) = rows.first(where: { words.starts(with: $0.0) }) else { return nil }
        words = words.dropFirst(phrase.count)
        return value
    }

    /// Consumes a number: "10", "1.5", "twenty five", "a hundred and twenty", "one point five".
    static func number(_ words: inout ArraySlice<String>) -> Double? {
        guard let word = words.first else { return nil }
        if word.utf8.allSatisfy({ 48...57 ~= $0 || $0 == 46 }), let number = Double(word), number.isFinite {
            words = words.dropFirst()
            // More than any use of it, and far less than an `Int` holds.
            return min(number, 1e9)
        }
        var left = words
        let isHundred = word == "a" && left.dropFirst().first == "hundred"
        if isHundred { left = left.dropFirst() }
        guard var number = isHundred ? 1 : belowHundred(&left) else { return nil }
        if left.first == "hundred" {
            number *= 100
            left = left.dropFirst()
            var more = left.first == "and" ? left.dropFirst() : left
            if let some = belowHundred(&more), some > 0 { (number, left) = (number + some, more) }
        }
        var tenth = left.dropFirst()
        if left.first == "point", let digit = belowHundred(&tenth), digit < 10 {
            words = tenth
            return Double(number) + Double(digit) / 10
        }
        words = left
        return Double(number)
    }

    private static func belowHundred(_ words: inout ArraySlice<String>) -> Int? {
        guard let number = words.first.flatMap({ numbers[$0] }) else { return nil }
        words = words.dropFirst()
        guard number >= 20, let one = words.first.flatMap({ numbers[$0] }), 1...9 ~= one else { return number }
        words = words.dropFirst()
        return number + one
    }

    /// Whether a word belongs to a number or a length.
    static func isNumeric(_ word: String) -> Bool {
        numbers[word] != nil || word == "hundred" || word.first.map { $0.isNumber || $0 == "-" } ?? false
    }

    /// Whether a word is nothing but a number, unlike "7up".
    static func isNumber(_ word: String) -> Bool {
        isNumeric(word) && (numbers[word] != nil || !word.contains(where: \.isLetter) || word == "hundred")
    }

    /// A weekday by its name, as few as three letters of it, or the plural of either; Monday is 0.
    static func weekday(_ word: String?) -> Int? {
        guard let word, word.utf8.count >= 3 else { return nil }
        let one = word.utf8.count > 3 && word.hasSuffix("s") ? word.dropLast() : word[...]
        return Weekdays.names.firstIndex { full in
            let full = full.lowercased()
            return full.hasPrefix(word) || full.hasPrefix(one)
        }
    }

    /// A date such as 2026-12-24, as days since 1970.
    static func date(_ text: some StringProtocol) -> Int? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2] else { return nil }
        return LocalTime.day(year: year, month: month, dayOfMonth: day)
    }
}
