internal import Synchronization
package import VoiceBase

/// A secret that may be replaced while it is in use.
package final class SharedSecret: Sendable {
    private let content: Mutex<Secret?>

    package init(_ secret: Secret?) {
        content = Mutex(secret)
    }

    package var value: Secret? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
