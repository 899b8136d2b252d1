/// A command the local voice carries out by itself, without agent, network or model.
package enum LocalCommand: Equatable, Sendable {
    case stop
    case pause
    case resume
    case next
    case previous
    /// By this many percent.
    case changeVolume(by: Int)
    case volume(to: Int)
    case time
    case date
    /// The name is empty if none was given.
    case timer(seconds: Int, name: String)
    /// Minutes since midnight, at the next occurrence. `isEither`: neither morning nor evening was stated, so the
    /// earlier of both.
    case alarm(minute: Int, isEither: Bool)
    case listTimers
    /// nil: the one that is ringing, or the only one.
    case cancelTimer(named: String?)
    /// Repeat the last answer; continue it.
    case again
    case more
    case mute
    case help
}

/// The local grammar, in English. Matches only whole utterances, so that no part of a question to the agent is taken
/// for a command.
package enum LocalGrammar {
    /// Returns nil if the text is for the agent.
    /// - Parameter text: the recognised text of a whole turn.
    package static func command(in text: String) -> LocalCommand? {
        // No command is longer, and the length of a recogniser's output is not trusted.
        guard text.utf8.count <= 200 else { return nil }
        var words = LocalTurn.words(text.lowercased().replacing(" a.m.", with: " am").replacing(" p.m.", with: " pm"))
        while let first = words.first, openings.contains(first) { words.removeFirst() }
        while let last = words.last, closings.contains(last) { words.removeLast() }
        guard !words.isEmpty else { return nil }
        return fixed[words.joined(separator: " ")] ?? volume(words) ?? timer(words) ?? alarm(words) ?? cancel(words)
    }

    private static let openings: Set<String> = [
        "please", "hey", "jarvis", "okay", "ok", "now", "can", "could", "you", "just",
    ]
    private static let closings: Set<String> = ["please", "jarvis", "now", "thanks"]

    private static let fixed: [String: LocalCommand] = {
        var all: [String: LocalCommand] = [:]
        func add(_ command: LocalCommand, _ texts: String...) { for text in texts { all[text] = command } }
        add(
            .stop,
            "stop",
            "stop it",
            "stop that",
            "stop talking",
            "be quiet",
            "quiet",
            "silence",
            "never mind",
            "shut up",
            "enough"
        )
        add(.pause, "pause", "pause it", "pause the music", "pause that", "pause playback")
        add(
            .resume,
            "resume",
            "go on playing",
            "resume the music",
            "play on",
            "unpause",
            "resume playback",
            "continue the music"
        )
        add(.next, "next", "skip", "skip this", "skip it", "next one", "next song", "next track", "next station")
        add(.previous, "previous", "previous one", "previous song", "previous track", "go back one")
        add(
            .changeVolume(by: 10),
            "louder",
            "volume up",
            "turn it up",
            "turn up the volume",
            "a bit louder",
            "a little louder"
        )
        add(
            .changeVolume(by: -10),
            "quieter",
            "softer",
            "volume down",
            "turn it down",
            "turn down the volume",
            "a bit quieter",
            "not so loud"
        )
        add(.time, "what time is it", "what's the time", "what is the time", "time", "tell me the time")
        add(
            .date,
            "what day is it",
            "what's the date",
            "what is the date",
            "what date is it",
            "what day is it today",
            "what's today's date"
        )
        add(
            .listTimers,
            "which timers are set",
            "list timers",
            "list my timers",
            "what timers are set",
            "what timers do i have",
            "how much time is left",
            "how long is left",
            "which alarms are set",
            "list alarms",
            "list my alarms"
        )
        add(
            .again,
            "again",
            "repeat",
            "repeat that",
            "say that again",
            "say it again",
            "what did you say",
            "pardon",
            "once more"
        )
        add(.more, "more", "go on", "continue", "tell me more", "keep going", "read on")
        add(.mute, "mute", "mute yourself", "mute the microphone", "stop listening")
        add(.help, "help", "what can you do", "what can i say")
        return all
    }()

    // MARK: Volume

    /// "volume 40", "set the volume to forty percent".
    private static func volume(_ words: [String]) -> LocalCommand? {
        var left = words[...]
        if left.first == "set" { left = left.dropFirst() }
        if left.first == "the" { left = left.dropFirst() }
        guard left.first == "volume" else { return nil }
        left = left.dropFirst()
        if left.first == "to" || left.first == "at" { left = left.dropFirst() }
        guard let number = SpokenNumber.take(&left) else { return nil }
        if left.first == "percent" { left = left.dropFirst() }
        return left.isEmpty && number <= 100 ? .volume(to: number) : nil
    }

    // MARK: Timers

    private static let verbs: [[String]] = [
        ["set", "a"], ["set", "an"], ["set"], ["start", "a"], ["start", "an"], ["start"], ["give", "me", "a"],
        ["make", "a"], ["new"],
        ["i", "need", "a"], [],
    ]

    /// "set a timer for ten minutes", "ten minute timer", "set a tea timer for an hour and a half", "timer five
    /// minutes".
    private static func timer(_ words: [String]) -> LocalCommand? {
        for verb in verbs where words.starts(with: verb) {
            var left = words.dropFirst(verb.count)
            if left.first == "another" { left = left.dropFirst() }
            // "ten minute [tea] timer"
            var front = left
            if let seconds = SpokenNumber.takeLength(&front), front.last == "timer" {
                let name = front.dropLast()
                if name.count <= 3 { return length(seconds, name) }
            }
            // "[tea] timer for ten minutes [called tea]"
            guard let place = left.firstIndex(of: "timer"), place - left.startIndex <= 3 else { continue }
            let name = left[left.startIndex..<place]
            var rest = left[(place + 1)...]
            if rest.first == "for" || rest.first == "of" { rest = rest.dropFirst() }
            guard let seconds = SpokenNumber.takeLength(&rest) else { continue }
            guard let first = rest.first else { return length(seconds, name) }
            if ["called", "named", "for"].contains(first), rest.count > 1, rest.count <= 6, name.isEmpty {
                var called = rest.dropFirst()
                if called.first == "the", called.count > 1 { called = called.dropFirst() }
                return length(seconds, called)
            }
        }
        return nil
    }

    private static func length(_ seconds: Int, _ name: some Sequence<String>) -> LocalCommand? {
        (1...30 * 86_400).contains(seconds) ? .timer(seconds: seconds, name: name.joined(separator: " ")) : nil
    }

    /// "wake me at seven", "set an alarm for 6:30 am", "alarm at half past six".
    private static func alarm(_ words: [String]) -> LocalCommand? {
        let beginnings: [[String]] = [
            ["wake", "me", "up", "at"], ["wake", "me", "at"], ["set", "an", "alarm", "for"],
            ["set", "an", "alarm", "at"],
            ["set", "the", "alarm", "for"], ["alarm", "at"], ["alarm", "for"], ["set", "alarm", "for"],
        ]
        guard let beginning = beginnings.first(where: { words.starts(with: $0) }) else { return nil }
        var left = words.dropFirst(beginning.count)
        guard let clock = SpokenNumber.takeClock(&left), left.isEmpty else { return nil }
        return .alarm(minute: clock.minute, isEither: clock.isEither)
    }

    /// "cancel the tea timer", "stop the timer", "cancel all timers", "turn off the alarm".
    private static func cancel(_ words: [String]) -> LocalCommand? {
        let beginnings: [[String]] = [["cancel"], ["stop"], ["delete"], ["remove"], ["turn", "off"], ["end"]]
        guard let beginning = beginnings.first(where: { words.starts(with: $0) }), let last = words.last else {
            return nil
        }
        var middle = words.dropFirst(beginning.count)
        guard ["timer", "timers", "alarm", "alarms"].contains(last), !middle.isEmpty else { return nil }
        middle = middle.dropLast()
        if middle.contains("all") || last.hasSuffix("s") && middle.allSatisfy({ ["the", "my", "all"].contains($0) }) {
            return .cancelTimer(named: "all")
        }
        while let first = middle.first, ["the", "my", "that", "this"].contains(first) { middle = middle.dropFirst() }
        guard middle.count <= 3 else { return nil }
        return .cancelTimer(named: middle.isEmpty ? nil : middle.joined(separator: " "))
    }
}

/// Numbers, durations and times of day, as spoken and as recognisers write them.
enum SpokenNumber {
    private static let small: [String: Int] = {
        let names = [
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
            "thirteen",
            "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
        ]
        return Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    }()
    private static let tens = [
        "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    ]
    private static let units = [
        "second": 1, "seconds": 1, "minute": 60, "minutes": 60, "min": 60, "hour": 3600, "hours": 3600, "day": 86_400,
        "days": 86_400,
    ]

    /// Takes a number of at most four digits from the front: "10", "twenty five".
    static func take(_ words: inout ArraySlice<String>) -> Int? {
        guard let word = words.first else { return nil }
        if let number = Int(word), (0...9999).contains(number) {
            words = words.dropFirst()
            return number
        }
        if let number = small[word] {
            words = words.dropFirst()
            if words.first == "hundred" {
                words = words.dropFirst()
                return number * 100
            }
            return number
        }
        guard let ten = tens[word] else { return nil }
        words = words.dropFirst()
        guard let one = words.first.flatMap({ small[$0] }), (1...9).contains(one) else { return ten }
        words = words.dropFirst()
        return ten + one
    }

    /// Takes a duration in seconds: "ten minutes", "an hour and a half", "half an hour", "1 hour 20 minutes", "two and
    /// a half hours".
    static func takeLength(_ words: inout ArraySlice<String>) -> Int? {
        var left = words
        var seconds = 0
        var isAny = false
        while !left.isEmpty {
            var part = left
            if isAny, part.first == "and" { part = part.dropFirst() }
            guard let some = takePart(&part, isMore: isAny) else { break }
            seconds += some
            isAny = true
            left = part
        }
        guard isAny else { return nil }
        words = left
        return seconds
    }

    private static func takePart(_ words: inout ArraySlice<String>, isMore: Bool) -> Int? {
        if words.starts(with: ["half", "an", "hour"]) {
            words = words.dropFirst(3)
            return 1800
        }
        if words.starts(with: ["half", "a", "minute"]) {
            words = words.dropFirst(3)
            return 30
        }
        if words.starts(with: ["quarter", "of", "an", "hour"]) || words.starts(with: ["a", "quarter", "hour"]) {
            words = words.dropFirst(words.first == "a" ? 3 : 4)
            return 900
        }
        var left = words
        let number: Int
        if let first = left.first, first == "a" || first == "an" {
            left = left.dropFirst()
            number = 1
        } else {
            guard let some = take(&left) else { return nil }
            number = some
        }
        var halves = 2 * number
        if left.starts(with: ["and", "a", "half"]) {
            left = left.dropFirst(3)
            halves += 1
        }
        guard let unit = left.first.flatMap({ units[$0] }) else { return nil }
        left = left.dropFirst()
        if left.starts(with: ["and", "a", "half"]) {
            left = left.dropFirst(3)
            halves += 1
        }
        words = left
        return halves * unit / 2
    }

    /// Takes a time of day: "seven", "7 30 am", "half past six", "quarter to eight in the evening", "noon", "18 30".
    static func takeClock(_ words: inout ArraySlice<String>) -> (minute: Int, isEither: Bool)? {
        var left = words
        if let noon = ["noon": 720, "midday": 720, "midnight": 0][left.first ?? ""] {
            words = left.dropFirst()
            return (noon, false)
        }
        var minutes = 0
        if left.starts(with: ["half", "past"]) {
            left = left.dropFirst(2)
            minutes = 30
        } else if left.starts(with: ["quarter", "past"]) {
            left = left.dropFirst(2)
            minutes = 15
        } else if left.starts(with: ["quarter", "to"]) {
            left = left.dropFirst(2)
            minutes = -15
        }
        guard var hour = take(&left) else { return nil }
        if minutes == 0, hour >= 100 {
            // "730"
            (hour, minutes) = (hour / 100, hour % 100)
        } else if minutes == 0, left.first == "oh" || left.first == "o" {
            left = left.dropFirst()
            guard let some = take(&left), some < 10 else { return nil }
            minutes = some
        } else if minutes == 0, left.first != "o'clock", let some = take(&left) {
            minutes = some
        }
        guard hour < 24, minutes < 60 else { return nil }
        if left.first == "o'clock" { left = left.dropFirst() }
        var half: Int?
        if left.first == "am" || left.starts(with: ["in", "the", "morning"]) {
            half = 0
        } else if left.first == "pm" || left.starts(with: ["in", "the", "afternoon"])
            || left.starts(with: ["in", "the", "evening"])
        {
            half = 12
        }
        if half != nil { left = left.first == "in" ? left.dropFirst(3) : left.dropFirst() }
        if let half {
            guard (1...12).contains(hour) || half == 12 && hour > 12 else { return nil }
            if hour <= 12 { hour = hour % 12 + half }
        }
        words = left
        let minute = (60 * hour + minutes + 1440) % 1440
        return (minute, half == nil && (1...12).contains(hour))
    }
}
