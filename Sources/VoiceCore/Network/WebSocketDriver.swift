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
}
