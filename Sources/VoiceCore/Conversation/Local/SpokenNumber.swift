/// Numbers and durations, as spoken and as recognisers write them.
enum SpokenNumber {
    private static let small: [String: Int] = {
        let names = [
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
            "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
        ]
        return Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    }()
    private static let tens = [
        "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    ]
    private static let units: [String: Int] = {
        var units: [String: Int] = [:]
        for name in ["second", "seconds", "sec", "secs"] { units[name] = 1 }
        for name in ["minute", "minutes", "min", "mins"] { units[name] = 60 }
        for name in ["hour", "hours", "hr", "hrs"] { units[name] = 3600 }
        for name in ["day", "days"] { units[name] = 86_400 }
        return units
    }()

    /// Whether a word belongs to a number or a duration.
    static func isPart(_ word: String) -> Bool {
        small[word] != nil || tens[word] != nil || units[word] != nil || word == "hundred"
            || word.unicodeScalars.first.map { ("0"..."9").contains($0) } ?? false
    }

    /// Takes a number of at most four digits from the front: "10", "twenty five", "a hundred and twenty".
    static func take(_ words: inout ArraySlice<String>) -> Int? {
        guard let word = words.first else { return nil }
        if let number = Int(word), (0...9999).contains(number), word.first != "+", word.first != "-" {
            words = words.dropFirst()
            return number
        }
        var left = words
        let isHundred = word == "a" && left.dropFirst().first == "hundred"
        guard let number = isHundred ? 1 : takeSmall(&left) else { return nil }
        if isHundred { left = left.dropFirst() }
        guard number < 100, left.first == "hundred" else {
            words = left
            return number
        }
        left = left.dropFirst()
        words = left
        if left.first == "and" { left = left.dropFirst() }
        guard let more = takeSmall(&left), more > 0 else { return 100 * number }
        words = left
        return 100 * number + more
    }

    /// Takes a number below a hundred in words.
    private static func takeSmall(_ words: inout ArraySlice<String>) -> Int? {
        guard let word = words.first else { return nil }
        if let number = small[word] {
            words = words.dropFirst()
            return number
        }
        guard let ten = tens[word] else { return nil }
        words = words.dropFirst()
        guard let one = words.first.flatMap({ small[$0] }), (1...9).contains(one) else { return ten }
        words = words.dropFirst()
        return ten + one
    }

    // MARK: Durations

    private static let fixed: [([String], Int)] = [
        ("half an hour", 1800), ("a half an hour", 1800), ("a half hour", 1800), ("half hour", 1800),
        ("a quarter of an hour", 900), ("quarter of an hour", 900), ("a quarter hour", 900), ("quarter hour", 900),
        ("three quarters of an hour", 2700), ("half a minute", 30), ("a half minute", 30), ("half minute", 30),
        ("a couple of minutes", 120), ("a couple of hours", 7200),
    ].map { ($0.split(separator: " ").map(String.init), $1) }

    /// Parts of the unit before them.
    private static let quarters: [([String], Int)] = [
        (["and", "a", "half"], 2), (["and", "a", "quarter"], 1), (["and", "three", "quarters"], 3),
    ]

    /// Takes a duration in seconds: "ten minutes", "an hour and a half", "half an hour", "1 hour 20 minutes", "two and
    /// a half hours", "one hour thirty".
    static func takeLength(_ words: inout ArraySlice<String>) -> Int? {
        var left = words
        var seconds = 0
        var unit: Int?
        while !left.isEmpty {
            var part = left
            if unit != nil, part.first == "and" { part = part.dropFirst() }
            if let some = takePart(&part) {
                seconds += some.seconds
                unit = some.unit
            } else if let last = unit, last == 60 || last == 3600, let some = take(&part), (1..<60).contains(some) {
                // "One hour thirty": of the next smaller unit.
                seconds += some * last / 60
                unit = 1
            } else {
                break
            }
            left = part
        }
        guard unit != nil else { return nil }
        words = left
        return seconds
    }

    private static func takePart(_ words: inout ArraySlice<String>) -> (seconds: Int, unit: Int)? {
        if let (form, seconds) = fixed.first(where: { words.starts(with: $0.0) }) {
            words = words.dropFirst(form.count)
            return (seconds, 1)
        }
        var left = words
        var amount: Int
        if let some = take(&left) {
            amount = 4 * some
        } else if let first = left.first, first == "a" || first == "an" {
            left = left.dropFirst()
            amount = 4
        } else {
            return nil
        }
        func takeQuarters() {
            guard let (form, some) = quarters.first(where: { left.starts(with: $0.0) }) else { return }
            left = left.dropFirst(form.count)
            amount += some
        }
        takeQuarters()
        guard let unit = left.first.flatMap({ units[$0] }) else { return nil }
        left = left.dropFirst()
        takeQuarters()
        words = left
        return (amount * unit / 4, unit)
    }
}
