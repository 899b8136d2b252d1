internal import VoiceBase

/// The words recognised on this machine, each with its threshold.
package struct WakeWords: Equatable, Sendable {
    package struct Word: Equatable, Sendable {
        /// In lower case.
        package var text: String
        package var threshold: Double
        /// The threshold, if it was written with the word.
        package var ownThreshold: Double?
        /// The sensitivity, if it was written with the word.
        package var sensitivity: WakeSensitivity?
        package var isStop: Bool
    }

    package var words: [Word]

    /// - Parameters:
    ///   - wake: comma-separated words, each with an optional sensitivity or threshold after a colon: "hey jarvis:high,
    ///     hello computer:-25".
    ///   - stop: likewise.
    ///   - threshold: for words without one.
    /// - Throws: which part is invalid, that a word is in both lists, or that no wake word is named.
    package init(wake: String, stop: String, threshold: Double) throws(WakeWordError) {
        words = try Self.read(wake, isStop: false, threshold) + Self.read(stop, isStop: true, threshold)
        guard words.contains(where: { !$0.isStop }) else { throw WakeWordError("names no word") }
        let stops = Set(words.filter(\.isStop).map { Configuration.Word.plain($0.text) })
        if let word = words.first(where: { !$0.isStop && stops.contains(Configuration.Word.plain($0.text)) }) {
            throw WakeWordError("\"\(word.text)\" is both a wake word and a stop word: it can be one of them")
        }
    }

    package subscript(_ text: String) -> Word? {
        words.first { $0.text == text }
    }

    private static func read(_ list: String, isStop: Bool, _ threshold: Double) throws(WakeWordError) -> [Word] {
        var words: [Word] = []
        for entry in list.split(separator: ",") {
            let parts = entry.split(separator: ":", omittingEmptySubsequences: false)
            let text = parts[0].split(separator: " ").joined(separator: " ").lowercased()
            if text.isEmpty, parts.count == 1 { continue }
            if let before = words.last, before.ownThreshold != nil, parts.count == 1, text.allSatisfy(\.isNumber) {
                throw WakeWordError("wants a point in a number, not a comma, as in \"\(before.text):0.\(text)\"")
            }
            guard !text.isEmpty, parts.count <= 2, text.utf8.count <= 80, !text.contains("/") else {
                throw WakeWordError("cannot be read: \"\(entry)\"")
            }
            var word = Word(text: text, threshold: threshold, isStop: isStop)
            if parts.count == 2 {
                let written = parts[1].split(separator: " ").joined().lowercased()
                if let sensitivity = WakeSensitivity(rawValue: written), !isStop {
                    word.sensitivity = sensitivity
                } else if let value = Double(written), value.isFinite {
                    word.threshold = value
                    word.ownThreshold = value
                } else {
                    let wanted = isStop ? "a number" : "low, normal or high"
                    throw WakeWordError("wants \(wanted) after the colon: \"\(entry)\"")
                }
            }
            words.append(word)
        }
        return words
    }
}
