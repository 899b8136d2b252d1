/// A stop word that was found while nothing sounded and nothing was being answered. Pure.
///
/// An engine that takes any word of a dictionary takes a "Hey Jarvis" for "stop" now and then. Where it could silence
/// nothing, there is no hurry: it counts only if the user's turn is the word alone.
struct DoubtfulStop: Equatable, Sendable {
    /// Longest turn that may be the word alone where its text is unknown, in ms: up to 0.9 s for the word, and what a service
    /// counts before and behind it.
    static let longestTurn = 1600
    /// How long it waits for a turn to begin.
    static let patience = Duration.seconds(1)

    let word: String

    /// Whether the text of the turn is the word alone, once or several times.
    func isAll(of text: String) -> Bool {
        let said = Self.words(text)
        let own = Self.words(word)
        guard !own.isEmpty, !said.isEmpty, said.count.isMultiple(of: own.count) else { return false }
        return said.indices.allSatisfy { said[$0] == own[$0 % own.count] }
    }

    /// Whether a turn of this length may be the word alone; nil if the service does not report it.
    func isAll(ofTurn milliseconds: Int?) -> Bool { milliseconds.map { $0 <= Self.longestTurn } ?? false }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "'" }.map(String.init)
    }
}
