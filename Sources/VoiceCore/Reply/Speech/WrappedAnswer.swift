internal import VoiceBase

/// An answer in JSON, as models write it that are asked for data: `{"answer": "It is ten."}`, also in a code block.
enum WrappedAnswer {
    /// In the order in which they are tried.
    private static let names = [
        "spoken", "speech", "say", "tts", "final_answer", "answer", "response", "reply", "message", "output", "result",
        "content",
        "text", "action_input", "summary", "description", "error", "refusal",
    ]

    /// Returns the words of an answer with which the text begins, and what follows it; the text itself if there is none.
    /// Data without such words, as `{"temperature": 21}`, is left out; `hasData` tells so.
    static func unwrapped(_ text: String) -> (text: String, hasData: Bool) {
        let bytes = Array(text.utf8)
        guard var start = bytes.firstIndex(where: { $0 > 0x20 }) else { return (text, false) }
        var fence: ArraySlice<UInt8> = []
        if bytes[start] == UInt8(ascii: "`") || bytes[start] == UInt8(ascii: "~") {
            fence = bytes[start...].prefix { $0 == bytes[start] }
            guard fence.count >= 3, let line = bytes[start...].firstIndex(of: 0x0A),
                let first = bytes[line...].firstIndex(where: { $0 > 0x20 })
            else { return (text, false) }
            start = first
        }
        guard
            bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[") || bytes[start] == UInt8(ascii: "\"")
        else { return (text, false) }
        var json = EmbeddedJSON()
        guard let (value, end) = json.value(in: bytes, at: start) else { return (text, false) }
        guard let words = words(in: value) else {
            // In a code block it is code, and in a sentence it is what the sentence is about.
            let line = bytes[end...].prefix { $0 != 0x0A }
            guard fence.isEmpty, holdsMembers(value), line.allSatisfy({ $0 <= 0x20 }) else { return (text, false) }
            return (String(decoding: bytes[end...], as: UTF8.self), true)
        }
        var rest = bytes[end...]
        if !fence.isEmpty {
            let close = rest.drop { $0 <= 0x20 }
            guard close.starts(with: fence) else { return (text, false) }
            rest = close.dropFirst(fence.count)
        }
        return (words + "\n\n" + String(decoding: rest, as: UTF8.self), false)
    }

    /// Whether it is an object, or a list of them.
    private static func holdsMembers(_ value: JSONValue) -> Bool {
        switch value {
        case .object(let members): !members.isEmpty
        case .array(let values): !values.isEmpty && values.allSatisfy(holdsMembers)
        default: false
        }
    }

    private static func words(in value: JSONValue, depth: Int = 0) -> String? {
        guard depth < 4 else { return nil }
        switch value {
        case .string(let text): return text
        case .array(let values):
            let all = values.compactMap { words(in: $0, depth: depth + 1) }
            return !all.isEmpty && all.count == values.count && depth > 0 ? all.joined(separator: "\n\n") : nil
        case .object(let members):
            let known = Dictionary(members.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
            for name in names {
                if let found = known[name].flatMap({ words(in: $0, depth: depth + 1) }), !found.isEmpty { return found }
            }
            // `{"weather": "It is sunny in Rome."}`
            guard members.count == 1, case .string(let text)? = members.values.first, text.contains(" ") else {
                return nil
            }
            return text
        default: return nil
        }
    }
}
