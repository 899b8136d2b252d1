/// Sentences that mean the same, written as one line:
///
///     "(cancel|stop) [the|my] [NAME] timer [for LENGTH]"
///
/// One of the alternatives in round brackets is said; those in square brackets may be left out. Capitals stand for what a
/// sentence fills in: `NAME`, `LABEL`, `WORDS`, `LENGTH`, `WHEN`, `NUMBER`. A form describes a whole sentence.
struct SpokenForm: Sendable {
    /// The fields that the sentence fills in.
    struct Found: Sendable {
        var name: [String] = []
        /// Where the words of a reminder are.
        var words = 0..<0
        var number: Int?
        var time = TimeParser()
    }

    private enum Slot: String {
        /// The name of a timer or alarm in front of that word, "tea timer": at most three words, without articles.
        case name = "NAME"
        /// The name behind that word: at most five words, of which the first may be an article.
        case label = "LABEL"
        /// The text of a reminder.
        case words = "WORDS"
        case length = "LENGTH"
        /// Time of day, day, or both. Several in one sentence complete each other.
        case when = "WHEN"
        case number = "NUMBER"
    }

    /// A word, a slot, or one of several alternatives. Not an enum with payloads: enums hide pointers in tags, so the
    /// leak check would report memory that only a permanent table refers to.
    private struct Part {
        var word = ""
        var slot: Slot?
        var alternatives: [[Part]]?
    }

    private let parts: [Part]
    /// The words that a sentence of this form can begin with; nil for any.
    private let beginnings: Set<String>?

    init(_ text: String) {
        var left = text[...]
        let parts = Self.alternatives(&left).first ?? []
        self.parts = parts
        beginnings = Self.beginnings(of: parts[...])
    }

    /// Returns nil if the words are not of this form.
    func match(_ words: ArraySlice<String>) -> Found? {
        if let beginnings, let first = words.first, !beginnings.contains(first) { return nil }
        return Self.match(parts[...], words, Found())
    }

    // MARK: Reading a form

    private static func alternatives(_ text: inout Substring) -> [[Part]] {
        var all: [[Part]] = []
        var parts: [Part] = []
        while let character = text.first {
            switch character {
            case "(", "[":
                text.removeFirst()
                let inner = alternatives(&text)
                parts.append(Part(alternatives: character == "[" ? inner + [[]] : inner))
            case "|":
                text.removeFirst()
                all.append(parts)
                parts = []
            case ")", "]":
                text.removeFirst()
                return all + [parts]
            case " ": text.removeFirst()
            default:
                let word = text.prefix { !"()[]| ".contains($0) }
                text = text.dropFirst(word.count)
                parts.append(Part(word: String(word), slot: Slot(rawValue: String(word))))
            }
        }
        return all + [parts]
    }

    private static func beginnings(of parts: ArraySlice<Part>) -> Set<String>? {
        guard let part = parts.first, part.slot == nil else { return nil }
        guard let alternatives = part.alternatives else { return [part.word] }
        var all: Set<String> = []
        for alternative in alternatives {
            guard let some = beginnings(of: (alternative + parts.dropFirst())[...]) else { return nil }
            all.formUnion(some)
        }
        return all
    }

    // MARK: Matching

    private static func match(_ parts: ArraySlice<Part>, _ words: ArraySlice<String>, _ found: Found) -> Found? {
        guard let part = parts.first else { return words.isEmpty ? found : nil }
        let rest = parts.dropFirst()
        if let alternatives = part.alternatives {
            for alternative in alternatives {
                if let found = match((alternative + rest)[...], words, found) { return found }
            }
            return nil
        }
        switch part.slot {
        case nil: return words.first == part.word ? match(rest, words.dropFirst(), found) : nil
        case .name:
            let end = words.prefix(3).firstIndex { SpokenName.articles.contains($0) } ?? words.endIndex
            return name(atMost: min(3, end - words.startIndex), words, rest, found)
        case .label:
            let isLed = words.first.map { SpokenName.articles.contains($0) } ?? false
            return name(atMost: 5, isLed ? words.dropFirst() : words, rest, found)
        case .words:
            for end in words.indices.dropFirst() + [words.endIndex] where !words.isEmpty {
                var found = found
                found.words = words.startIndex..<end
                if let found = match(rest, words[end...], found), !TimeParser.isTime(words[..<end]) { return found }
            }
            return nil
        case .length, .when, .number:
            var (found, left) = (found, words)
            switch part.slot {
            case .length: guard found.time.consumeLength(&left) else { return nil }
            case .number: found.number = TimeParser.number(&left)
            default: guard found.time.consumeTime(&left) else { return nil }
            }
            return left.count < words.count ? match(rest, left, found) : nil
        }
    }

    private static func name(
        atMost most: Int,
        _ words: ArraySlice<String>,
        _ rest: ArraySlice<Part>,
        _ found: Found
    ) -> Found? {
        guard found.name.isEmpty else { return nil }
        for count in stride(from: 1, through: min(most, words.count), by: 1) {
            let name = words.prefix(count)
            guard SpokenName.isPossible(name) else { return nil }
            var found = found
            found.name = Array(name)
            if let found = match(rest, words.dropFirst(count), found) { return found }
        }
        return nil
    }
}

/// A possible name of a timer: not the rest of a question, a refusal or another order.
enum SpokenName {
    static let articles: Set<String> = ["the", "a", "an", "my", "our", "some"]

    private static let others: Set<String> = Set(
        """
        set start make give create cancel stop delete remove end clear pause resume continue extend shorten add increase decrease
        reduce change move shift reset restart repeat snooze silence dismiss disable enable keep leave tell ask show list check
        play turn switch call say remind put let get wake wait skip ignore forget rename find need want like hate think know
        adjust update lengthen finish
        is are was were am be been do does did will would shall should can could may might must has have had what which when
        where who whose why how there here i you he she we they it me us him them please
        no not never none nothing without dont cannot instead except but
        all any both this that these those another other new next last
        if unless until till then than because after before while once from today's tomorrow's repeating recurring to onto
        timer timers alarm alarms countdown reminder reminders christmas easter rest whole half quarter more
        third fourth fifth sixth seventh eighth ninth tenth dozen thousand million twice double
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    )

    static func isPossible(_ words: ArraySlice<String>) -> Bool {
        guard let first = words.first, !articles.contains(first) else { return false }
        return words.allSatisfy { !others.contains($0) && !$0.hasSuffix("n't") && !TimeParser.isPart($0) }
    }
}
