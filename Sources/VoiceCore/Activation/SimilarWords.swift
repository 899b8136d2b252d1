internal import VoiceBase

/// Words that sound like a wake word and are none, looked for in the text that a speech recogniser makes of a call. Pure.
///
/// A text without any of them says nothing against the call: of a voice that it hardly knows, or in noise, a recogniser often
/// writes something else than the wake word.
package struct SimilarWords: Equatable, Sendable {
    private static let most = 32
    /// Of one, in bytes.
    private static let longest = 80
    /// Shortest word that is recognised with a letter wrong.
    private static let shortest = 5
    /// In letters, of the part of a wake word that tells it apart.
    private static let shortestName = 3

    /// In lower case, each with its parts: "mary jane".
    private let words: [[String]]

    /// - Parameters:
    ///   - list: comma-separated words: "janice, hey travis".
    ///   - calls: the wake words.
    /// - Throws: which part is invalid.
    package init(_ list: String, beside calls: [String]) throws(WakeWordError) {
        var words: [[String]] = []
        for entry in list.split(separator: ",") {
            var parts = Self.parts(entry)
            if parts.isEmpty, entry.allSatisfy(\.isWhitespace) { continue }
            let text = entry.split(separator: " ").joined(separator: " ")
            guard text.utf8.count <= Self.longest else {
                throw WakeWordError("\"\(text.prefix(20))...\" is longer than \(Self.longest) bytes")
            }
            guard !parts.isEmpty, entry.allSatisfy(Self.isOfWords) else {
                throw WakeWordError("\"\(text)\" is no word: separate words with commas")
            }
            for call in calls.map(Self.parts) {
                guard !Self.contains(call, parts[...], { $0 == $1 }) else {
                    throw WakeWordError("\"\(text)\" is part of the wake word \"\(call.joined(separator: " "))\"")
                }
            }
            // Who writes "hey travis" means Travis: "They Travis." is often what is made of it.
            if parts.count > 1, calls.map(Self.parts).contains(where: { $0.count > 1 && $0.first == parts[0] }) {
                parts.removeFirst()
            }
            words.append(parts)
        }
        guard words.count <= Self.most else { throw WakeWordError("names more than \(Self.most) words") }
        self.words = words
    }

    package var isEmpty: Bool { words.isEmpty }

    /// Returns the similar word that the text contains; nil if there is none, or if the wake word is there.
    package func found(in text: String, insteadOf call: String) -> String? {
        let heard = Self.parts(text)
        // Of "hey jarvis", the greeting tells nothing, nor does the version of "hey_jarvis_v0.1".
        let parts = Self.parts(call)
        let last = parts.lastIndex { $0.filter(\.isLetter).count >= Self.shortestName } ?? parts.count - 1
        let name = parts.isEmpty ? [] : parts[last...last]
        for isSame in [{ $0 == $1 }, Self.areAlike] {
            guard !Self.contains(heard, name, isSame) else { return nil }
            if let word = words.first(where: { Self.contains(heard, $0[...], isSame) }) {
                return word.joined(separator: " ")
            }
        }
        return nil
    }

    /// Whether it may be part of what is written between two commas.
    private static func isOfWords(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character.isWhitespace || "'\u{2019}-.".contains(character)
    }

    private static func parts(_ text: some StringProtocol) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    private static func contains(
        _ heard: [String],
        _ wanted: ArraySlice<String>,
        _ isSame: (String, String) -> Bool
    ) -> Bool {
        guard !wanted.isEmpty, heard.count >= wanted.count else { return false }
        return (0...heard.count - wanted.count).contains { start in
            zip(heard[start...], wanted).allSatisfy(isSame)
        }
    }

    /// Whether two words of some length differ by one letter at most: "charls" and "charles".
    private static func areAlike(_ one: String, _ other: String) -> Bool {
        let (one, other) = one.count <= other.count ? (Array(one), Array(other)) : (Array(other), Array(one))
        guard one.count >= shortest, other.count - one.count <= 1 else { return false }
        let start = zip(one, other).prefix { $0 == $1 }.count
        let end = zip(one.reversed(), other.reversed()).prefix { $0 == $1 }.count
        return start + end >= other.count - 1
    }
}
