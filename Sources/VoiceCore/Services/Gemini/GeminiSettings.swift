package import VoiceBase
package import VoiceConversation

/// Settings of a Gemini Live session, fixed for its connection.
package struct GeminiSettings: Equatable, Sendable {
    package var model: String
    package var instructions: String
    package var voice: String
    /// Silence after which the service regards the user's turn as over, in ms.
    package var silence: Int
    /// As the daemon describes them to every service.
    package var tools: [JSONValue]

    package init(
        model: String = "gemini-3.8-live",
        instructions: String = "",
        voice: String = "Kore",
        silence: Int = 700,
        tools: [JSONValue] = []
    ) {
        self.model = model
        self.instructions = instructions
        self.voice = voice
        self.silence = silence
        self.tools = tools
    }

    /// When the service drops the oldest turns, and how much it keeps, in tokens: each turn is charged for all that is kept.
    private static let window = (most: 16_000, kept: 8000)

    /// The `setup` object. It leaves out fields that the service refuses or ignores.
    func json(handle: String?, hasHistory: Bool) -> JSONValue {
        var setup: [String: JSONValue] = [
            "model": .string(model.hasPrefix("models/") ? model : "models/\(model)"),
            "generationConfig": [
                "responseModalities": ["AUDIO"],
                "speechConfig": ["voiceConfig": ["prebuiltVoiceConfig": ["voiceName": .string(voice)]]],
            ],
            "realtimeInputConfig": [
                "automaticActivityDetection": ["silenceDurationMs": .integer(silence)],
                "activityHandling": "START_OF_ACTIVITY_INTERRUPTS",
                // Silence is not part of the context, and not charged with it.
                "turnCoverage": "TURN_INCLUDES_ONLY_ACTIVITY",
            ],
            "inputAudioTranscription": [:], "outputAudioTranscription": [:],
            "contextWindowCompression": [
                "triggerTokens": .integer(Self.window.most),
                "slidingWindow": ["targetTokens": .integer(Self.window.kept)],
            ],
            "sessionResumption": handle.map { ["handle": .string($0)] } ?? [:],
        ]
        let paragraphs = instructions.split(separator: "\n\n").map(String.init).filter {
            !$0.allSatisfy(\.isWhitespace)
        }
        if !paragraphs.isEmpty {
            setup["systemInstruction"] = ["parts": .array(paragraphs.map { ["text": .string($0)] })]
        }
        let functions = tools.compactMap(GeminiFunction.declaration)
        if !functions.isEmpty { setup["tools"] = [["functionDeclarations": .array(functions)]] }
        if hasHistory { setup["historyConfig"] = ["initialHistoryInClientContent": true] }
        return .object(setup)
    }
}

/// Turns the daemon's description of a tool into a declaration of a function.
enum GeminiFunction {
    /// Returns nil for a tool without a name.
    static func declaration(_ tool: JSONValue) -> JSONValue? {
        guard let name = tool["name"]?.stringValue else { return nil }
        var members: [String: JSONValue] = [
            "name": .string(name), "description": tool["description"] ?? .string(name),
            // The model talks on while the call is out. The default differs between models.
            "behavior": "NON_BLOCKING",
        ]
        members["parameters"] = tool["parameters"].flatMap { schema($0) }
        return .object(members)
    }

    private static let deepest = 16

    /// The part of JSON Schema that the service knows: types are in capitals, and nothing forbids further properties.
    private static func schema(_ value: JSONValue, depth: Int = 0) -> JSONValue? {
        guard case .object(let members) = value, depth < deepest, let type = members["type"]?.stringValue else {
            return nil
        }
        var result: [String: JSONValue] = ["type": .string(type.uppercased())]
        for name in ["description", "enum", "required", "nullable"] { result[name] = members[name] }
        if case .object(let properties)? = members["properties"] {
            result["properties"] = .object(properties.compactMapValues { schema($0, depth: depth + 1) })
        }
        result["items"] = members["items"].flatMap { schema($0, depth: depth + 1) }
        return .object(result)
    }
}

extension ServiceCapabilities {
    /// Gemini Live: a model that calls the daemon's tools without waiting for them, in a session that does the turn-taking.
    package static let gemini: ServiceCapabilities = {
        var gemini = ServiceCapabilities()
        // It reports what it hears too late for a barge-in.
        gemini.turns = .silent
        // An answer is cut here, and the model is told to stop.
        gemini.cancels = true
        // A note, with the next text that goes to the model.
        gemini.truncates = true
        gemini.forgets = false
        gemini.clearsInput = false
        gemini.namesItems = false
        gemini.heardText = .always
        // A connection lasts about ten minutes; the service announces its end.
        gemini.sessionLimit = .seconds(540)
        gemini.continuousUplink = true
        gemini.uplink = ServiceAudio(rate: 16_000)
        gemini.history = .opening
        gemini.fillsSilence = true
        gemini.confirmsLocally = true
        return gemini
    }()
}
