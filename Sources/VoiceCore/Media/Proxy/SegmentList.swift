/// Rewrites an HLS playlist (RFC 8216) for the decoder: every address in it must be http or https, and https is encoded
/// by `SecureAddress`.
package enum SegmentList {
    /// Beginning of every such playlist.
    package static let beginning = Array("#EXTM3U".utf8)
    /// Bytes that some servers put before the list, which ffmpeg does not accept.
    static let noise: Set<UInt8> = [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D]
    /// Longest playlist in bytes; a day of live segments takes 200 kB.
    package static let longest = 2 << 20

    package typealias Refusal = ProxyAnswer.Refusal

    /// - Parameter isSecure: whether the playlist came over https, which an address without a scheme ("//host/path")
    ///   inherits.
    package static func passed(_ bytes: [UInt8], isSecure: Bool) throws(Refusal) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 1024)
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            if index > 0 { result.append(0x0A) }
            if line.first == UInt8(ascii: "#") {
                result += try attributes(line, isSecure)
            } else {
                result += try address(line, isSecure)
            }
        }
        return result
    }

    /// A tag such as `#EXT-X-KEY:METHOD=AES-128,URI="https://..."`.
    private static func attributes(_ line: ArraySlice<UInt8>, _ isSecure: Bool) throws(Refusal) -> [UInt8] {
        let mark = Array("URI=\"".utf8)
        var result: [UInt8] = []
        var rest = line
        while let first = rest.firstIndex(of: UInt8(ascii: "U")) {
            guard rest[first...].starts(with: mark) else {
                result += rest[...first]
                rest = rest[(first + 1)...]
                continue
            }
            let start = first + mark.count
            let end = rest[start...].firstIndex(of: UInt8(ascii: "\"")) ?? rest.endIndex
            result += rest[..<start]
            result += try address(rest[start..<end], isSecure)
            rest = rest[end...]
        }
        return result + rest
    }

    /// Rewrites one address.
    static func address(_ bytes: ArraySlice<UInt8>, _ isSecure: Bool) throws(Refusal) -> [UInt8] {
        let text = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        if text.starts(with: "//".utf8) {
            return isSecure ? try secure(Array("https:".utf8) + text) : Array(bytes)
        }
        // Text before the first colon is a scheme, unless it cannot be one (RFC 3986 section 3.1).
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), text[..<colon].allSatisfy(isSchemeByte),
            let first = text.first, isLetter(first)
        else { return Array(bytes) }
        let scheme = String(decoding: text[..<colon], as: UTF8.self).lowercased()
        let isWhole = text[colon...].starts(with: "://".utf8)
        switch scheme {
        case "http" where isWhole: return Array(bytes)
        case "https" where isWhole: return try secure(Array(text))
        default: throw Refusal(description: "its playlist names a \(scheme.prefix(20)) address, which is refused")
        }
    }

    private static func secure(_ text: [UInt8]) throws(Refusal) -> [UInt8] {
        let written = String(decoding: text, as: UTF8.self)
        let plain = SecureAddress.plain(written)
        guard plain != written else { throw Refusal(description: "its playlist contains an invalid address") }
        return Array(plain.utf8)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E
    }
}
