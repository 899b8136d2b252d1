/// The event names of the beta protocol, which some servers still speak.
enum BetaNames {
    private static let names = [
        "response.output_audio.delta": "response.audio.delta",
        "response.output_audio.done": "response.audio.done",
        "response.output_audio_transcript.delta": "response.audio_transcript.delta",
        "response.output_audio_transcript.done": "response.audio_transcript.done",
        "response.output_text.delta": "response.text.delta",
        "response.output_text.done": "response.text.done",
        "conversation.item.added": "conversation.item.created",
    ]

    /// The event under its beta name; nil if the beta had no such event.
    static func event(_ event: [String: SimulatedJSON]) -> [String: SimulatedJSON]? {
        guard let type = event["type"]?.string, type != "conversation.item.done" else { return nil }
        var renamed = event.mapValues(content)
        renamed["type"] = .string(names[type] ?? type)
        return renamed
    }

    /// Renames the types of content parts inside items, which had no `output_` prefix in the beta.
    private static func content(_ value: SimulatedJSON) -> SimulatedJSON {
        switch value {
        case .array(let elements): return .array(elements.map(content))
        case .object(var members):
            members = members.mapValues(content)
            if members["type"] == "output_audio" { members["type"] = "audio" }
            if members["type"] == "output_text" { members["type"] = "text" }
            return .object(members)
        default: return value
        }
    }
}
