import VoiceSimulator

/// A minimal client side of RFC 6455, for tests.
final class RawWebSocket {
    enum Message {
        case event(SimulatedJSON)
        case close(code: Int, reason: String)
        case end
    }

    private let connection: RawConnection
    let status: Int

    init(
        port: Int,
        target: String = "/v1/realtime?model=gpt-realtime-2.1",
        headers: [String: String] = ["Authorization": "Bearer sk-simulated"]
    ) throws {
        connection = try RawConnection(port: port)
        let extra = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
        try connection.write(
            "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\(extra)\r\n"
        )
        status = try connection.response()?.status ?? 0
    }

    func send(_ event: SimulatedJSON) throws { try frame(0x81, Array(event.text.utf8)) }

    func frame(_ first: UInt8, _ payload: [UInt8]) throws {
        var bytes: [UInt8] = [first]
        if payload.count < 126 {
            bytes.append(0x80 | UInt8(payload.count))
        } else if payload.count < 65536 {
            bytes += [UInt8(0x80 | 126), UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        } else {
            bytes.append(0x80 | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift))
            }
        }
        let mask: [UInt8] = [1, 2, 3, 4]
        bytes += mask
        bytes += payload.enumerated().map { $0.element ^ mask[$0.offset % 4] }
        try connection.write(bytes)
    }

    func receive() throws -> Message {
        while true {
            guard let head = try connection.read(2) else { return .end }
            var length = Int(head[1] & 127)
            if length >= 126 {
                guard let more = try connection.read(length == 126 ? 2 : 8) else { return .end }
                length = more.reduce(0) { $0 << 8 | Int($1) }
            }
            guard let payload = try connection.read(length) else { return .end }
            switch head[0] & 15 {
            case 1: return .event(SimulatedJSON(bytes: payload) ?? nil)
            case 8:
                return .close(
                    code: Int(payload[0]) << 8 | Int(payload[1]),
                    reason: String(decoding: payload.dropFirst(2), as: UTF8.self)
                )
            default: continue
            }
        }
    }

    /// Events up to and including one of this type; fewer if the connection ended.
    func events(until type: String) throws -> [SimulatedJSON] {
        var found: [SimulatedJSON] = []
        while case .event(let event) = try receive() {
            found.append(event)
            if event["type"]?.string == type { break }
        }
        return found
    }
}
