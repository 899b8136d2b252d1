internal import COpus

/// Extracts Opus packets from bytes of an undeclared format: Ogg pages, packets with a two-byte length before each, or a
/// single packet.
package enum OpusPayload {
    /// Packets beyond this number are dropped: 12 s of 20 ms.
    private static let most = 600

    /// Returns the packets, or nil if the bytes have none of these formats.
    package static func packets(_ bytes: [UInt8]) -> [[UInt8]]? {
        if bytes.starts(with: magic) { return ogg(bytes) }
        // Tried first: the zeros of the lengths look like a packet of the lowest quality.
        if let packets = withLengths(bytes) { return packets }
        return isPacket(bytes) ? [bytes] : nil
    }

    /// Returns the duration of a packet in samples at this rate; nil if it is not a packet.
    package static func samples(in packet: [UInt8], rate: Int) -> Int? {
        let count = opus_packet_get_nb_samples(packet, Int32(clamping: packet.count), Int32(clamping: rate))
        return count > 0 ? Int(count) : nil
    }

    private static func isPacket(_ bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty else { return false }
        var sizes = [Int16](repeating: 0, count: 48)
        return opus_packet_parse(bytes, Int32(clamping: bytes.count), nil, nil, &sizes, nil) > 0
            && samples(in: bytes, rate: 48_000) != nil
    }

    /// Two or more packets that fill the bytes completely, all of the same kind (the upper five bits of their first byte).
    private static func withLengths(_ bytes: [UInt8]) -> [[UInt8]]? {
        var packets: [[UInt8]] = []
        var place = 0
        while place + 2 < bytes.count, packets.count < most {
            let length = Int(bytes[place]) << 8 | Int(bytes[place + 1])
            guard length > 0, place + 2 + length <= bytes.count else { return nil }
            let packet = Array(bytes[place + 2..<place + 2 + length])
            guard isPacket(packet), packet[0] >> 3 == (packets.first ?? packet)[0] >> 3 else { return nil }
            packets.append(packet)
            place += 2 + length
        }
        return place == bytes.count && packets.count > 1 ? packets : nil
    }

    // MARK: Ogg (RFC 3533, RFC 7845)

    private static let magic = Array("OggS".utf8)
    /// Bytes of a page before its segment table.
    private static let head = 27

    /// Returns the packets of whole pages except the two headers of a stream; nil if a page is incomplete.
    private static func ogg(_ bytes: [UInt8]) -> [[UInt8]]? {
        var packets: [[UInt8]] = []
        var open: [UInt8] = []
        var place = 0
        while place < bytes.count {
            guard place + head <= bytes.count, bytes[place..<place + 4].elementsEqual(magic) else { return nil }
            // The beginning of a packet from an earlier message is missing here.
            var isOrphan = bytes[place + 5] & 1 == 1 && open.isEmpty
            if bytes[place + 5] & 1 == 0 { open = [] }
            let segments = Int(bytes[place + 26])
            var body = place + head + segments
            guard body <= bytes.count else { return nil }
            for index in 0..<segments {
                let length = Int(bytes[place + head + index])
                guard body + length <= bytes.count else { return nil }
                open += bytes[body..<body + length]
                body += length
                guard length < 255 else { continue }
                if !isOrphan, isSound(open), packets.count < most { packets.append(open) }
                isOrphan = false
                open = []
            }
            place = body
        }
        return packets
    }

    private static func isSound(_ packet: [UInt8]) -> Bool {
        !packet.starts(with: "OpusHead".utf8) && !packet.starts(with: "OpusTags".utf8) && isPacket(packet)
    }
}
