internal import FoundationEssentials

/// Converts 16-bit little-endian mono samples to bytes and to base64 text, and back.
package enum PCM16 {
    /// Base64 (RFC 4648 section 4) of the samples.
    package static func base64(_ samples: some Sequence<Int16>) -> String {
        var bytes: [UInt8] = []
        for sample in samples {
            let bits = UInt16(bitPattern: sample)
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
        }
        return base64(bytes: bytes)
    }

    /// Base64 of any bytes.
    package static func base64(bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// The bytes of base64 text; nil if it is not base64.
    package static func bytes(base64 text: String) -> [UInt8]? { Data(base64Encoded: text).map { Array($0) } }

    /// The samples of base64 text; nil if it is not base64 or holds half a sample.
    package static func samples(base64 text: String) -> [Int16]? {
        guard let data = Data(base64Encoded: text), data.count.isMultiple(of: 2) else { return nil }
        return samples(bytes: Array(data))
    }

    package static func samples(bytes: [UInt8]) -> [Int16] {
        stride(from: 0, to: bytes.count - bytes.count % 2, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }
}
