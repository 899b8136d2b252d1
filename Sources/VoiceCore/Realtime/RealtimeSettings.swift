/// What the daemon wants a Realtime session to be; becomes the `session` object of `session.update`.
///
/// Keep it byte-identical from session to session: the service caches the prefix of a conversation.
package struct RealtimeSettings: Equatable, Sendable {
    package enum TurnDetection: Equatable, Sendable {
        /// Waits for the end of the thought; `eagerness` low, medium, high or auto.
        case semantic(eagerness: String)
        /// Waits for silence, in ms (never below 200); `threshold` 0 to 1.
        case server(threshold: Double, silence: Int)
    }

    package struct Transcription: Equatable, Sendable {
        package var model: String
        /// ISO 639-1, or nil to let the recogniser guess.
        package var language: String?

        package init(model: String, language: String?) {
            self.model = model
            self.language = language
        }
    }

    package var instructions: String
    package var tools: [JSONValue]
    package var voice: String
    package var speed: Double
    package var turnDetection: TurnDetection
    /// `near_field`, `far_field`, or nil for none.
    package var noiseReduction: String?
    package var transcription: Transcription?
    package var maximumOutputTokens: Int

    package init(
        instructions: String,
        tools: [JSONValue],
        voice: String = "marin",
        speed: Double = 1,
        turnDetection: TurnDetection = .semantic(eagerness: "auto"),
        noiseReduction: String? = "far_field",
        transcription: Transcription? = nil,
        maximumOutputTokens: Int = 1200
    ) {
        self.instructions = instructions
        self.tools = tools
        self.voice = voice
        self.speed = speed
        self.turnDetection = turnDetection
        self.noiseReduction = noiseReduction
        self.transcription = transcription
        self.maximumOutputTokens = maximumOutputTokens
    }

    var json: JSONValue {
        let pcm: JSONValue = ["type": "audio/pcm", "rate": .integer(AudioFormat.wireRate)]
        let turns: JSONValue =
            switch turnDetection {
            case .semantic(let eagerness):
                [
                    "type": "semantic_vad", "eagerness": .string(eagerness), "create_response": true,
                    "interrupt_response": true,
                ]
            case .server(let threshold, let silence):
                [
                    "type": "server_vad", "threshold": .number(threshold), "prefix_padding_ms": 300,
                    "silence_duration_ms": .integer(silence), "create_response": true, "interrupt_response": true,
                ]
            }
        let heard: JSONValue =
            transcription.map { wanted in
                .object(
                    ["model": .string(wanted.model)]
                        .merging(wanted.language.map { ["language": .string($0)] } ?? [:]) { $1 }
                )
            } ?? .null
        return [
            "type": "realtime", "output_modalities": ["audio"], "instructions": .string(instructions),
            "tools": .array(tools), "tool_choice": "auto", "max_output_tokens": .integer(maximumOutputTokens),
            "tracing": nil,
            "truncation": [
                "type": "retention_ratio", "retention_ratio": 0.8, "token_limits": ["post_instructions": 8000],
            ],
            "audio": [
                "input": [
                    "format": pcm, "turn_detection": turns, "transcription": heard,
                    "noise_reduction": noiseReduction.map { ["type": .string($0)] } ?? .null,
                ],
                "output": ["format": pcm, "voice": .string(voice), "speed": .number(speed)],
            ],
        ]
    }

    /// Compares what a server says is in force with what was asked for.
    ///
    /// A server rejects an update as a whole or drops a part of it, and talks on with a stranger's defaults and no
    /// tools: the worst kind of failure, because it sounds healthy. Fields that the server adds are its own business.
    package func differences(from inForce: JSONValue) -> [SettingsDifference] {
        var found: [SettingsDifference] = []
        Self.compare(asked: json, got: inForce, path: "session", into: &found)
        return found.sorted { $0.path < $1.path }
    }

    private static func compare(
        asked: JSONValue,
        got: JSONValue?,
        path: String,
        into found: inout [SettingsDifference]
    ) {
        switch (asked, got) {
        case (.object(let wanted), .object(let have)):
            for (key, value) in wanted { compare(asked: value, got: have[key], path: "\(path).\(key)", into: &found) }
        case (.array(let wanted), .array(let have)) where wanted.count == have.count:
            for (index, value) in wanted.enumerated() {
                compare(asked: value, got: have[index], path: "\(path)[\(index)]", into: &found)
            }
        case (.null, nil), (.null, .null?):
            return
        default:
            if let number = asked.doubleValue, let other = got?.doubleValue, abs(number - other) < 1e-6 { return }
            if asked != got { found.append(SettingsDifference(path: path)) }
        }
    }
}

/// One field that is not in force as it was asked for.
package struct SettingsDifference: Equatable, Sendable {
    package var path: String

    /// Without these the session would talk without its tools, in another role, or in a format we do not read.
    package var isFatal: Bool {
        ["session.type", "session.instructions", "session.tools", "session.output_modalities"].contains {
            path.hasPrefix($0)
        } || path.hasPrefix("session.audio.input.format") || path.hasPrefix("session.audio.output.format")
    }
}
