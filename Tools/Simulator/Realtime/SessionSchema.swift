/// The keys that `session.update` may carry; any other is rejected as `unknown_parameter`.
indirect enum SessionSchema: Sendable {
    /// Any value.
    case any
    /// An object with these keys only, or null.
    case keys([String: SessionSchema])
    /// An array of values of this schema.
    case list(SessionSchema)
    /// Objects distinguished by their `type`.
    case typed([String: SessionSchema])

    static let session = keys([
        "type": any, "model": any, "output_modalities": any, "instructions": any, "tool_choice": any,
        "max_output_tokens": any, "truncation": any, "tracing": any, "include": any, "reasoning": any,
        "parallel_tool_calls": any, "prompt": any,
        "tools": list(
            typed([
                "function": keys(["type": any, "name": any, "description": any, "parameters": any]),
                "mcp": any,
            ])
        ),
        "audio": keys(["input": input, "output": keys(["format": any, "voice": any, "speed": any])]),
    ])

    private static let input = keys([
        "format": any,
        "noise_reduction": keys(["type": any, "strength": any]),
        "transcription": keys([
            "model": any, "language": any, "languages": any, "prompt": any, "keywords": any, "delay": any,
        ]),
        "turn_detection": typed([
            "server_vad": keys([
                "type": any, "threshold": any, "prefix_padding_ms": any, "silence_duration_ms": any,
                "idle_timeout_ms": any, "create_response": any, "interrupt_response": any,
            ]),
            "semantic_vad": keys(["type": any, "eagerness": any, "create_response": any, "interrupt_response": any]),
        ]),
    ])

    static func check(
        _ value: SimulatedJSON,
        path: String,
        schema: SessionSchema
    ) throws(SessionSettings.Rejection) {
        switch schema {
        case .any: return
        case .keys(let known):
            guard value != .null else { return }
            guard let members = value.object else {
                throw SessionSettings.invalid(path, "Invalid type for '\(path)': expected an object.")
            }
            for key in members.keys.sorted() {
                guard let inner = known[key] else {
                    let name = "\(path).\(key)"
                    throw SessionSettings.Rejection(
                        code: "unknown_parameter", message: "Unknown parameter: '\(name)'.", param: name
                    )
                }
                try check(members[key] ?? .null, path: "\(path).\(key)", schema: inner)
            }
        case .list(let inner):
            guard let elements = value.array else {
                throw SessionSettings.invalid(path, "Invalid type for '\(path)': expected an array.")
            }
            for (index, element) in elements.enumerated() {
                try check(element, path: "\(path)[\(index)]", schema: inner)
            }
        case .typed(let kinds):
            guard value != .null else { return }
            guard let type = value["type"]?.string else {
                throw SessionSettings.missing("\(path).type")
            }
            guard let inner = kinds[type] else {
                throw SessionSettings.invalid("\(path).type", "Invalid value: '\(type)'.")
            }
            try check(value, path: path, schema: inner)
        }
    }
}
