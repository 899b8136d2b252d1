/// Frames on their way to the socket, with a bound.
///
/// libcurl must be offered the same address and length again after it could not send (its TLS library keeps them), so
/// what is being sent never moves and never grows: new frames gather in a second buffer, and the two change places.
struct WebSocketSendQueue: ~Copyable {
    private static let keptMemory = 1 << 18

    private var current = RawBuffer()
    private var waiting = RawBuffer()
    private let maximumBytes: Int
    private var random = SystemRandomNumberGenerator()

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// Bytes that the socket has not taken yet.
    var count: Int { current.count + waiting.count }

    /// Appends bytes that are no frame: the handshake.
    mutating func append(raw bytes: [UInt8]) {
        bytes.withUnsafeBytes { waiting.append($0) }
    }

    /// Appends a frame; false and nothing done where it would not fit.
    ///
    /// A close frame always fits: at most 131 bytes, once.
    mutating func append(
        _ opcode: WebSocketOpcode,
        maximumCount: Int,
        fill: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Bool {
        guard opcode == .close || count + maximumCount + 14 <= maximumBytes else { return false }
        WebSocketEncoder.append(opcode, maximumCount: maximumCount, key: random.next(), to: &waiting, fill: fill)
        return true
    }

    mutating func append(_ opcode: WebSocketOpcode, _ payload: UnsafeRawBufferPointer) -> Bool {
        append(opcode, maximumCount: payload.count) { room in
            room.copyMemory(from: payload)
            return payload.count
        }
    }

    /// What to offer to the socket: the same bytes at the same address until `sent` is called.
    mutating func next() -> UnsafeRawBufferPointer? {
        if current.isEmpty {
            guard !waiting.isEmpty else { return nil }
            current.removeAll(keeping: Self.keptMemory)
            swap(&current, &waiting)
        }
        return current.bytes
    }

    mutating func sent(_ amount: Int) { current.consume(amount) }

    mutating func removeAll() {
        current.removeAll(keeping: 0)
        waiting.removeAll(keeping: 0)
    }
}
