/// The user of one WebSocket; created, called and released on the network thread alone.
package protocol WebSocketDriver: AnyObject {
    /// The handshake is complete: messages may be sent.
    func opened()
    /// A text message; the bytes are valid UTF-8 and valid during the call only.
    func received(text: UnsafeRawBufferPointer)
    /// A binary message; the bytes are valid during the call only.
    func received(binary: UnsafeRawBufferPointer)
    /// The connection has ended. Called exactly once, as the last call.
    func closed(_ closure: WebSocketClosure)
}

/// A WebSocket of the network thread, for use by other threads.
package struct WebSocketHandle: Sendable {
    let id: UInt64
    let queue: CommandQueue

    /// Runs `body` with the driver on the network thread; does nothing once the connection has ended.
    package func perform(_ body: @escaping @Sendable (any WebSocketDriver) -> Void) {
        let id = id
        _ = queue.put { $0.withDriver(id, body) }
    }

    /// Starts the closing handshake; the driver's `closed` follows.
    package func close(code: UInt16 = 1000, reason: String = "") {
        let id = id
        _ = queue.put { $0.close(id, code: code, reason: reason) }
    }
}
