internal import FoundationEssentials
package import VoiceBase

/// A message of the Wyoming protocol: a line of JSON, then data and payload of the lengths it states
/// (https://github.com/OHF-Voice/wyoming, "Wyoming Protocol").
package struct WyomingFrame: Equatable, Sendable {
    package var type: String
    /// The members of the line's data and of the separate data block; the block takes precedence.
    package var data: [String: JSONValue]
    package var payload: [UInt8]

    package init(_ type: String, _ data: [String: JSONValue] = [:], payload: [UInt8] = []) {
        self.type = type
        self.data = data
        self.payload = payload
    }

    /// The encoded message. Its data is in the line, which every server accepts.
    package var bytes: [UInt8] {
        var header: [String: JSONValue] = ["type": .string(type)]
        if !data.isEmpty { header["data"] = .object(data) }
        if !payload.isEmpty { header["payload_length"] = .integer(payload.count) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        // A JSON value without infinities, which these messages never contain, always encodes.
        let line = (try? encoder.encode(JSONValue.object(header))) ?? Data()
        return Array(line) + [UInt8(ascii: "\n")] + payload
    }
}

/// Why a server can no longer be read.
package enum WyomingFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// No end of line within the limit.
    case noLines
    case noMessage
    case tooLong

    package var description: String {
        switch self {
        case .noLines: "the Wyoming server does not send lines"
        case .noMessage: "the Wyoming server sends invalid messages"
        case .tooLong: "the Wyoming server sends a message that is too long"
        }
    }
}

/// Decodes messages from the bytes of a Wyoming server. A value; keeps an incomplete message, within its bounds.
package struct WyomingDecoder: Sendable {
    /// Maximum sizes within a message, in bytes. The description of a server with 174 voices has 86,375 bytes of data.
    private static let (longestLine, longestData, longestPayload) = (64 << 10, 1 << 20, 16 << 20)

    /// A message whose line has been read.
    private struct Header: Sendable {
        var type: String
        var data: [String: JSONValue]
        var dataLength: Int
        var payloadLength: Int
    }

    private let keepsPayload: Bool
    private var bytes: [UInt8] = []
    /// The beginning of the unread bytes.
    private var start = 0
    /// How far the incomplete line has been searched for its end.
    private var looked = 0
    private var header: Header?
    /// Bytes of a payload still to be skipped.
    private var skipping = 0

    /// - Parameter keepsPayload: false if no audio is expected: payloads are then skipped as they arrive, without being
    ///   stored.
    package init(keepsPayload: Bool = true) { self.keepsPayload = keepsPayload }

    /// - Throws: if the bytes are not such a message; nothing can be read after that.
    package mutating func consume(_ new: some Sequence<UInt8>) throws(WyomingFault) -> [WyomingFrame] {
        append(new)
        var frames: [WyomingFrame] = []
        while let frame = try next() { frames.append(frame) }
        return frames
    }

    package mutating func append(_ new: some Sequence<UInt8>) {
        // Bytes that were read are removed once, not after each message.
        bytes.removeFirst(start)
        looked = max(0, looked - start)
        start = 0
        bytes += new
    }

    /// Returns the next message; nil until more bytes arrive.
    ///
    /// - Throws: if the bytes are not such a message; nothing can be read after that.
    package mutating func next() throws(WyomingFault) -> WyomingFrame? {
        let skipped = min(skipping, bytes.count - start)
        start += skipped
        skipping -= skipped
        guard skipping == 0 else { return nil }
        if header == nil { header = try line() }
        guard let header, bytes.count - start >= header.dataLength + (keepsPayload ? header.payloadLength : 0) else {
            return nil
        }
        self.header = nil
        var frame = WyomingFrame(header.type, header.data)
        if header.dataLength > 0 {
            let block = bytes[start..<start + header.dataLength]
            guard case .object(let members)? = OutsideJSON.decode(JSONValue.self, from: block, atMost: Self.longestData)
            else {
                throw .noMessage
            }
            frame.data.merge(members) { $1 }
            start += header.dataLength
        }
        if keepsPayload {
            frame.payload = Array(bytes[start..<start + header.payloadLength])
            start += header.payloadLength
        } else {
            skipping = header.payloadLength
        }
        return frame
    }

    private mutating func line() throws(WyomingFault) -> Header? {
        looked = max(looked, start)
        guard let end = bytes[looked...].firstIndex(of: UInt8(ascii: "\n")) else {
            looked = bytes.count
            if bytes.count - start > Self.longestLine { throw .noLines }
            return nil
        }
        guard end - start <= Self.longestLine,
            case .object(let members)? = OutsideJSON.decode(
                JSONValue.self, from: bytes[start..<end], atMost: Self.longestLine
            ),
            let type = members["type"]?.stringValue
        else { throw .noMessage }
        let data = try length(members["data_length"], atMost: Self.longestData)
        let payload = try length(members["payload_length"], atMost: Self.longestPayload)
        start = end + 1
        var inLine: [String: JSONValue] = [:]
        switch members["data"] {
        case .object(let values)?: inLine = values
        case nil, .null?: break
        default: throw .noMessage
        }
        return Header(type: type, data: inLine, dataLength: data, payloadLength: payload)
    }

    private func length(_ value: JSONValue?, atMost limit: Int) throws(WyomingFault) -> Int {
        guard let value, value != .null else { return 0 }
        guard let length = value.intValue, (0...limit).contains(length) else { throw .tooLong }
        return length
    }
}
