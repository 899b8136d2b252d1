internal import VoiceBase

/// Messages from the daemon to a Gemini Live session, except audio.
package enum GeminiClientMessage: Equatable, Sendable {
    /// The first message. It resumes the session with `handle`, or begins a new one; `hasHistory` if its history follows.
    case setup(GeminiSettings, handle: String?, hasHistory: Bool)
    /// Lines of the conversation, always complete. The model answers them, unless they are the history of a new session.
    case content([GeminiLine])
    case answers([GeminiAnswer])

    private var json: JSONValue {
        switch self {
        case .setup(let settings, let handle, let hasHistory):
            ["setup": settings.json(handle: handle, hasHistory: hasHistory)]
        case .content(let lines): ["clientContent": ["turns": .array(lines.map(\.json)), "turnComplete": true]]
        case .answers(let answers): ["toolResponse": ["functionResponses": .array(answers.map(\.json))]]
        }
    }

    /// The message as JSON text.
    package var encoded: [UInt8] { Array(json.encoded.utf8) }

    /// The text before and after the base64 audio of a message.
    package static let audio = (
        before: #"{"realtimeInput":{"audio":{"mimeType":"audio/pcm;rate=16000","data":""#, after: #""}}}"#
    )
}

/// A line of the conversation.
package struct GeminiLine: Equatable, Sendable {
    package enum Role: String, Sendable {
        case user, model
    }

    package var role: Role
    package var text: String

    package init(_ role: Role, _ text: String) {
        self.role = role
        self.text = text
    }

    fileprivate var json: JSONValue { ["role": .string(role.rawValue), "parts": [["text": .string(text)]]] }

    /// A text from this program. Its brackets tell the model that the user did not say it.
    package static func program(_ text: String) -> String {
        let plain = text.map { $0 == "[" ? "(" : $0 == "]" ? ")" : $0 }
        return "[\(String(plain))]"
    }

    /// Bytes of a history: far more than is remembered.
    private static let longestHistory = 24_000

    /// Returns the lines of a history that fit, the newest if not all do; empty ones are left out.
    static func fitting(_ lines: [GeminiLine]) -> [GeminiLine] {
        var room = longestHistory
        var kept: [GeminiLine] = []
        for line in lines.reversed() where !line.text.allSatisfy(\.isWhitespace) {
            room -= line.text.utf8.count
            guard room >= 0 else { break }
            kept.append(line)
        }
        return kept.reversed()
    }
}

/// The final answer to a call.
package struct GeminiAnswer: Equatable, Sendable {
    package enum Scheduling: String, Sendable {
        /// Said once neither model nor user speaks.
        case whenIdle = "WHEN_IDLE"
        /// Known, and not said.
        case silent = "SILENT"
    }

    package var id: String
    package var name: String
    package var text: String
    package var isError = false
    /// nil for a service that has refused the field.
    package var scheduling: Scheduling?

    package init(_ call: GeminiCall, _ text: String, isError: Bool = false, scheduling: Scheduling? = nil) {
        id = call.id
        name = call.name
        self.text = text
        self.isError = isError
        self.scheduling = scheduling
    }

    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "name": .string(name),
            "response": isError ? ["error": .string(text)] : ["output": .string(text)],
        ]
        if let scheduling { members["scheduling"] = .string(scheduling.rawValue) }
        return .object(members)
    }
}
