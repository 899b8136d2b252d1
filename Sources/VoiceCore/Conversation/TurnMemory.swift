package import VoiceBase

/// The last turns of a conversation as text, for the next session.
///
/// A line is placed when its item begins, so a late transcript still gets its right place. Words that were not transcribed
/// are unknown; of an interrupted answer, the heard share is kept.
package struct TurnMemory: Equatable, Sendable {
    package enum Speaker: Equatable, Sendable {
        case user, assistant
    }

    package struct Line: Equatable, Sendable {
        package var speaker: Speaker
        package var itemID: String
        /// The response that said it; nil for the user.
        var response: String?
        package var text = ""
        /// The share of the line that was heard, 0 to 1.
        var share = 1.0

        /// The words that were heard.
        package var heard: String {
            share >= 1 ? text : String(text.prefix(Int(Double(text.count) * share)))
        }
    }

    private static let longestText = 600
    private static let longestSummaryText = 160

    /// Maximum number of lines.
    private let limit: Int
    private var all: [Line] = []

    /// - Parameter turns: how many exchanges to remember, at least 1.
    package init(turns: Int) {
        limit = 2 * max(1, turns)
    }

    /// The lines whose words are known, oldest first.
    package var lines: [Line] { all.filter { !$0.heard.isEmpty } }

    /// An item begins.
    package mutating func began(_ itemID: String, by speaker: Speaker, in response: String? = nil) {
        guard !itemID.isEmpty, !all.contains(where: { $0.itemID == itemID }) else { return }
        all.append(Line(speaker: speaker, itemID: itemID, response: response))
        if all.count > limit { all.removeFirst(all.count - limit) }
    }

    /// Sets the text of an item; a forgotten item stays forgotten.
    package mutating func said(_ text: String, in itemID: String) {
        guard let index = all.firstIndex(where: { $0.itemID == itemID }) else { return }
        all[index].text = String(text.prefix(Self.longestText))
    }

    /// - Parameter share: the share of the item that was heard, 0 to 1.
    package mutating func cut(_ itemID: String, share: Double) {
        guard let index = all.firstIndex(where: { $0.itemID == itemID }) else { return }
        all[index].share = min(max(share, 0), 1)
    }

    /// The response ended without a sound.
    package mutating func wasUnheard(_ response: String) {
        for index in all.indices where all[index].response == response { all[index].share = 0 }
    }

    /// Returns the words of these items; nil if any of them is unknown.
    package func words(of itemIDs: [String]) -> String? {
        let words = itemIDs.map { itemID in all.first { $0.itemID == itemID }?.text ?? "" }
        return words.isEmpty || words.contains("") ? nil : words.joined(separator: " ")
    }

    /// Forgets these items, because the next session receives them in another way.
    package mutating func forget(_ itemIDs: [String]) {
        all.removeAll { itemIDs.contains($0.itemID) }
    }

    /// The lines, shortened, as one value; nil if there are none.
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
