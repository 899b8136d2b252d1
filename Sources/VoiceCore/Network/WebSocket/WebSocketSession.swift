/// One open WebSocket as a value: bytes in, events out; requests in, frames out (RFC 6455 sections 5 to 7).
///
/// Performs no I/O: the owner feeds `next` and sends what `nextToSend` offers. Pings are answered and closes echoed here.
package struct WebSocketSession: ~Copyable {
    /// An event for the owner; pointers are valid until the next call and only as long as the input.
    package enum Event {
        case text(UnsafeRawBufferPointer)
        case binary(UnsafeRawBufferPointer)
        case pong
        /// The peer's close frame; the code is 1005 if it gave none.
        case closed(code: UInt16, reason: String)
        /// The peer broke the protocol; a close frame with the reason is queued.
        case violated(WebSocketViolation)
    }

    package enum State: Sendable {
        case open
        /// Our close frame is queued; the peer's has not arrived.
        case closing
        /// No further bytes are read or queued; the last frame may still be waiting.
        case closed
    }

    package private(set) var state = State.open
    private var outgoing: WebSocketSendQueue
    private var decoder: WebSocketDecoder

    /// - Parameters:
    ///   - maximumMessageBytes: bound for one received message.
    ///   - maximumPendingBytes: bound for data waiting for the socket.
    package init(maximumMessageBytes: Int = 16 << 20, maximumPendingBytes: Int = 4 << 20) {
        decoder = WebSocketDecoder(maximumMessageBytes: maximumMessageBytes)
        outgoing = WebSocketSendQueue(maximumBytes: maximumPendingBytes)
    }

    // MARK: Receiving

    /// Takes bytes off the front of the input until there is an event; nil once the input is used up.
    package mutating func next(_ input: inout UnsafeRawBufferPointer) -> Event? {
        while state != .closed {
            do throws(WebSocketViolation) {
                guard let item = try decoder.next(&input) else { return nil }
                switch item {
                case .text(let bytes): return .text(bytes)
                case .binary(let bytes): return .binary(bytes)
                case .pong: return .pong
                case .ping(let payload):
                    // Section 5.5.3. A peer that pings without reading loses pongs; our memory stays bounded.
                    if state == .open { _ = outgoing.append(.pong, payload) }
                case .close(let code, let reason):
                    answerClose(code)
                    return .closed(code: code ?? WebSocketCloseCode.none, reason: reason)
                }
            } catch {
                fail(error)
                return .violated(error)
            }
        }
        input = UnsafeRawBufferPointer(start: nil, count: 0)
        return nil
    }

    // MARK: Sending

    /// Queues a text message; false if it does not fit or the session is not open.
    package mutating func send(text: UnsafeRawBufferPointer) -> Bool {
        state == .open && outgoing.append(.text, text)
    }

    package mutating func send(binary: UnsafeRawBufferPointer) -> Bool {
        state == .open && outgoing.append(.binary, binary)
    }

    /// Queues a text message written in place: `fill` writes at most `maximumCount` bytes and returns their number.
    package mutating func send(
        textOfAtMost maximumCount: Int,
        fill: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Bool {
        state == .open && outgoing.append(.text, maximumCount: maximumCount, fill: fill)
    }

    package mutating func ping() -> Bool {
        state == .open && outgoing.append(.ping, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Starts the closing handshake (section 7.1.2); a second call does nothing.
    ///
    /// - Parameters:
    ///   - code: 1000, or 3000 to 4999.
    ///   - reason: truncated to 123 bytes of UTF-8.
    package mutating func close(code: UInt16 = 1000, reason: String = "") {
        guard state == .open else { return }
        appendClose(code, reason: reason)
        state = .closing
    }

    // MARK: Socket side

    /// Bytes the socket has not taken yet.
    package var pendingBytes: Int { outgoing.count }

    /// The bytes to offer to the socket: the same ones at the same address until `sent` is called.
    package mutating func nextToSend() -> UnsafeRawBufferPointer? { outgoing.next() }

    package mutating func sent(_ amount: Int) { outgoing.sent(amount) }

    /// Queues bytes that are sent before any frame: the handshake's request.
    package mutating func prepend(_ bytes: [UInt8]) { outgoing.append(raw: bytes) }

    /// Drops what can no longer be sent.
    package mutating func discardPending() { outgoing.removeAll() }

    // MARK: Closing

    private mutating func answerClose(_ code: UInt16?) {
        if state == .open { appendClose(code, reason: "") }
        state = .closed
    }

    /// Section 7.1.7: send the reason, then stop.
    private mutating func fail(_ violation: WebSocketViolation) {
        if state == .open { appendClose(violation.code, reason: violation.description) }
        state = .closed
    }

    private mutating func appendClose(_ code: UInt16?, reason: String) {
        var payload: [UInt8] = []
        if let code {
            payload = [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)]
            for scalar in reason.unicodeScalars {
                let bytes = UTF8.encode(scalar).map(Array.init) ?? []
                guard payload.count + bytes.count <= 125 else { break }
                payload.append(contentsOf: bytes)
            }
        }
        payload.withUnsafeBytes { _ = outgoing.append(.close, $0) }
    }
}
