extension WyomingRequest {
    /// The messages that carry microphone sound, in chunks.
    ///
    /// - Parameters:
    ///   - samples: mono, 16 kHz.
    ///   - first: the place of the first sample in the utterance.
    ///   - chunk: samples per message.
    package static func sound(_ samples: some RandomAccessCollection<Int16>, from first: Int = 0, chunk: Int) -> [Self]
    {
        let format = WyomingFormat.microphone
        return stride(from: 0, to: samples.count, by: chunk).map { start in
            let piece = samples.dropFirst(start).prefix(chunk)
            var bytes: [UInt8] = []
            bytes.reserveCapacity(2 * piece.count)
            for sample in piece {
                let bits = UInt16(bitPattern: sample)
                bytes.append(UInt8(truncatingIfNeeded: bits))
                bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
            }
            return .audioChunk(format, bytes, timestamp: (first + start) * 1000 / format.rate)
        }
    }
}
