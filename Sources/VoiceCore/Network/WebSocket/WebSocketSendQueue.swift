/// A bounded queue of frames for the socket.
///
/// libcurl must be offered the same address and length again after a send that could not proceed (its TLS library keeps
/// them). So what is being sent never moves or grows: new frames are added to a second buffer, and the two are swapped.
struct WebSocketSendQueue: ~Copyable {
    private static let keptMemory = 1 << 18

    private var current = RawBuffer()
    private var waiting = RawBuffer()
    private let maximumBytes: Int
    private var random = SystemRandomNumberGenerator()

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// Bytes the socket has not taken yet.
    var count: Int { current.count + waiting.count }

    /// Appends bytes that are not a frame: the handshake.
    mutating func append(raw bytes: [UInt8]) {
        bytes.withUnsafeBytes { waiting.append($0) }
    }

    /// Appends a frame; returns false and does nothing if it would not fit.
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

    /// The bytes to offer to the socket: the same ones at the same address until `sent` is called.
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
