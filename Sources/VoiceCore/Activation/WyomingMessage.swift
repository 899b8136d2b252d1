internal import VoiceBase

/// A message of the Wyoming protocol as far as a wake word client needs it: a JSON line, data and payload of the
/// lengths that it names (https://github.com/OHF-Voice/wyoming, "Wyoming Protocol").
package struct WyomingMessage: Equatable, Sendable {
    package var type: String
    /// `data.name`, for instance of the word that was detected.
    package var name: String?

    /// The line for a message with data that is JSON itself.
    static func line(_ type: String, data: String, payload: Int = 0) -> String {
        "{\"type\":\"\(type)\",\"data\":\(data)" + (payload > 0 ? ",\"payload_length\":\(payload)" : "") + "}\n"
    }
}

/// Reads messages from the bytes of a Wyoming server. A value; keeps a message that is not whole, up to its bound.
package struct WyomingDecoder: Sendable {
    /// The longest line and the longest data; a payload is skipped, and may be 16 MB.
    package static let longest = 65_536
    private static let longestPayload = 16 << 20

    private var bytes: [UInt8] = []
    /// Bytes of a payload still to be skipped.
    private var skipping = 0

    package init() {}

    /// - Throws: where what comes is no such message; nothing can be read any more.
    package mutating func take(_ new: some Sequence<UInt8>) throws(WakeWordError) -> [WyomingMessage] {
        bytes += new
        var messages: [WyomingMessage] = []
        while true {
            if skipping > 0 {
                let count = min(skipping, bytes.count)
                bytes.removeFirst(count)
                skipping -= count
                if skipping > 0 { return messages }
            }
            guard let end = bytes.firstIndex(of: 10) else {
                guard bytes.count <= Self.longest else { throw WakeWordError("the Wyoming server sends no lines") }
                return messages
            }
            guard let header = OutsideJSON.decode(Header.self, from: bytes[..<end], atMost: Self.longest) else {
                throw WakeWordError("the Wyoming server sends what is no message")
            }
            let length = header.dataLength ?? 0
            let payload = header.payloadLength ?? 0
            guard (0...Self.longest).contains(length), (0...Self.longestPayload).contains(payload) else {
                throw WakeWordError("the Wyoming server sends a message that is too long")
            }
            let rest = end + 1
            guard bytes.count - rest >= length else { return messages }
            let data = OutsideJSON.decode(Named.self, from: bytes[rest..<rest + length], atMost: Self.longest)
            messages.append(WyomingMessage(type: header.type, name: data?.name ?? header.data?.name))
            bytes.removeFirst(rest + length)
            skipping = payload
        }
    }

    private struct Named: Decodable {
        var name: String?
    }

    private struct Header: Decodable {
        var type: String
        var data: Named?
        var dataLength: Int?
        var payloadLength: Int?

        enum CodingKeys: String, CodingKey {
            case type
            case data
            case dataLength = "data_length"
            case payloadLength = "payload_length"
        }
    }
}
