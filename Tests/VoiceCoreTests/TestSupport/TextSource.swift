import Synchronization

/// Returns the given texts one after the other, then the last one forever.
final class TextSource: Sendable {
    private let texts: Mutex<[String]>

    init(_ texts: [String]) { self.texts = Mutex(texts) }

    func next() -> String {
        texts.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? "" }
    }
}
