internal import COpus

/// Decodes one mono Opus stream (RFC 6716) to speech and conceals lost packets. For one thread at a time.
package final class OpusSpeechDecoder {
    /// Longest packet in ms (RFC 6716, section 3.2.5).
    package static let longestPacket = 120
    /// Longest gap concealed in one call, in ms: the decoder has faded to silence by then.
    package static let longestGap = 480

    package let rate: Int
    private let decoder: OpaquePointer

    /// - Parameter rate: output rate in Hz: 8000, 12 000, 16 000, 24 000 or 48 000, independent of the input.
    package init(rate: Int = 24_000) throws(OpusProblem) {
        var code = OPUS_OK
        guard let decoder = opus_decoder_create(Int32(clamping: rate), 1, &code) else { throw OpusProblem(code: code) }
        self.decoder = decoder
        self.rate = rate
    }

    deinit { opus_decoder_destroy(decoder) }

    /// - Throws: if it is not a packet; the stream continues with the next one.
    package func decode(_ packet: [UInt8]) throws(OpusProblem) -> [Int16] {
        // The library treats an empty packet as a lost one.
        guard !packet.isEmpty else { throw .badArgument }
        return try run(packet, samples: rate * Self.longestPacket / 1000, recovers: false)
    }

    /// Returns a substitute for missing sound.
    ///
    /// - Parameters:
    ///   - samples: number of missing samples; rounded down to 2.5 ms and limited to `longestGap`.
    ///   - next: the packet after the gap, which may hold a rough copy of its end; nil if none arrived.
    package func conceal(_ samples: Int, before next: [UInt8]? = nil) throws(OpusProblem) -> [Int16] {
        let unit = rate / 400
        let count = min(max(0, samples), rate * Self.longestGap / 1000) / unit * unit
        guard count > 0 else { return [] }
        if let next, !next.isEmpty, let samples = try? run(next, samples: count, recovers: true) { return samples }
        return try run([], samples: count, recovers: false)
    }

    private func run(_ packet: [UInt8], samples: Int, recovers: Bool) throws(OpusProblem) -> [Int16] {
        var result: Int32 = 0
        let sound = [Int16](unsafeUninitializedCapacity: samples) { buffer, count in
            guard let output = buffer.baseAddress else { return }
            result = packet.withUnsafeBufferPointer { bytes in
                let start = bytes.isEmpty ? nil : bytes.baseAddress
                return opus_decode(
                    decoder, start, Int32(clamping: bytes.count), output, Int32(clamping: samples), recovers ? 1 : 0
                )
            }
            count = Int(min(max(0, result), Int32(clamping: samples)))
        }
        guard result >= 0 else { throw OpusProblem(code: result) }
        return sound
    }

    /// Forgets the past: the next packet begins a stream.
    package func reset() { _ = copus_decoder_reset(decoder) }
}
