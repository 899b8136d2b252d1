/// Reads the pause that a server asks for: in words ("Please try again in 1.2s", "available in 12 seconds", "in 1m26.4s"), as a
/// field ("retry_after_ms": 500), or in its header.
package enum StatedPause {
    /// What stands before a pause.
    private static let openings = [
        "try again in", "try again after", "retry in", "retry after", "retry-after", "retry_after", "retrydelay",
        "retry delay", "available again in", "available in", "resets in", "reset in", "cooldown of", "wait for", "wait",
    ]
    private static let fillers = [
        " about", " approximately", " approx.", " at least", " another", " up to", " a further", " around",
    ]
    private static let words = [
        "a": 1.0, "one": 1, "two": 2, "three": 3, "five": 5, "ten": 10, "thirty": 30, "sixty": 60,
    ]
    private static let units: [(names: [String], seconds: Double)] = [
        (["ms", "msec", "msecs", "millisecond", "milliseconds"], 0.001),
        (["s", "sec", "secs", "second", "seconds"], 1),
        (["m", "min", "mins", "minute", "minutes"], 60),
        (["h", "hr", "hrs", "hour", "hours"], 3600),
        (["d", "day", "days"], 86_400),
    ]
    /// No server means more.
    private static let longest = 86_400.0
    /// Characters between the words and the number: spaces, quotes, a colon.
    private static let mostBetween = 6

    /// Reads a header: `value` looks one up by its name in lower case.
    package static func read(_ value: (String) -> String?) -> Duration? {
        let seconds =
            value("retry-after-ms").flatMap { Double($0) }.map { $0 / 1000 }
            ?? value("retry-after").flatMap { Double($0) }
        return seconds.flatMap { $0 >= 0 && $0.isFinite ? .milliseconds(Int(min($0, longest) * 1000)) : nil }
    }

    /// Returns nil if the text names no pause.
    package static func read(_ text: String) -> Duration? {
        let text = text.prefix(4096).lowercased()
        for opening in openings {
            var rest = text[...]
            while let found = rest.firstRange(of: opening) {
                rest = rest[found.upperBound...]
                if let seconds = seconds(rest) {
                    return .milliseconds(Int((min(seconds, longest) * 1000).rounded()))
                }
            }
        }
        return nil
    }

    /// The sum of the amounts at the beginning: "1m26.4s", "2 minutes and 5 seconds"; a number alone is seconds.
    private static func seconds(_ text: Substring) -> Double? {
        var rest = text
        if rest.hasPrefix("_ms") || rest.hasPrefix("-ms") {
            return seconds(rest.dropFirst(3)).map { $0 / 1000 }
        }
        for word in fillers where rest.hasPrefix(word) { rest = rest.dropFirst(word.count) }
        var total: Double?
        while true {
            let gap = rest.prefix { !$0.isNumber && !$0.isLetter && $0 != "." && $0 != "\n" }.prefix(mostBetween)
            rest = rest.dropFirst(gap.count)
            if total != nil, rest.hasPrefix("and ") { rest = rest.dropFirst(4) }
            let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
            let word = rest.prefix { $0.isLetter }
            guard let number = Double(digits.last == "." ? digits.dropLast() : digits) ?? words[String(word)] else {
                return total
            }
            rest = rest.dropFirst(digits.isEmpty ? word.count : digits.count).drop { $0 == " " }
            if rest.hasPrefix("more ") { rest = rest.dropFirst(5) }
            let name = rest.prefix { $0.isLetter }
            guard let unit = units.first(where: { $0.names.contains(String(name)) }) else {
                return total ?? (name.isEmpty && !digits.isEmpty && rest.first != ":" ? number : nil)
            }
            rest = rest.dropFirst(name.count)
            total = (total ?? 0) + number * unit.seconds
        }
    }
}
