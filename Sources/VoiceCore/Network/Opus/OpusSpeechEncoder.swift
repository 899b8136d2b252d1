internal import COpus

/// An error of libopus.
package struct OpusProblem: Error, Equatable, CustomStringConvertible {
    package let code: Int32

    package init(code: Int32) { self.code = code }

    static let badArgument = OpusProblem(code: OPUS_BAD_ARG)

    package var description: String { "Opus: " + String(cString: opus_strerror(code)) }
}

/// Encodes mono speech to one Opus stream (RFC 6716). For one thread at a time.
package final class OpusSpeechEncoder {
    package struct Options: Equatable, Sendable {
        /// In Hz: 8000, 12 000, 16 000, 24 000 or 48 000.
        package var rate: Int
        /// In bits a second.
        package var bitrate: Int
        /// Whether each packet carries a rough copy of the one before (in-band FEC).
        package var hasFEC = true
        /// The loss that the copy is sized for, in percent.
        package var expectedLoss = 10
        /// Whether silence becomes packets of a byte or two.
        package var hasDTX: Bool

        package init(rate: Int, bitrate: Int, hasDTX: Bool) {
            self.rate = rate
            self.bitrate = bitrate
            self.hasDTX = hasDTX
        }
    }

    /// Possible durations of a packet in ms: frame lengths, and two frames of 60.
    package static let lengths = [20, 40, 60, 120]
    /// Larger than any packet of 120 ms (RFC 6716, section 3.4): six frames of 1275 bytes with their lengths.
    private static let longest = 7668

    private let encoder: OpaquePointer
    private let rate: Int

    package init(_ options: Options) throws(OpusProblem) {
        var code = OPUS_OK
        guard let encoder = opus_encoder_create(Int32(clamping: options.rate), 1, OPUS_APPLICATION_VOIP, &code) else {
            throw OpusProblem(code: code)
        }
        self.encoder = encoder
        rate = options.rate
        try set(OPUS_SET_BITRATE_REQUEST, options.bitrate)
        try set(OPUS_SET_SIGNAL_REQUEST, Int(OPUS_SIGNAL_VOICE))
        try set(OPUS_SET_INBAND_FEC_REQUEST, options.hasFEC ? 1 : 0)
        try set(OPUS_SET_PACKET_LOSS_PERC_REQUEST, options.expectedLoss)
        try set(OPUS_SET_DTX_REQUEST, options.hasDTX ? 1 : 0)
    }

    deinit { opus_encoder_destroy(encoder) }

    private func set(_ request: Int32, _ value: Int) throws(OpusProblem) {
        let code = copus_encoder_set(encoder, request, Int32(clamping: value))
        guard code == OPUS_OK else { throw OpusProblem(code: code) }
    }

    /// - Parameter samples: as many as one of `lengths`; others throw.
    package func encode(_ samples: [Int16]) throws(OpusProblem) -> [UInt8] {
        guard Self.lengths.contains(where: { samples.count == $0 * rate / 1000 }) else { throw .badArgument }
        var size: Int32 = 0
        let packet = [UInt8](unsafeUninitializedCapacity: Self.longest) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            size = opus_encode(encoder, samples, Int32(clamping: samples.count), start, Int32(clamping: buffer.count))
            count = Int(max(0, size))
        }
        guard size > 0 else { throw OpusProblem(code: size) }
        return packet
    }

    /// Forgets the past: the next packet begins a stream.
    package func reset() { _ = copus_encoder_reset(encoder) }
}
