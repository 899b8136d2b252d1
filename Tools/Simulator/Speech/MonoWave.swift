/// RIFF WAVE with one 16-bit PCM channel, as bytes.
package enum MonoWave {
    /// A WAV file of mono samples.
    package static func bytes(samples: [Int16], rate: Int) -> [UInt8] {
        var out: [UInt8] = []
        func text(_ value: StaticString) { out.append(contentsOf: Array("\(value)".utf8)) }
        func long(_ value: Int) {
            for shift in [0, 8, 16, 24] { out.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
        func short(_ value: Int) { for shift in [0, 8] { out.append(UInt8(truncatingIfNeeded: value >> shift)) } }
        text("RIFF")
        long(36 + samples.count * 2)
        text("WAVEfmt ")
        long(16)
        short(1)
        short(1)
        long(rate)
        long(rate * 2)
        short(2)
        short(16)
        text("data")
        long(samples.count * 2)
        out.reserveCapacity(out.count + samples.count * 2)
        for sample in samples { short(Int(sample)) }
        return out
    }

    /// The samples and rate of a mono 16-bit file; nil for anything else.
    ///
    /// A data chunk that claims more than is present ends with the file: programs that write to a pipe cannot go back
    /// and fill in the length.
    package static func parse(_ bytes: [UInt8]) -> (samples: [Int16], rate: Int)? {
        func long(_ at: Int) -> Int {
            Int(bytes[at]) | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2]) << 16 | Int(bytes[at + 3]) << 24
        }
        guard bytes.count >= 44, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WAVE".utf8) else {
            return nil
        }
        var at = 12
        var rate: Int?
        while at + 8 <= bytes.count {
            let size = long(at + 4)
            let body = at + 8
            if bytes[at..<at + 4].elementsEqual("fmt ".utf8), size >= 16, body + 16 <= bytes.count {
                guard bytes[body] == 1, bytes[body + 2] == 1, bytes[body + 14] == 16 else { return nil }
                rate = long(body + 4)
            } else if bytes[at..<at + 4].elementsEqual("data".utf8), let rate {
                return (PCM16.samples(bytes: Array(bytes[body..<min(bytes.count, body + size)])), rate)
            }
            at = body + size + size % 2
        }
        return nil
    }
}
