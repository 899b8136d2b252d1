internal import VoiceBase
internal import VoiceConversation

/// How the model should treat a text.
package enum LiveTone: String, Equatable, Sendable, CaseIterable {
    /// Say it in the model's own words.
    case commentary
    /// Know it.
    case thinking
    /// Obey it for the rest of the session.
    case instructions
}

/// Messages from the daemon to a GPT-Live session, except audio.
package enum LiveClientEvent: Equatable, Sendable {
    case start(LiveSettings, history: [LiveMessage], eventID: String)
    /// - delegation: nil if the text belongs to none.
    case append(LiveTone, String, delegation: String?, eventID: String)
    /// The last event of a session.
    case close(eventID: String)

    package var type: String {
        switch self {
        case .start: "session.start"
        case .append(let tone, _, _, _): "session.\(tone.rawValue).append"
        case .close: "session.close"
        }
    }

    package var eventID: String {
        switch self {
        case .start(_, _, let eventID), .append(_, _, _, let eventID), .close(let eventID): eventID
        }
    }

    private var json: JSONValue {
        var members: [String: JSONValue] = ["type": .string(type), "event_id": .string(eventID)]
        switch self {
        case .start(let settings, let history, _): members["session"] = settings.json(history: history)
        case .append(_, let text, let delegation, _):
            members["content"] = .string(text)
            // Required; null if there is none.
            members["delegation_id"] = delegation.map { .string($0) } ?? .null
        case .close: break
        }
        return .object(members)
    }

    /// The event as a text message.
    package var encoded: [UInt8] { Array(json.encoded.utf8) }
}

/// Splits long texts into pieces of 500 tokens each, the service's limit, estimated from bytes.
package enum LivePieces {
    /// Maximum UTF-8 bytes in one piece. In scripts with several bytes per letter a letter is about a token, so letters
    /// count.
    static let mostBytes = 1400
    static let mostLetters = 500
    /// Maximum bytes of one text, about twenty minutes of speech; the rest is cut.
    static let longest = 16_384

    /// Splits a text into pieces of at most `bytes`, at sentence ends if possible, else between words. Returns none for a
    /// text without words.
    package static func of(_ text: String, bytes: Int = mostBytes) -> [String] {
        var pieces: [String] = []
        var piece = ""
        var rest = String(decoding: text.utf8.prefix(longest), as: UTF8.self)[...]
        while let sentence = nextSentence(&rest) {
            if fits(piece + sentence, bytes) {
                piece += sentence
                continue
            }
            append(piece, to: &pieces)
            piece = fits(sentence, bytes) ? sentence : ""
            guard piece.isEmpty else { continue }
            for part in split(sentence, bytes) {
                append(piece, to: &pieces)
                piece = part
            }
        }
        append(piece, to: &pieces)
        return pieces
    }

    private static func append(_ piece: String, to pieces: inout [String]) {
        guard let first = piece.firstIndex(where: { !$0.isWhitespace }),
            let last = piece.lastIndex(where: { !$0.isWhitespace })
        else { return }
        pieces.append(String(piece[first...last]))
    }

    static func fits(_ text: String, _ bytes: Int) -> Bool {
        let count = text.utf8.count
        guard count <= bytes else { return false }
        // Mostly multi-byte letters.
        let letters = text.unicodeScalars.count
        return count < letters * 3 / 2 || letters <= mostLetters * bytes / mostBytes
    }

    private static func nextSentence(_ rest: inout Substring) -> String? {
        guard !rest.isEmpty else { return nil }
        var end = rest.startIndex
        while end < rest.endIndex {
            let letter = rest[end]
            end = rest.index(after: end)
            let isEnd = ".!?\n\u{3002}".contains(letter) && (end == rest.endIndex || rest[end].isWhitespace)
            if isEnd || letter == "\u{3002}" { break }
        }
        while end < rest.endIndex, rest[end].isWhitespace { end = rest.index(after: end) }
        defer { rest = rest[end...] }
        return String(rest[..<end])
    }

    /// Splits a sentence too long for one piece between words, or inside a word that is too long.
    private static func split(_ sentence: String, _ bytes: Int) -> [String] {
        var parts: [String] = []
        var part = ""
        for word in sentence.split(separator: " ", omittingEmptySubsequences: true) {
            if fits(part + " " + word, bytes) {
                part += part.isEmpty ? String(word) : " " + word
                continue
            }
            if !part.isEmpty { parts.append(part) }
            part = ""
            for scalar in word.unicodeScalars {
                if !fits(part + String(scalar), bytes) {
                    parts.append(part)
                    part = ""
                }
                part.unicodeScalars.append(scalar)
            }
        }
        if !part.isEmpty { parts.append(part + " ") }
        return parts
    }
}
