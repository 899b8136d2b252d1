/// Whether a text looks like the end of a sentence. Judges the words alone, on which the audio thread has no verdict.
enum SpokenEnd: Equatable, Sendable {
    /// A question or an exclamation.
    case finished
    /// A full stop, which means little: recognisers add one to any text.
    case stopped
    case unfinished
    case unknown

    /// Whether the text is a whole sentence according to its punctuation.
    var isWhole: Bool { self == .finished || self == .stopped }

    /// Words that never end a sentence.
    private static let open: Set<String> = [
        "and", "or", "but", "the", "a", "an", "to", "of", "for", "with", "because", "if", "um", "uh", "er", "my", "in",
        "at",
        "on", "from", "then",
    ]
    /// Words that need a continuation if they stand alone.
    private static let expecting: Set<String> = [
        "set", "play", "call", "turn", "tell", "add", "remind", "open", "close", "send", "what", "how", "who", "jarvis",
    ]

    /// Words that begin a subordinate clause, which needs a main clause.
    private static let leading: Set<String> = [
        "when", "whenever", "if", "because", "before", "after", "while", "since", "until", "unless", "once", "although",
        "though", "whatever", "as",
    ]
    /// After a leading word, these words make the text a question.
    private static let asking: Set<String> = [
        "is", "are", "was", "were", "am", "do", "does", "did", "will", "would", "can", "could", "should", "has", "have",
        "shall", "must", "may", "might", "had",
    ]
    /// A longer text contains the main clause, even if the recogniser wrote no comma.
    private static let longestClause = 8

    /// Whether the text is a subordinate clause on its own: "When I come home."
    private static func isLeading(_ words: [String], _ text: String) -> Bool {
        guard words.count > 1, words.count <= longestClause, !text.dropLast().contains(",") else { return false }
        let begins = leading.contains(words[0]) || words[0] == "in" && words[1] == "case"
        return begins && !asking.contains(words[1])
    }

    init(_ text: String) {
        let words = LocalTurn.words(text)
        let end = text.reversed().first { !$0.isWhitespace && $0 != "\"" && $0 != "\u{201D}" }
        guard let last = words.last, let end else {
            self = .unknown
            return
        }
        let isAlone = words.count == 1 && SpokenEnd.expecting.contains(last)
        let isCut = text.hasSuffix("...") || text.hasSuffix("\u{2026}") || end == "," || end == "-"
        let isLeading = end != "?" && SpokenEnd.isLeading(words, text)
        if SpokenEnd.open.contains(last) || isAlone || isCut || isLeading || last.allSatisfy(\.isNumber) {
            self = .unfinished
        } else {
            self = "?!".contains(end) ? .finished : end == "." ? .stopped : .unknown
        }
    }
}

/// Texts that recognisers produce from noise, and sounds of agreement that are not interruptions. Only a hint: the
/// decision depends on whether there was a voice.
package enum PhantomWords {
    private static let phantoms: Set<[String]> = [
        ["you"], ["thank", "you"], ["thanks"], ["bye"], ["bye", "bye"], ["thank", "you", "for", "watching"],
        ["thanks", "for", "watching"], ["please", "subscribe"], ["thank", "you", "very", "much"],
        ["thank", "you", "very", "much", "for", "watching"],
    ]
    private static let longest = 6
    /// Words that recognisers write for clinking, knocking and breathing. Not a request.
    private static let sounds: Set<String> = [
        "beep", "boop", "ding", "dong", "bang", "boom", "bam", "clang", "clank", "clink", "clack", "whoosh", "thud",
        "oh", "ooh", "ah", "ugh",
    ]
    private static let agreement: Set<[String]> = [
        ["mhm"], ["mm"], ["hmm"], ["hm"], ["uh", "huh"], ["yes"], ["yeah"], ["yep"], ["okay"], ["ok"], ["right"],
        ["i", "see"],
        ["sure"], ["aha"],
    ]

    /// Whether the words are only such texts, one or several. For a long noise a recogniser makes up one after another.
    package static func contains(_ words: [String]) -> Bool { parts(words) != nil }

    /// True if the text is only noise words, even if a voice said them: "Beep, beep.", "You".
    package static func asksNothing(_ words: [String]) -> Bool {
        words == ["you"] || !words.isEmpty && words.allSatisfy(sounds.contains)
    }

    /// Whether the words are such texts, and one of them occurs twice: "Thank you. Thank you.", which people rarely say.
    package static func repeats(_ words: [String]) -> Bool { parts(words).map { Set($0).count < $0.count } ?? false }

    private static func parts(_ words: [String]) -> [ArraySlice<String>]? {
        var left = words[...]
        var parts: [ArraySlice<String>] = []
        while !left.isEmpty {
            let lengths = stride(from: min(longest, left.count), to: 0, by: -1)
            guard let length = lengths.first(where: { phantoms.contains(Array(left.prefix($0))) }) else { return nil }
            parts.append(left.prefix(length))
            left = left.dropFirst(length)
        }
        return parts.isEmpty ? nil : parts
    }

    package static func isAgreement(_ words: [String]) -> Bool { agreement.contains(words) }

    /// Counts groups of vowels, as a lower bound for the time it takes to say the words.
    package static func syllables(_ words: [String]) -> Int {
        words.reduce(0) { sum, word in
            var count = 0
            var wasVowel = false
            for letter in word {
                let isVowel = "aeiouy".contains(letter)
                if isVowel && !wasVowel { count += 1 }
                wasVowel = isVowel
            }
            return sum + max(1, count)
        }
    }
}

/// The words the box has spoken recently.
struct SpokenEcho: Equatable, Sendable {
    /// Time for which words are kept: 4 s in steps.
    private static let kept = 400
    /// Maximum number of words kept; no one says more in that time.
    private static let most = 64

    private struct Word: Equatable {
        var text: String
        var at: Int
    }

    private var said: [Word] = []

    mutating func say(_ text: String, at position: Int) {
        said += LocalTurn.words(String(text.prefix(2000))).suffix(Self.most).map { Word(text: $0, at: position) }
        if said.count > Self.most { said.removeFirst(said.count - Self.most) }
    }

    /// Whether the words are an echo of the box: three in a row match, or six in ten.
    func holds(_ words: [String], at position: Int) -> Bool {
        let own = said.filter { position - $0.at <= Self.kept }.map(\.text)
        guard !own.isEmpty, !words.isEmpty else { return false }
        let known = Set(own)
        if words.filter(known.contains).count * 10 >= words.count * 6 { return true }
        guard words.count >= 3, own.count >= 3 else { return false }
        let triples = Set((0...own.count - 3).map { Array(own[$0..<$0 + 3]) })
        return (0...words.count - 3).contains { triples.contains(Array(words[$0..<$0 + 3])) }
    }
}
