import COpus
import Testing

/// The codec of the services that speak Opus is there and links.
struct OpusTests {
    @Test func aFrameSurvivesTheWayThere() throws {
        var error: Int32 = 0
        let encoder = try #require(opus_encoder_create(16_000, 1, OPUS_APPLICATION_VOIP, &error))
        defer { opus_encoder_destroy(encoder) }
        let decoder = try #require(opus_decoder_create(16_000, 1, &error))
        defer { opus_decoder_destroy(decoder) }
        let frame = [Float](repeating: 0, count: 320)
        var packet = [UInt8](repeating: 0, count: 400)
        let size = opus_encode_float(encoder, frame, 320, &packet, 400)
        #expect(size > 0)
        var decoded = [Float](repeating: 1, count: 320)
        #expect(opus_decode_float(decoder, packet, size, &decoded, 320, 0) == 320)
        #expect(decoded.allSatisfy { abs($0) < 0.01 })
    }
}
