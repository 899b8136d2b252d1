/// Reads the pause that a server asks for: in words ("Please try again in 1.2s", "available in 12 seconds", "in 1m26.4s"), as a
/// field ("retry_after_ms": 500), or in its header. The first in the text counts.
package enum StatedPause {
    /// Words before a pause; longer ones come first.
    private static let openings = [
        "try again in", "try again after", "available again in", "available in", "resets after", "reset after",
        "resets in", "reset in", "cooldown of", "wait for", "wait",
    ]
    /// Names of fields, and the same in words.
    private static let fields = ["in", "after", "delay"].flatMap { end in
        ["retry ", "retry-", "retry_", "retry"].map { $0 + end }
    }
    /// Words before "wait" in an order; "could not wait 30 seconds" is not an order.
    private static let orders: Set = ["please", "must", "should", "to", "and", "then", "or", "just", "kindly", "need"]
    private static let fillers = [
        " about", " approximately", " approx.", " at least", " another", " up to", " a further", " around",
    ]
    private static let words: [String: Double] = {
        let small = """
            zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen \
            eighteen nineteen
            """
        let tens = "twenty thirty forty fifty sixty seventy eighty ninety"
        let numbers =
            small.split(separator: " ").enumerated().map { (String($1), Double($0)) }
            + tens.split(separator: " ").enumerated().map { (String($1), Double(10 * $0 + 20)) }
        return Dictionary(uniqueKeysWithValues: numbers + [("a", 1), ("an", 1), ("half", 0.5)])
    }()
    private static let units: [(names: [String], seconds: Double)] = [
        (["ms", "msec", "msecs", "millisecond", "milliseconds"], 0.001),
        (["s", "sec", "secs", "second", "seconds"], 1),
        (["m", "min", "mins", "minute", "minutes"], 60),
        (["h", "hr", "hrs", "hour", "hours"], 3600),
        (["d", "day", "days"], 86_400),
    ]
    /// Upper limit of a pause, in seconds: no server means more.
    private static let longest = 86_400.0
    /// Characters between the words and the number: spaces, quotes, a colon.
    private static let mostBetween = 6

    /// Reads a header: `value` looks one up by its name in lower case. A date counts from the server's own.
    package static func read(_ value: (String) -> String?) -> Duration? {
        let seconds =
            value("retry-after-ms").flatMap { Double($0) }.map { $0 / 1000 }
            ?? value("retry-after").flatMap { text in
                if let number = Double(text) { return number }
                guard let end = HTTPDate.seconds(text), let now = value("date").flatMap(HTTPDate.seconds) else {
                    return nil
                }
                return Double(max(end - now, 0))
            }
        return seconds.flatMap { $0 >= 0 && $0.isFinite ? .milliseconds(Int(min($0, longest) * 1000)) : nil }
    }

    /// Returns nil if the text names no pause.
    package static func read(_ text: String) -> Duration? {
        let text = text.prefix(4096).lowercased()
        var rest = text[...]
        var before: Character = " "
        while let first = rest.first {
            if !before.isLetter, let seconds = pause(rest, in: text) {
                return .milliseconds(Int((min(seconds, longest) * 1000).rounded()))
            }
            before = first
            rest = rest.dropFirst()
        }
        return nil
    }

    /// The pause that begins here, with its opening; in seconds.
    private static func pause(_ text: Substring, in whole: String) -> Double? {
        guard let first = text.first, "tarcw".contains(first) else { return nil }
        if let field = fields.first(where: text.hasPrefix) {
            let rest = text.dropFirst(field.count)
            // "retry_after_ms", "retryAfterSeconds"
            let name = rest.drop { "_-".contains($0) }
            let unit = unit(name.prefix { $0.isLetter })
            if let unit { return seconds(name.drop { $0.isLetter }).map { $0 * unit } }
            return seconds(rest)
        }
        guard let opening = openings.first(where: text.hasPrefix) else { return nil }
        if opening.hasPrefix("wait") {
            let before = whole[..<text.startIndex].reversed().drop { $0 == " " }
            let word = String(before.prefix { $0.isLetter }.reversed())
            guard word.isEmpty || orders.contains(word) else { return nil }
        }
        return seconds(text.dropFirst(opening.count))
    }

    private static func unit(_ name: Substring) -> Double? { units.first { $0.names.contains(String(name)) }?.seconds }

    /// The sum of the amounts at the beginning: "1m26.4s", "2 minutes and 5 seconds"; a number alone is seconds.
    private static func seconds(_ text: Substring) -> Double? {
        var rest = text
        for word in fillers where rest.hasPrefix(word) { rest = rest.dropFirst(word.count) }
        var total: Double?
        while true {
            let gap = rest.prefix { !$0.isNumber && !$0.isLetter && $0 != "." && $0 != "\n" }.prefix(mostBetween)
            rest = rest.dropFirst(gap.count)
            if total != nil, rest.hasPrefix("and ") { rest = rest.dropFirst(4) }
            let isDigits = rest.first.map { $0 == "." || $0.isASCII && $0.isNumber } ?? false
            guard let number = isDigits ? written(&rest) : spelt(&rest) else { return total }
            rest = rest.drop { $0 == " " }
            if rest.hasPrefix("more ") { rest = rest.dropFirst(5) }
            let name = rest.prefix { $0.isLetter }
            guard let unit = unit(name) else {
                return total ?? (name.isEmpty && isDigits && rest.first != ":" ? number : nil)
            }
            rest = rest.dropFirst(name.count)
            total = (total ?? 0) + number * unit
        }
    }

    /// "12.5"; "1,5" is the same as "1.5", and "1,500" as "1500".
    private static func written(_ text: inout Substring) -> Double? {
        var digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." || $0 == "," }
        while let last = digits.last, ".,".contains(last) { digits = digits.dropLast() }
        let parts = digits.split(separator: ",", omittingEmptySubsequences: false)
        let isThousands = parts.dropFirst().allSatisfy { $0.prefix { $0 != "." }.count == 3 }
        guard let number = Double(parts.joined(separator: isThousands ? "" : ".")) else { return nil }
        text = text.dropFirst(digits.count)
        return number
    }

    /// "ten", "forty-five", "a", "half a".
    private static func spelt(_ text: inout Substring) -> Double? {
        let word = text.prefix { $0.isLetter }
        guard var number = words[String(word)] else { return nil }
        text = text.dropFirst(word.count)
        let second = text.dropFirst().prefix { $0.isLetter }
        let more = words[String(second)]
        if let more,
            number == 0.5 ? more == 1 && second.hasPrefix("a") : number >= 20 && 1...9 ~= more && second.count > 2
        {
            if number != 0.5 { number += more }
            text = text.dropFirst(1 + second.count)
        }
        return number
    }
}
