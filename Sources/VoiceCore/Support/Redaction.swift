/// Keeps keys that a server quotes back at us out of logs and errors.
enum Redaction {
    private static let prefixes = ["sk-", "ek_"]

    /// `text` with every word that looks like a key of the service replaced.
    static func withoutKeys(_ text: String) -> String {
        guard prefixes.contains(where: text.contains) else { return text }
        return text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            prefixes.contains(where: word.contains) ? "(key)" : String(word)
        }.joined(separator: " ")
    }
}
