package import VoiceBase

/// What a Datagrid session is asked to be. Tools, model and knowledge belong to the agent, on their side.
package struct DatagridSettings: Equatable, Sendable {
    /// Nil for the agent that the key's account has as its default.
    package var agent: String?
    /// Added to the agent's own instructions; empty for none.
    package var prompt: String
    /// The name of a preset; nil for the agent's own.
    package var voice: String?
    /// What the agent says when a conversation begins; nil for nothing.
    package var greeting: String?

    package init(agent: String? = nil, prompt: String = "", voice: String? = nil, greeting: String? = nil) {
        self.agent = agent
        self.prompt = prompt
        self.voice = voice
        self.greeting = greeting
    }

    /// The payload of `start`, which is also the body of a hand-off.
    ///
    /// - Parameter conversation: the one that goes on; nil begins another.
    package func payload(conversation: String?) -> JSONValue {
        var sound: [String: JSONValue] = [
            "input_transcription": true, "output_transcription": true,
            // The agent greets by itself otherwise, at every reconnect.
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

/// Which conversation the next session goes on with. Pure; times are monotonic.
package struct DatagridConversation: Equatable, Sendable {
    /// A lost connection is followed by one that goes on, whatever the pause between two conversations may be.
    private static let reconnects = Duration.seconds(600)

    private var id: String?
    private var ended: (at: Duration, isLost: Bool)?
    /// How long after its end a conversation is taken up again.
    private let patience: Duration

    package init(patience: Duration) { self.patience = patience }

    package static func == (left: Self, right: Self) -> Bool {
        left.id == right.id && left.ended?.at == right.ended?.at && left.ended?.isLost == right.ended?.isLost
            && left.patience == right.patience
    }

    /// Nil where another is to begin.
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

    /// The service does not know it any more.
    package mutating func forget() { id = nil }
}
