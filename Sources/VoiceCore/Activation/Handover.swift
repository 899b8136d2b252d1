internal import Synchronization

/// Hands over what one thread creates for another.
final class Handover<Value>: Sendable {
    /// Holds the value: a `Mutex` can take a value that is not `Sendable` only when it is created.
    private final class Content: Sendable {
        private let value: Mutex<Value?>

        init(_ value: consuming sending Value) { self.value = Mutex(value) }

        func receive() -> sending Value? {
            value.withLock { value in
                let taken = value
                value = nil
                return taken
            }
        }
    }

    private let content = Mutex<Content?>(nil)

    func give(_ value: consuming sending Value) {
        let made = Content(value)
        content.withLock { $0 = made }
    }

    /// Returns what was created, once; nil before.
    func receive() -> sending Value? { content.withLock { $0 }?.receive() }
}
