/// A connection that the network thread serves; confined to that thread.
package protocol NetworkSocket: AnyObject {
    /// Its stream, from `begin` to its end.
    var socket: CurlSocket? { get }
    /// Whether anything waits to be sent.
    var hasUnsent: Bool { get }

    /// Starts to connect; `connected` follows.
    func begin(_ multi: UnsafeMutableRawPointer)

    /// The stream is usable, or there is none.
    func connected(_ failure: WebSocketFailure?)

    /// Reads and writes. Returns how long until the next call is needed; nil once the connection is done.
    ///
    /// - Parameter between: called after each message; may end the connection.
    func pump(
        _ now: ContinuousClock.Instant, scratch: UnsafeMutableRawBufferPointer, between: () -> Void
    ) -> Duration?

    /// Sends what was queued since the last `pump`; true if `pump` must follow immediately.
    func sendQueued() -> Bool

    /// The thread is about to stop.
    func stop()

    /// The thread has stopped.
    func abandon()
}
