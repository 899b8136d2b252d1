/// When an episode was published, as feeds write it:
///
///     Tue, 10 Jun 2025 04:00:00 +0200     10. Juni 2025     June 10, 2025     2025-06-10T04:00:00Z     10/06/2025     1749520800
package struct FeedDate: Equatable, Sendable {
    /// Unix seconds. Without a time of day, midnight; without a zone, UTC.
    package var seconds: Int
    /// The same with the first number as the month, where both readings of "03/04/2025" are possible.
    package var monthFirst: Int?
    /// Whether the month comes first, if this date shows that.
    package var showsMonthFirst: Bool?

    /// Longest text that is read, in bytes.
    private static let longest = 128

    /// The beginnings of the names of months in English, German, French, Spanish, Italian, Portuguese, Dutch and Swedish.
    private static let months = [
        ["jan", "j\u{E4}n", "ene", "gen"], ["feb", "fev", "f\u{E9}v"], ["mar", "m\u{E4}r", "mrz", "mrt", "maa"],
        ["apr", "avr", "abr"], ["may", "mai", "mei", "mag", "maj"], ["jun", "juin", "giu"], ["jul", "juil", "lug"],
        ["aug", "ago", "ao\u{FB}", "aou"], ["sep", "set"], ["oct", "okt", "ott", "out"], ["nov"],
        ["dec", "dez", "dic", "d\u{E9}c"],
    ]
    /// Hours east of UTC, by the names of RFC 822 section 5 and of central Europe.
    private static let zones = [
        "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "BST": 1, "CET": 1,
        "MEZ": 1, "CEST": 2, "MESZ": 2,
    ]

    private enum Word: Equatable {
        case number(Int, digits: Int)
        case letters(String)

        /// A number of at most two digits.
        var short: Int? { if case .number(let value, digits: 1...2) = self { value } else { nil } }
        var year: Int? {
            switch self {
            case .number(let value, digits: 4) where value > 1900: value
            case .number(let value, digits: 2): value < 70 ? 2000 + value : 1900 + value
            default: nil
            }
        }
    }

    /// Returns nil if the text cannot be read.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        let (rest, timeOfDay) = Self.withoutTime(Array(text))
        var time = timeOfDay
        let words = Self.words(rest)
        if let day = Self.named(words) {
            self.init(day, time)
            return
        }
        let numbers = words.compactMap { if case .number(let value, let digits) = $0 { (value, digits) } else { nil } }
        guard let first = numbers.first else { return nil }
        switch first.1 {
        case 8 where numbers.count <= 2:
            // "20250610T040000Z"
            if numbers.count == 2 {
                time = numbers[1].0 / 10_000 * 3600 + numbers[1].0 / 100 % 100 * 60 + numbers[1].0 % 100
            }
            self.init((first.0 / 10_000, first.0 / 100 % 100, first.0 % 100), time)
        case 9...10 where numbers.count == 1: self.init(seconds: first.0)
        case 13 where numbers.count == 1: self.init(seconds: first.0 / 1000)
        case 4 where numbers.count >= 2:
            self.init((first.0, numbers[1].0, numbers.count > 2 ? numbers[2].0 : 1), time)
        case 1...2 where numbers.count == 3:
            guard let year = Word.number(numbers[2].0, digits: numbers[2].1).year else { return nil }
            let (day, month) = (first.0, numbers[1].0)
            let mayBeEither = rest.contains("/")
            let other = mayBeEither ? FeedDate((year, day, month), time) : nil
            guard let read = FeedDate((year, month, day), time) else {
                guard let other else { return nil }
                self = other
                showsMonthFirst = true
                return
            }
            self = read
            monthFirst = other?.seconds
            showsMonthFirst = mayBeEither && other == nil ? false : nil
        default: return nil
        }
    }

    private init(seconds: Int) { self.seconds = seconds }

    /// - Parameter time: seconds since midnight UTC, negative if the zone is east of it.
    private init?(_ day: (year: Int, month: Int, day: Int), _ time: Int) {
        guard (1900...9999).contains(day.year), (1...12).contains(day.month), (1...31).contains(day.day) else {
            return nil
        }
        // Counts from March, so that a leap day ends its year.
        let year = day.month > 2 ? day.year : day.year - 1
        let month = (day.month + 9) % 12
        let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day.day - 719_469
        seconds = days * 86_400 + time
    }

    /// The first word that names a month, with a day and a year beside it.
    private static func named(_ words: [Word]) -> (Int, Int, Int)? {
        func word(_ index: Int) -> Word? { words.indices.contains(index) ? words[index] : nil }
        for (index, name) in words.enumerated() {
            guard case .letters(let letters) = name,
                let month = months.firstIndex(where: { $0.contains(where: letters.hasPrefix) }),
                // Finnish: "marraskuu" is November.
                !letters.hasSuffix("kuu"), !letters.hasSuffix("kuuta")
            else { continue }
            // "10 Jun 2025", "10th June 2025", "10 de junio de 2025"
            if let day = word(index - 1)?.short ?? (index > 1 ? word(index - 2)?.short : nil),
                let year = word(index + 1)?.year ?? word(index + 2)?.year
            {
                return (year, month + 1, day)
            }
            // "June 10, 2025", but not the Tuesday of "mar. 10/06/2025"
            if let day = word(index + 1)?.short, let year = word(index + 2)?.year, word(index + 3)?.year == nil {
                return (year, month + 1, day)
            }
        }
        return nil
    }

    private static func words(_ text: [Character]) -> [Word] {
        text.split { !isDigit($0) && !$0.isLetter }.flatMap { run in
            var words: [Word] = []
            var rest = run[...]
            while let first = rest.first {
                let piece = rest.prefix { isDigit($0) == isDigit(first) }
                rest = rest.dropFirst(piece.count)
                let text = String(piece)
                words.append(Int(text).map { .number($0, digits: piece.count) } ?? .letters(text.lowercased()))
            }
            return words
        }
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

    // MARK: The time of day

    /// Takes "04:00:00.5 PM +0200" out of the text; returns it in seconds since midnight UTC, 0 if there is none.
    private static func withoutTime(_ text: [Character]) -> (rest: [Character], time: Int) {
        guard let colon = text.firstIndex(of: ":"),
            case let hour = text[..<colon].reversed().prefix(while: isDigit).count, (1...2).contains(hour)
        else { return (text, 0) }
        let start = colon - hour
        let end = text[start...].firstIndex { !isDigit($0) && $0 != ":" && $0 != "." } ?? text.endIndex
        let parts = text[start..<end].split { $0 == ":" || $0 == "." }.prefix(3).map { Int(String($0)) ?? 0 }
        guard parts.count > 1, parts.allSatisfy({ $0 < 61 }) else { return (text, 0) }
        var time = parts[0] * 3600 + parts[1] * 60 + (parts.count > 2 ? parts[2] : 0)
        var rest = text[end...].drop { $0 == " " }
        let half = String(rest.prefix(2)).lowercased()
        if half == "pm" || half == "am" {
            time += half == "pm" && parts[0] < 12 ? 43_200 : half == "am" && parts[0] == 12 ? -43_200 : 0
            rest = rest.dropFirst(2).drop { $0 == " " }
        }
        if rest.first == "+" || rest.first == "-" {
            let digits = rest.dropFirst().prefix { isDigit($0) || $0 == ":" }
            let number = min(Int(String(digits.filter { $0 != ":" })) ?? 0, 9999)
            let zone = digits.count < 3 ? number * 3600 : number / 100 * 3600 + number % 100 * 60
            time += (rest.first == "+" ? -1 : 1) * min(zone, 86_400)
            rest = rest.dropFirst(1 + digits.count)
        } else {
            let name = rest.prefix(while: \.isLetter)
            time -= (zones[String(name).uppercased()] ?? 0) * 3600
            rest = rest.dropFirst(name.count)
        }
        return (Array(text[..<start] + [" "] + rest), time)
    }
}
