internal import Synchronization

/// A secret that may be replaced while it is in use.
final class SharedSecret: Sendable {
    private let content: Mutex<Secret?>

    init(_ secret: Secret?) {
        content = Mutex(secret)
    }

    var value: Secret? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
