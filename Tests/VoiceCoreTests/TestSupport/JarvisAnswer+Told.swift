@testable import VoiceAgent
@testable import VoiceReply

extension JarvisAnswer {
    /// Everything of it that a speaking model is given, apart from media.
    var told: String { spoken + (prompt?.forModel ?? "") }
}

extension JarvisPrompt {
    /// The text that a speaking model is given.
    var spoken: String { asked(as: 1).forModel }
}
