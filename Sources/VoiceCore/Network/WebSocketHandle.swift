/// A WebSocket of the network thread, as other threads see it.
package struct WebSocketHandle: Sendable {
    let id: UInt64
    let queue: CommandQueue

    /// Runs `body` with the driver on the network thread; nothing happens once the connection has ended.
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
