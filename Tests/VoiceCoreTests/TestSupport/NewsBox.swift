import Synchronization

@testable import VoiceAgent

/// Collects the news of the client.
final class NewsBox: Sendable {
    private let news = Mutex<[JarvisClient.News]>([])

    func add(_ one: JarvisClient.News) { news.withLock { $0.append(one) } }

    var all: [JarvisClient.News] { news.withLock { $0 } }
}
