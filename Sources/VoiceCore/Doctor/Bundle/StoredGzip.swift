/// Wraps bytes as a gzip file without compressing them (RFC 1952; RFC 1951 section 3.2.4): every tool opens it, and no
/// compressor is needed.
enum StoredGzip {
    static func wrap(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        var start = 0
        repeat {
            let end = min(start + 65_535, bytes.count)
            let count = UInt16(end - start)
            output.append(end == bytes.count ? 1 : 0)
            output += little(count) + little(~count)
            output += bytes[start..<end]
            start = end
        } while start < bytes.count
        return output + little(checksum(bytes)) + little(UInt32(truncatingIfNeeded: bytes.count))
    }

    /// CRC-32 (RFC 1952 section 8).
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        let table = (0..<256).map { tableEntry(UInt32($0)) }
        var value: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            let index = Int(UInt8(truncatingIfNeeded: value) ^ byte)
            value = (value >> 8) ^ table[index]
        }
        return ~value
    }

    private static func tableEntry(_ index: UInt32) -> UInt32 {
        var value = index
        for _ in 0..<8 {
            let isOdd = value & 1 == 1
            value >>= 1
            if isOdd { value ^= 0xEDB8_8320 }
        }
        return value
    }

    private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
