/// What lives on one WebSocket; made, called and dropped on the network thread alone.
package protocol WebSocketDriver: AnyObject {
    /// The handshake is done: messages may be sent.
    func opened()
    /// A text message; the bytes are valid UTF-8 and good during the call only.
    func received(text: UnsafeRawBufferPointer)
    /// A binary message; the bytes are good during the call only.
    func received(binary: UnsafeRawBufferPointer)
    /// The end, called exactly once; nothing is called after it.
    func closed(_ closure: WebSocketClosure)
    /// Called after every round of the network thread while open, and when the delay it returned has passed.
    ///
    /// - Returns: how long until the next call is wanted; nil for only on activity.
    func tick(now: ContinuousClock.Instant) -> Duration?
}

extension WebSocketDriver {
    package func tick(now: ContinuousClock.Instant) -> Duration? { nil }
}
