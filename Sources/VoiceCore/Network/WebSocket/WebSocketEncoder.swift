/// Writes the masked frames of a client (RFC 6455 sections 5.2 and 5.3).
package enum WebSocketEncoder {
    /// Size of the header before the payload: the length in its shortest form, and the masking key.
    static func headerSize(payload count: Int) -> Int {
        count <= 125 ? 6 : count <= 0xffff ? 8 : 14
    }

    /// Appends one frame whose payload is written in place.
    ///
    /// - Parameters:
    ///   - maximumCount: the room for the payload, in bytes.
    ///   - key: unpredictable and fresh for each frame (section 5.3).
    ///   - fill: writes the payload and returns its length.
    static func append(
        _ opcode: WebSocketOpcode,
        maximumCount: Int,
        key: UInt32,
        to buffer: inout RawBuffer,
        fill: (UnsafeMutableRawBufferPointer) -> Int
    ) {
        let assumed = headerSize(payload: maximumCount)
        let room = buffer.reserve(assumed + maximumCount)
        let count = fill(UnsafeMutableRawBufferPointer(rebasing: room[assumed...]))
        precondition(count >= 0 && count <= maximumCount, "more written than there was room for")
        let size = headerSize(payload: count)
        if size < assumed {
            let payload = UnsafeRawBufferPointer(rebasing: room[assumed..<assumed + count])
            UnsafeMutableRawBufferPointer(rebasing: room[size..<size + count]).copyMemory(from: payload)
        }
        writeHeader(opcode, count: count, key: key, size: size, to: room)
        mask(UnsafeMutableRawBufferPointer(rebasing: room[size..<size + count]), key: key)
        buffer.commit(size + count)
    }

    static func append(
        _ opcode: WebSocketOpcode,
        _ payload: UnsafeRawBufferPointer,
        key: UInt32,
        to buffer: inout RawBuffer
    ) {
        append(opcode, maximumCount: payload.count, key: key, to: &buffer) { room in
            room.copyMemory(from: payload)
            return payload.count
        }
    }

    private static func writeHeader(
        _ opcode: WebSocketOpcode,
        count: Int,
        key: UInt32,
        size: Int,
        to room: UnsafeMutableRawBufferPointer
    ) {
        room[0] = 0x80 | opcode.rawValue
        switch size {
        case 6: room[1] = 0x80 | UInt8(count)
        case 8:
            room[1] = 0x80 | 126
            room.storeBytes(of: UInt16(count).bigEndian, toByteOffset: 2, as: UInt16.self)
        default:
            room[1] = 0x80 | 127
            room.storeBytes(of: UInt64(count).bigEndian, toByteOffset: 2, as: UInt64.self)
        }
        room.storeBytes(of: key.bigEndian, toByteOffset: size - 4, as: UInt32.self)
    }

    /// Masks or unmasks in place, eight bytes at a time (section 5.3).
    ///
    /// - Parameter key: its most significant byte masks the first byte of the payload.
    static func mask(_ payload: UnsafeMutableRawBufferPointer, key: UInt32) {
        guard let base = payload.baseAddress else { return }
        let count = payload.count
        let inOrder = key.bigEndian
        let wide = UInt64(inOrder) << 32 | UInt64(inOrder)
        var index = 0
        while index + 8 <= count {
            let masked = base.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ wide
            base.storeBytes(of: masked, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < count {
            payload[index] ^= UInt8(truncatingIfNeeded: key >> UInt32(24 - index % 4 * 8))
            index += 1
        }
    }
}
