/// The numerator and denominator of the word error rate: how many words of a sentence were not recognised as said.
package struct WordErrors: Equatable, Sendable {
    /// Number of words in the sentence that was said.
    package var words: Int
    /// Fewest replacements, omissions and insertions that explain what was heard.
    package var wrong: Int

    /// Case and punctuation do not count; the numbers from zero to nineteen and the tens up to ninety are the same in
    /// words and in digits.
    package init(said: String, heard: String) {
        let said = Self.words(said)
        words = said.count
        wrong = Self.distance(said, Self.words(heard))
    }

    private static let numbers: [String: String] = {
        let small = [
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
            "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
        ]
        let tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
        var all = Dictionary(uniqueKeysWithValues: small.enumerated().map { ($1, String($0)) })
        for (index, name) in tens.enumerated() { all[name] = String(20 + 10 * index) }
        return all
    }()

    private static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "'" }.map { numbers[String($0)] ?? String($0) }
    }

    /// The Levenshtein distance, in words.
    private static func distance(_ said: [String], _ heard: [String]) -> Int {
        var row = Array(0...said.count)
        for (line, word) in heard.enumerated() {
            var above = row[0]
            row[0] = line + 1
            for (place, other) in said.enumerated() {
                let replaced = above + (word == other ? 0 : 1)
                above = row[place + 1]
                row[place + 1] = min(replaced, above + 1, row[place] + 1)
            }
        }
        return row[said.count]
    }
}
