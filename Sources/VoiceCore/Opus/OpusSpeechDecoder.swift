internal import COpus

/// One stream of Opus (RFC 6716) to speech, one channel, with what stands in for packets that did not come. For one thread at
/// a time.
package final class OpusSpeechDecoder {
    /// A packet is no longer than this, in ms (RFC 6716, section 3.2.5).
    package static let longestPacket = 120
    /// The most that is made up for at once, in ms: the decoder has faded to silence by then.
    package static let longestGap = 480

    package let rate: Int
    private let decoder: OpaquePointer

    /// - Parameter rate: of what comes out, in Hz: 8000, 12 000, 16 000, 24 000 or 48 000, whatever went in.
    package init(rate: Int = 24_000) throws(OpusProblem) {
        var code = OPUS_OK
        guard let decoder = opus_decoder_create(Int32(clamping: rate), 1, &code) else { throw OpusProblem(code: code) }
        self.decoder = decoder
        self.rate = rate
    }

    deinit { opus_decoder_destroy(decoder) }

    /// - Throws: that it is no packet; the stream goes on with the next.
    package func decode(_ packet: [UInt8]) throws(OpusProblem) -> [Int16] {
        // Without bytes the library would take it for a packet that was lost.
        guard !packet.isEmpty else { throw .badArgument }
        return try run(packet, samples: rate * Self.longestPacket / 1000, recovers: false)
    }

    /// What takes the place of sound that did not come.
    ///
    /// - Parameters:
    ///   - samples: how many are missing; rounded to 2.5 ms, of which more than `longestGap` are left out.
    ///   - next: the packet behind the gap, which may hold a rough copy of the end of it; nil where none came.
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
                    decoder,
                    start,
                    Int32(clamping: bytes.count),
                    output,
                    Int32(clamping: samples),
                    recovers ? 1 : 0
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
