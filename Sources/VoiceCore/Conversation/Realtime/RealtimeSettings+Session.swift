internal import VoiceBase

/// The `session` object in the form of the dialect.
extension RealtimeSettings {
    var wholeJSON: JSONValue {
        switch dialect.shape {
        case .nested: nested
        case .lifted: lifted
        case .flat: flat
        }
    }

    private static let pcm: JSONValue = ["type": "audio/pcm", "rate": .integer(AudioFormat.wireRate)]

    private var nested: JSONValue {
        var session: [String: JSONValue] = [
            "type": "realtime", "output_modalities": ["audio"], "instructions": .string(instructions),
            "tools": .array(tools), "tool_choice": "auto",
        ]
        session["max_output_tokens"] = maximumOutputTokens.map(JSONValue.integer)
        var input: [String: JSONValue] = ["format": Self.pcm, "turn_detection": turns]
        if transcription != nil || !dialect.isSelfHosted { input["transcription"] = heard }
        var output: [String: JSONValue] = ["format": Self.pcm]
        output["voice"] = voice.map(JSONValue.string)
        if !dialect.does(.commonSettings) {
            session["tracing"] = .null
            session["truncation"] = [
                "type": "retention_ratio", "retention_ratio": 0.8, "token_limits": ["post_instructions": 8000],
            ]
            input["noise_reduction"] = noiseReduction.map { ["type": .string($0)] } ?? .null
            output["speed"] = .number(speed)
        }
        if let reasoningEffort { session["reasoning"] = ["effort": .string(reasoningEffort)] }
        session["audio"] = ["input": .object(input), "output": .object(output)]
        return .object(session)
    }

    private var lifted: JSONValue {
        var input: [String: JSONValue] = ["format": Self.pcm]
        if transcription != nil { input["transcription"] = heard }
        var session: [String: JSONValue] = [
            "type": "realtime", "instructions": .string(instructions),
            "tools": .array(tools), "tool_choice": "auto", "turn_detection": turns,
            "audio": ["input": .object(input), "output": ["format": Self.pcm]],
        ]
        session["voice"] = voice.map(JSONValue.string)
        return .object(session)
    }

    private var flat: JSONValue {
        var session: [String: JSONValue] = [
            // The beta refused audio as the only modality.
            "modalities": ["text", "audio"], "instructions": .string(instructions), "tools": .array(tools),
            "tool_choice": "auto", "turn_detection": turns,
        ]
        session["max_response_output_tokens"] = maximumOutputTokens.map(JSONValue.integer)
        session["voice"] = voice.map(JSONValue.string)
        if transcription != nil { session["input_audio_transcription"] = heard }
        return .object(session)
    }

    private var turns: JSONValue {
        switch turnDetection {
        case .semantic(let eagerness) where !dialect.does(.silenceTurns):
            [
                "type": "semantic_vad", "eagerness": .string(eagerness), "create_response": true,
                "interrupt_response": true,
            ]
        case .semantic: silence(threshold: 0.5, milliseconds: 500)
        case .server(let threshold, let milliseconds): silence(threshold: threshold, milliseconds: milliseconds)
        }
    }

    private func silence(threshold: Double, milliseconds: Int) -> JSONValue {
        var turns: [String: JSONValue] = [
            "type": "server_vad", "threshold": .number(threshold), "silence_duration_ms": .integer(milliseconds),
            "create_response": true,
        ]
        // Flat servers interrupt by their own rules, and refuse a padding.
        if dialect.shape != .flat {
            turns["interrupt_response"] = true
            turns["prefix_padding_ms"] = 300
        }
        return .object(turns)
    }

    private var heard: JSONValue {
        guard let transcription else { return .null }
        var wanted: [String: JSONValue] = [:]
        wanted["model"] = transcription.model.map(JSONValue.string)
        if let language = transcription.language { wanted["language"] = .string(language) }
        return .object(wanted)
    }
}
