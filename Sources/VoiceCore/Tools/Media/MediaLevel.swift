internal import VoiceConversation

/// The one argument of the tools that set a level.
enum MediaLevel {
    static let parameters = """
        {"type":"object","properties":{"level":{"type":"number","minimum":0,"maximum":1}},"required":["level"],\
        "additionalProperties":false}
        """

    private struct Arguments: Decodable {
        let level: Double
    }

    /// Nil where there is none.
    static func decode(_ arguments: String) -> Double? {
        guard let wish = ToolArguments.decode(Arguments.self, from: arguments), wish.level.isFinite else { return nil }
        return wish.level
    }
}
