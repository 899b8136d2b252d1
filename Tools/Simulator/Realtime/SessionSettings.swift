/// The effective configuration of a session and the rules of `session.update`.
struct SessionSettings: Sendable {
    /// Why an update was rejected; no part of it was applied.
    struct Rejection: Error, Equatable {
        var code: String
        var message: String
        var param: String?
    }

    private(set) var value: SimulatedJSON

    init(id: String, model: String, expiresAt: Int) {
        let pcm: SimulatedJSON = ["type": "audio/pcm", "rate": 24000]
        value = [
            "type": "realtime", "object": "realtime.session", "id": .string(id), "model": .string(model),
            "output_modalities": ["audio"], "instructions": "(server default)", "tools": [], "tool_choice": "auto",
            "max_output_tokens": "inf", "tracing": nil, "truncation": "auto", "prompt": nil,
            "expires_at": .int(expiresAt), "include": nil,
            "audio": [
                "input": [
                    "format": pcm, "transcription": nil, "noise_reduction": nil,
                    "turn_detection": Self.filled(["type": "server_vad"]),
                ],
                "output": ["format": pcm, "voice": "marin", "speed": 1.0],
            ],
        ]
    }

    var turnDetection: SimulatedJSON? {
        guard let value = value["audio"]?["input"]?["turn_detection"], value != .null else {
            return nil
        }
        return value
    }

    var transcribes: Bool { value["audio"]?["input"]?["transcription"]?.object != nil }
    var voice: SimulatedJSON { value["audio"]?["output"]?["voice"] ?? "marin" }
    var outputFormat: SimulatedJSON { value["audio"]?["output"]?["format"] ?? nil }

    /// Applies a partial update, all or nothing.
    mutating func update(_ change: SimulatedJSON?, audioWasSpoken: Bool) throws(Rejection) {
        guard let change = change?.object else { throw Self.missing("session") }
        guard let type = change["type"] else { throw Self.missing("session.type") }
        guard type == "realtime" else { throw Self.invalid("session.type", "Session type cannot be changed.") }
        try SessionSchema.check(.object(change), path: "session", schema: SessionSchema.session)
        if let model = change["model"], model != value["model"] {
            throw Self.invalid("session.model", "Model cannot be changed during a session.")
        }
        try checkValues(change)
        let output = change["audio"]?["output"]
        if audioWasSpoken, let voice = output?["voice"], voice != self.voice {
            throw Rejection(
                code: "cannot_update_voice",
                message: "Cannot update a conversation's voice if assistant audio is present.", param: nil
            )
        }
        value = Self.merged(value, .object(change), depth: 0)
    }

    private func checkValues(_ change: [String: SimulatedJSON]) throws(Rejection) {
        if let modalities = change["output_modalities"], modalities != ["audio"], modalities != ["text"] {
            throw Self.invalid("session.output_modalities", "Invalid modalities. Use either ['audio'] or ['text'].")
        }
        if let speed = change["audio"]?["output"]?["speed"] {
            guard let number = speed.double, (0.25...1.5).contains(number) else {
                throw Self.invalid("session.audio.output.speed", "Speed must be between 0.25 and 1.5.")
            }
        }
        for direction in ["input", "output"] {
            guard let format = change["audio"]?[direction]?["format"] else { continue }
            guard format == ["type": "audio/pcm", "rate": 24000] else {
                throw Self.invalid("session.audio.\(direction).format", "Only audio/pcm at 24000 is simulated.")
            }
        }
        for (index, tool) in (change["tools"]?.array ?? []).enumerated() {
            guard tool["type"] == "function", tool["name"]?.string?.isEmpty == false else {
                throw Self.missing("session.tools[\(index)].name")
            }
        }
    }

    /// Objects named `audio`, `input` and `output` are merged; everything else is replaced.
    private static func merged(_ old: SimulatedJSON, _ new: SimulatedJSON, depth: Int) -> SimulatedJSON {
        guard case .object(var result) = old, case .object(let change) = new else { return new }
        for (key, value) in change {
            switch key {
            case "audio", "input", "output":
                result[key] = merged(result[key] ?? [:], value, depth: depth + 1)
            case "turn_detection": result[key] = filled(value)
            default: result[key] = value
            }
        }
        return .object(result)
    }

    private static func filled(_ detection: SimulatedJSON) -> SimulatedJSON {
        guard case .object(let given) = detection else { return detection }
        var full: [String: SimulatedJSON] = ["create_response": true, "interrupt_response": true]
        if given["type"] == "semantic_vad" {
            full["eagerness"] = "auto"
        } else {
            full["threshold"] = 0.5
            full["prefix_padding_ms"] = 300
            full["silence_duration_ms"] = 200
            full["idle_timeout_ms"] = .null
        }
        return .object(full.merging(given) { $1 })
    }

    static func missing(_ path: String) -> Rejection {
        Rejection(
            code: "missing_required_parameter", message: "Missing required parameter: '\(path)'.", param: path
        )
    }

    static func invalid(_ path: String, _ message: String) -> Rejection {
        Rejection(code: "invalid_value", message: message, param: path)
    }
}
