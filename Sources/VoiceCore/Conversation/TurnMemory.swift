package import VoiceBase

/// The last turns of a conversation as text, for the session that takes over.
///
/// A line is placed when its item begins, so that a transcript that comes late still stands where it belongs. What was
/// not transcribed is not known; of an answer that was cut, the share that was heard is kept.
package struct TurnMemory: Equatable, Sendable {
    package enum Speaker: Equatable, Sendable {
        case user, assistant
    }

    package struct Line: Equatable, Sendable {
        package var speaker: Speaker
        package var itemID: String
        package var text = ""
        /// How much of it was heard, 0 to 1.
        var share = 1.0

        /// The words that were heard.
        package var heard: String {
            share >= 1 ? text : String(text.prefix(Int(Double(text.count) * share)))
        }
    }

    private static let longestText = 600
    private static let longestSummaryText = 160

    /// Lines kept at most.
    private let limit: Int
    private var all: [Line] = []

    /// - Parameter turns: how many exchanges are remembered, at least 1.
    package init(turns: Int) {
        limit = 2 * max(1, turns)
    }

    /// The lines whose words are known, oldest first.
    package var lines: [Line] { all.filter { !$0.heard.isEmpty } }

    /// An item begins.
    package mutating func began(_ itemID: String, by speaker: Speaker) {
        guard !itemID.isEmpty, !all.contains(where: { $0.itemID == itemID }) else { return }
        all.append(Line(speaker: speaker, itemID: itemID))
        if all.count > limit { all.removeFirst(all.count - limit) }
    }

    /// What was said in an item; an item that has been forgotten stays so.
    package mutating func said(_ text: String, in itemID: String) {
        guard let index = all.firstIndex(where: { $0.itemID == itemID }) else { return }
        all[index].text = String(text.prefix(Self.longestText))
    }

    /// - Parameter share: how much of the item was heard, 0 to 1.
    package mutating func cut(_ itemID: String, share: Double) {
        guard let index = all.firstIndex(where: { $0.itemID == itemID }) else { return }
        all[index].share = min(max(share, 0), 1)
    }

    /// What was said in these items, nil where nothing is known of one of them.
    package func words(of itemIDs: [String]) -> String? {
        let words = itemIDs.map { itemID in all.first { $0.itemID == itemID }?.text ?? "" }
        return words.isEmpty || words.contains("") ? nil : words.joined(separator: " ")
    }

    /// Forgets these items: they are told in another way.
    package mutating func forget(_ itemIDs: [String]) {
        all.removeAll { itemIDs.contains($0.itemID) }
    }

    /// The lines, shortened, as one value; nil where nothing is known.
    package var summary: JSONValue? {
        let lines = lines
        guard !lines.isEmpty else { return nil }
        let said = lines.map { line -> JSONValue in
            let text = line.heard
            let short = text.count > Self.longestSummaryText ? text.prefix(Self.longestSummaryText) + "..." : text[...]
            return .object([line.speaker == .user ? "user" : "you": .string(String(short))])
        }
        return ["said_last_in_this_conversation": .array(said)]
    }
}
