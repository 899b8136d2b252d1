/// A message of the ESPHome native API: its number, and a protobuf message.
package struct NativeMessage: Hashable, Sendable {
    /// The messages that the bridge sends or understands; all others are skipped.
    enum Kind: UInt16, Sendable {
        case hello = 1
        case helloResponse, authentication, authenticationResponse, disconnect, disconnectResponse, ping, pingResponse
        case deviceInfo, deviceInfoResponse, listEntities
        case listEvent = 107
        case listSensor = 16
        case listSwitch, listTextSensor, listDone, subscribeStates
        case sensorState = 25
        case switchState
        case textSensorState = 27
        case switchCommand = 33
        case listNumber = 49
        case numberState, numberCommand, listSelect, selectState, selectCommand
        case listButton = 61
        case buttonCommand, listMediaPlayer, mediaPlayerState, mediaPlayerCommand
        case subscribeAssistant = 89
        case assistantRequest, assistantResponse, assistantEvent
        case listText = 97
        case textState, textCommand
        case assistantAudio = 106
        case event = 108
        case timer = 115
        case announce = 119
        case announceFinished, voiceConfiguration, voiceConfigurationResponse, setVoiceConfiguration
        case setKey = 124
        case setKeyResponse
        case capabilities = 149
        case capabilitiesResponse
    }

    let number: UInt16
    let body: [UInt8]

    init(number: UInt16, body: [UInt8]) { (self.number, self.body) = (number, body) }

    init(_ kind: Kind, _ fields: [ProtoField] = []) { self.init(number: kind.rawValue, body: fields.bytes) }

    /// nil for a message that the bridge does not know.
    var kind: Kind? { Kind(rawValue: number) }

    /// nil if the body is damaged.
    var fields: ProtoFields? { ProtoFields(body) }
}

/// Splits the bytes of a connection into frames, and puts frames together. A value.
///
/// Without encryption a frame is 0x00, the length of the message, its number, both of variable length, and the message. With it,
/// a frame is 0x01, a length of 16 bits, the highest byte first, and the data.
struct NativeFrames {
    enum Fault: Error, Equatable {
        /// The first byte belongs to the other kind of connection, or to no kind.
        case otherKind
        case tooLong
    }

    /// The longest accepted message, in bytes.
    static let longest = 65_535
    /// The longest frame of a client that has not proved yet that it has the key.
    static let longestUnknown = 256

    private let isEncrypted: Bool
    private var bytes: [UInt8] = []

    init(isEncrypted: Bool) { self.isEncrypted = isEncrypted }

    /// Adds what has been received.
    mutating func add(_ more: some Sequence<UInt8>) { bytes += more }

    /// Takes the data of the next encrypted frame; nil until it is complete.
    ///
    /// - Parameter limit: in bytes.
    mutating func nextData(atMost limit: Int = longest) throws(Fault) -> [UInt8]? {
        guard let first = bytes.first else { return nil }
        guard isEncrypted, first == 1 else { throw .otherKind }
        guard bytes.count >= 3 else { return nil }
        let end = 3 + (Int(bytes[1]) << 8 | Int(bytes[2]))
        guard end <= 3 + limit else { throw .tooLong }
        guard bytes.count >= end else { return nil }
        defer { bytes.removeFirst(end) }
        return Array(bytes[3..<end])
    }

    /// Takes the next message of a connection without encryption; nil until it is complete.
    mutating func nextMessage() throws(Fault) -> NativeMessage? {
        guard let first = bytes.first else { return nil }
        guard !isEncrypted, first == 0 else { throw .otherKind }
        var rest = bytes.dropFirst()
        guard let count = try Self.number(&rest), let number = try Self.number(&rest) else { return nil }
        guard rest.count >= count else { return nil }
        let end = rest.startIndex + count
        defer { bytes.removeFirst(end) }
        return NativeMessage(number: UInt16(number), body: Array(rest.prefix(count)))
    }

    /// Lengths and numbers have at most 16 bits, so three bytes.
    private static func number(_ bytes: inout ArraySlice<UInt8>) throws(Fault) -> Int? {
        guard let number = Varint.read(&bytes) else {
            guard bytes.count < 3 else { throw .tooLong }
            return nil
        }
        guard number <= longest else { throw .tooLong }
        return Int(number)
    }

    static func frame(data: [UInt8]) -> [UInt8] {
        [1, UInt8(truncatingIfNeeded: data.count >> 8), UInt8(truncatingIfNeeded: data.count)] + data
    }

    static func frame(_ message: NativeMessage) -> [UInt8] {
        var bytes: [UInt8] = [0]
        Varint.write(UInt64(message.body.count), to: &bytes)
        Varint.write(UInt64(message.number), to: &bytes)
        return bytes + message.body
    }
}
