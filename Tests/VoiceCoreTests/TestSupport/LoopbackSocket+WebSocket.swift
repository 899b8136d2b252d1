@testable import VoiceBase
@testable import VoiceNetwork

extension LoopbackSocket {
    /// Reads the opening request and accepts it; `frames` are sent in the same write.
    func upgrade(with frames: [UInt8] = []) { upgrade(readHeader(), with: frames) }

    /// Accepts an opening request that was read.
    func upgrade(_ header: String, with frames: [UInt8]) {
        let key = header.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19) ?? ""
        let accept = SHA1.digest(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        let reply =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(Base64.text(accept))\r\n\r\n"
        write(Array(reply.utf8) + frames)
    }

    /// Reads one masked frame of the client and unmasks it; nil at the end of the connection.
    func readFrame() -> (opcode: UInt8, payload: [UInt8])? {
        let start = read(exactly: 2)
        guard start.count == 2 else { return nil }
        var count = Int(start[1] & 0x7f)
        if count > 125 { count = read(exactly: count == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
        let key = read(exactly: 4)
        guard key.count == 4 else { return nil }
        var payload = read(exactly: count)
        for index in payload.indices { payload[index] ^= key[index % 4] }
        return (start[0] & 0x0f, payload)
    }
}
