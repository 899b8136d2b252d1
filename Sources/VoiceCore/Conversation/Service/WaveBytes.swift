/// A WAV file in memory: mono 16-bit PCM.
package struct WaveBytes: Sendable {
    /// In Hz, 8000 ... 48 000.
    package private(set) var rate: Int
    package private(set) var sound: ArraySlice<UInt8>

    /// Returns nil for anything else. The data of a streamed file, whose lengths are not filled in, extends to the end.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= 12, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WAVE".utf8) else {
            return nil
        }
        func number(_ place: Int, _ size: Int) -> Int {
            (0..<size).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
        }
        var rate: Int?
        var place = 12
        while place + 8 <= bytes.count {
            let size = number(place + 4, 4)
            let body = place + 8
            let end = min(bytes.count, body + size)
            if bytes[place..<place + 4].elementsEqual("fmt ".utf8), end - body >= 16 {
                guard number(body, 2) == 1, number(body + 2, 2) == 1, number(body + 14, 2) == 16,
                    (8000...48_000).contains(number(body + 4, 4))
                else { return nil }
                rate = number(body + 4, 4)
            } else if bytes[place..<place + 4].elementsEqual("data".utf8) {
                guard let rate else { return nil }
                self.rate = rate
                sound = bytes[body..<(size == 0 ? bytes.count : end)]
                return
            }
            place = body + size + size % 2
        }
        return nil
    }

    package var samples: [Int16] { Self.samples(sound) }

    /// 16-bit little-endian samples, of one channel among `channels`; an odd byte at the end is left out.
    package static func samples(_ bytes: ArraySlice<UInt8>, channels: Int = 1) -> [Int16] {
        stride(from: bytes.startIndex, to: bytes.endIndex - (2 * channels - 1), by: 2 * channels).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }
}
