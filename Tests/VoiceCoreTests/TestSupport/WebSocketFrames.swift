@testable import VoiceNetwork

/// Frames and events as plain values, for tests.
enum WebSocketFrames {
    enum Event: Equatable {
        case text(String)
        case binary([UInt8])
        case ping([UInt8])
        case pong([UInt8])
        case close(UInt16?, String)
        case violation(UInt16)
    }

    /// A frame as sent by a server: not masked.
    static func frame(_ opcode: UInt8, _ payload: [UInt8] = [], fin: Bool = true, reserved: UInt8 = 0) -> [UInt8] {
        let first = (fin ? 0x80 : 0) | reserved << 4 | opcode
        let count = payload.count
        let length: [UInt8] =
            switch count {
            case ...125: [UInt8(count)]
            case ...0xffff: [126, UInt8(count >> 8), UInt8(count & 0xff)]
            default: [127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
            }
        return [first] + length + payload
    }

    static func text(_ text: String) -> [UInt8] { frame(0x1, Array(text.utf8)) }

    /// The events that a decoder yields for bytes in these pieces.
    static func events(_ pieces: [[UInt8]], maximumMessageBytes: Int = 1 << 20) -> [Event] {
        var decoder = WebSocketDecoder(maximumMessageBytes: maximumMessageBytes)
        var events: [Event] = []
        for piece in pieces {
            piece.withUnsafeBytes { bytes in
                var input = bytes
                do throws(WebSocketViolation) {
                    while let item = try decoder.next(&input) { events.append(event(item)) }
                } catch {
                    events.append(.violation(error.code))
                }
            }
        }
        return events
    }

    static func events(_ bytes: [UInt8], maximumMessageBytes: Int = 1 << 20) -> [Event] {
        events([bytes], maximumMessageBytes: maximumMessageBytes)
    }

    private static func event(_ item: WebSocketDecoder.Item) -> Event {
        switch item {
        case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
        case .binary(let bytes): .binary(Array(bytes))
        case .ping(let bytes): .ping(Array(bytes))
        case .pong(let bytes): .pong(Array(bytes))
        case .close(let code, let reason): .close(code, reason)
        }
    }
}
