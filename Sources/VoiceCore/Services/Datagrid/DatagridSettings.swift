package import VoiceBase
internal import VoiceConversation

/// Settings of a Datagrid session. Tools, model and knowledge belong to the agent on the service's side.
package struct DatagridSettings: Equatable, Sendable {
    /// nil for the default agent of the key's account.
    package var agent: String?
    /// Added to the agent's own instructions; empty for none.
    package var prompt: String
    /// The name of a preset; nil for the agent's own.
    package var voice: String?
    /// What the agent says at the beginning of a conversation; nil for nothing.
    package var greeting: String?
    /// How long the agent may work with one tool. Until then the conversation waits for it.
    package var longestWork = Duration.seconds(120)

    package init(agent: String? = nil, prompt: String = "", voice: String? = nil, greeting: String? = nil) {
        self.agent = agent
        self.prompt = prompt
        self.voice = voice
        self.greeting = greeting
    }

    /// The payload of `start`, which is also the body of a hand-off.
    ///
    /// - Parameter conversation: the one to continue; nil begins a new one.
    package func payload(conversation: String?) -> JSONValue {
        var sound: [String: JSONValue] = [
            "input_transcription": true, "output_transcription": true,
            // Otherwise the agent would greet at every reconnect.
            "silent_start": true,
            "silence_timeout": false,
        ]
        if let voice { sound["voice_preset"] = .string(voice) }
        var payload: [String: JSONValue] = ["voice_config": .object(sound)]
        if let agent { payload["agent_id"] = .string(agent) }
        if !prompt.isEmpty { payload["config"] = ["custom_prompt": .string(prompt)] }
        if let conversation {
            payload["conversation_id"] = .string(conversation)
        } else if let greeting {
            payload["initial_message"] = .string(greeting)
        }
        return .object(payload)
    }
}

/// Decides which conversation the next session continues. Pure; times are monotonic.
package struct DatagridConversation: Sendable {
    /// How long after a lost connection a conversation is at least continued, regardless of `patience`.
    private static let reconnects = Duration.seconds(600)

    private var id: String?
    private var ended: (at: Duration, isLost: Bool)?
    /// How long after its end a conversation can be continued.
    private let patience: Duration

    package init(patience: Duration) { self.patience = patience }

    /// Returns the conversation to continue; nil to begin a new one.
    package func next(at now: Duration) -> String? {
        guard let ended else { return id }
        return now - ended.at <= (ended.isLost ? max(patience, Self.reconnects) : patience) ? id : nil
    }

    /// A session of this conversation has started.
    package mutating func began(_ id: String) {
        self.id = id
        ended = nil
    }

    package mutating func sessionEnded(at now: Duration, isLost: Bool) { ended = (now, isLost) }

    /// The service no longer knows the conversation.
    package mutating func forget() { id = nil }
}
