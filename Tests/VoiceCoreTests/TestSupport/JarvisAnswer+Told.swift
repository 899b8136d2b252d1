import Logging

@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceReply
@testable import VoiceSession

extension JarvisAnswer {
    /// Everything of it that a speaking model is given, apart from media.
    var told: String { spoken + (prompt?.forModel ?? "") }
}

extension JarvisPrompt {
    /// The text that a speaking model is given.
    var spoken: String { asked(as: 1).forModel }
}

extension JarvisClient {
    /// The whole answer to a question.
    func ask(_ query: String, context: String? = nil) async -> JarvisAnswer {
        await ask(query, context: context, inParts: false).answer()
    }

    func answer(_ answers: [String]?, heard: Int?) async -> JarvisAnswer {
        await answer(answers, heard: heard, inParts: false).answer()
    }

    func approve(_ command: String, _ isAllowed: Bool, heard: Int?) async -> JarvisAnswer {
        await approve(command, isAllowed, heard: heard, inParts: false).answer()
    }

    /// What is said while the answer is being written, and the answer.
    func talk(_ query: String) async -> (said: [(words: String, at: Duration)], answer: JarvisAnswer) {
        var said: [(words: String, at: Duration)] = []
        let listener = AgentListener(inParts: true) { part in
            if case .says(let words) = part { said.append((words, Monotonic.now())) }
        }
        let answer = await ask(query, context: nil, inParts: true).answer(to: listener)
        return (said, answer)
    }
}

extension Tool {
    static func askJarvis(logger: Logger, ask: @escaping @Sendable (String) async -> JarvisAnswer) -> Tool {
        var context = ToolContext(logger: logger)
        context.ask = { query, _, _ in .ended(await ask(query)) }
        return askJarvis(context)
    }
}
