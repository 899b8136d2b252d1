import VoiceSimulator

/// A model that answers the first question with a speech that does not end soon.
enum SpeakingModel {
    static func script(seconds: Int) -> ConversationScript {
        ConversationScript(turns: [.init(transcript: "What is on today", action: .say(words(seconds: seconds)))])
    }

    /// Words that the tone voice speaks for about so long.
    static func words(seconds: Int) -> String {
        // Five syllables: 360 ms, and 40 ms of silence behind them.
        Array(repeating: "information", count: seconds * 5 / 2).joined(separator: " ")
    }
}
