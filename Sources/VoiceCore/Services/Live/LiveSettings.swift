package import VoiceBase
internal import VoiceConversation

/// Settings of a GPT-Live session, fixed once it has started.
package struct LiveSettings: Equatable, Sendable {
    package var model: String
    package var instructions: String
    package var voice: String
    /// How long the service waits before it asks the model for words to bridge the time until an answer, in ms; nil for a
    /// server that does not know the field.
    package var acknowledgementDelay: Int?

    package init(
        model: String,
        instructions: String,
        voice: String = "marin",
        acknowledgementDelay: Int? = 1000
    ) {
        self.model = model
        self.instructions = instructions
        self.voice = voice
        self.acknowledgementDelay = acknowledgementDelay
    }

    /// The `session` object of `session.start`. The service is never asked to store anything.
    package func json(history: [LiveMessage]) -> JSONValue {
        var delegation: [String: JSONValue] = ["type": "client"]
        if let acknowledgementDelay { delegation["acknowledgement_delay_ms"] = .integer(max(0, acknowledgementDelay)) }
        var session: [String: JSONValue] = [
            "model": .string(model),
            "store": .bool(false),
            "audio": [
                "format": ["type": "audio/pcm", "rate": .integer(AudioFormat.wireRate)],
                "output": ["voice": .string(voice)],
            ],
            "delegation": .object(delegation),
        ]
        if !instructions.isEmpty { session["instructions"] = .string(instructions) }
        if !history.isEmpty { session["input"] = .array(history.map(\.json)) }
        return .object(session)
    }
}

/// One text of the earlier conversation.
package struct LiveMessage: Equatable, Sendable {
    package enum Role: String, Sendable {
        case developer, user, assistant
    }

    package var role: Role
    package var text: String

    package init(_ role: Role, _ text: String) {
        self.role = role
        self.text = text
    }

    /// The service takes 128 messages with 8,192 tokens in total; a byte counts as a third of a token.
    static let most = 128
    static let mostBytes = 24_000

    /// Returns the newest messages that fit; empty ones are left out.
    static func fitting(_ messages: [LiveMessage]) -> [LiveMessage] {
        var room = mostBytes
        var kept: [LiveMessage] = []
        for message in messages.reversed() where !message.text.isEmpty && kept.count < most {
            room -= message.text.utf8.count
            guard room >= 0 else { break }
            kept.append(message)
        }
        return kept.reversed()
    }

    var json: JSONValue {
        let kind: JSONValue = role == .assistant ? "output_text" : "input_text"
        return [
            "type": "message", "role": .string(role.rawValue),
            "content": [["type": kind, "text": .string(text)]],
        ]
    }
}
