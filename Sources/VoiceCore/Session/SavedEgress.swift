package import VoiceBase
internal import VoiceConfiguration

/// The egress book of today in its saved form.
///
///     day = 20780         days since 1970 in local time
///     conversations = ["1795285800 word 48000 130000", ...]
///     incomplete = true   earlier traffic of that day is unknown; omitted otherwise
///
/// Each conversation: its start in Unix time (0 for merged ones), opener, samples, bytes.
package struct SavedEgress: Equatable, Sendable {
    package var day: Int
    package var conversations: [EgressBook.Conversation]
    /// Whether earlier traffic of that day is unknown.
    package var isIncomplete: Bool

    package init(day: Int, conversations: [EgressBook.Conversation], isIncomplete: Bool = false) {
        self.day = day
        self.conversations = conversations
        self.isIncomplete = isIncomplete
    }

    /// A larger number means a damaged file.
    private static let latest = 100_000_000
    private static let openers = ["word", "button", "command", "always", "earlier"]

    /// Parses the file. Ignores unknown keys, since a newer version may have written them.
    package init(parsing bytes: [UInt8]) throws(Unreadable) {
        let values = try ConfigurationDocument(ofState: bytes).values
        guard case .integer(let day)? = values["day"], (0...Self.latest).contains(day) else {
            throw Unreadable("day is not a number from 0 to \(Self.latest)")
        }
        guard case .texts(let texts)? = values["conversations"], texts.count <= EgressBook.mostConversations else {
            throw Unreadable("conversations must be at most \(EgressBook.mostConversations) strings")
        }
        self.day = day
        isIncomplete = values["incomplete"] == .flag(true)
        conversations = []
        for text in texts {
            guard let conversation = Self.conversation(text) else {
                throw Unreadable("a conversation must be its beginning, opener, samples and bytes")
            }
            conversations.append(conversation)
        }
    }

    private static func conversation(_ text: String) -> EgressBook.Conversation? {
        let fields = text.split(separator: " ", omittingEmptySubsequences: false)
        let range = 0...EgressBook.most
        guard fields.count == 4, let began = Int(fields[0]), let samples = Int(fields[2]), let bytes = Int(fields[3]),
            openers.contains(String(fields[1])), range.contains(began), range.contains(samples), range.contains(bytes)
        else { return nil }
        return EgressBook.Conversation(
            began: began == 0 ? nil : began,
            opener: String(fields[1]),
            samples: samples,
            bytes: bytes
        )
    }

    package var text: String {
        let lines = conversations.map { conversation in
            let began = min(max(conversation.began ?? 0, 0), EgressBook.most)
            return "    \"\(began) \(conversation.opener) \(conversation.samples) \(conversation.bytes)\",\n"
        }
        return StateStore.header + "day = \(max(day, 0))\nconversations = [\n\(lines.joined())]\n"
            + (isIncomplete ? "incomplete = true\n" : "")
    }
}
