package import VoiceNetwork

/// An object that lives on the network thread. Holders on other threads may only send work to it.
package struct NetworkConfined<Value: AnyObject>: @unchecked Sendable {
    // Invariant behind @unchecked: `value` is touched only in `perform` and `onThread`, which run on the network thread.
    private let value: Value
    private let network: NetworkThread

    /// - Parameter value: ownership passes to this wrapper; no one else may keep a reference.
    package init(_ value: sending Value, on network: NetworkThread) {
        self.value = value
        self.network = network
    }

    /// Runs `body` with the object on the network thread, soon.
    package func perform(_ body: @escaping @Sendable (Value) -> Void) {
        let confined = self
        network.enqueue { body(confined.value) }
    }

    /// The object, for code already on the network thread.
    package var onThread: Value { value }
}
