import Synchronization

@testable import VoiceAgent
@testable import VoiceReply

/// Collects the news of the client.
final class NewsBox: Sendable {
    private let news = Mutex<[JarvisClient.News]>([])

    func add(_ one: JarvisClient.News) { news.withLock { $0.append(one) } }

    var all: [JarvisClient.News] { news.withLock { $0 } }

    /// The prompts that the user was asked.
    var prompts: [AgentPrompt] { all.compactMap { if case .asks(let prompt) = $0 { prompt } else { nil } } }
}
