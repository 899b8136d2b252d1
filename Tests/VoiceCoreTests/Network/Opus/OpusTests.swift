import Testing

@testable import TestSupport
@testable import VoiceConversation
@testable import VoiceNetwork

/// The codec of services that use Opus, and the concealment of lost packets.
struct OpusTests {
    /// A voice-like sound: harmonics that swell and fade four times a second.
    private static func voice(_ milliseconds: Int, rate: Int) -> [Int16] {
        (0..<milliseconds * rate / 1000).map { index in
            let time = Double(index) / Double(rate)
            let swell = 0.5 - 0.5 * cosine(4 * time)
            let sum = (1...8).reduce(0.0) { $0 + cosine(140 * Double($1) * time) / Double($1) }
            return Int16(5000 * swell * sum)
        }
    }

    /// Cosine of an angle in turns, by its series, so that the tests need no library for it.
    private static func cosine(_ turns: Double) -> Double {
        let angle = (turns - turns.rounded()) * 2 * Double.pi
        let square = angle * angle
        var term = 1.0
        var sum = 1.0
        for step in 1...10 {
            term *= -square / Double((2 * step - 1) * 2 * step)
            sum += term
        }
        return sum
    }

    private static func power(_ samples: some Collection<Int16>) -> Double {
        samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))
    }

    private static let speech = OpusSpeechEncoder.Options(rate: 16_000, bitrate: 24_000, hasDTX: true)

    @Test(arguments: OpusSpeechEncoder.lengths) func packetIsAsLongAsItsInput(length: Int) throws {
        let encoder = try OpusSpeechEncoder(Self.speech)
        let decoder = try OpusSpeechDecoder(rate: 24_000)
        let sound = Self.voice(length * 10, rate: 16_000)
        var heard: [Int16] = []
        for start in stride(from: 0, to: sound.count, by: length * 16) {
            let packet = try encoder.encode(Array(sound[start..<start + length * 16]))
            #expect(OpusPayload.samples(in: packet, rate: 24_000) == length * 24)
            heard += try decoder.decode(packet)
        }
        #expect(heard.count == length * 10 * 24)
        let ratio = Self.power(heard) / Self.power(sound)
        #expect((0.7...1.4).contains(ratio), "\(ratio)")
    }

    @Test func invalidFrameLengthIsRefused() throws {
        let encoder = try OpusSpeechEncoder(Self.speech)
        for count in [0, 1, 319, 321, 10_000] {
            #expect(throws: OpusProblem.self) { try encoder.encode([Int16](repeating: 0, count: count)) }
        }
        var options = Self.speech
        options.rate = 22_050
        #expect(throws: OpusProblem.self) { try OpusSpeechEncoder(options) }
        #expect(throws: OpusProblem.self) { try OpusSpeechDecoder(rate: 44_100) }
    }

    @Test func silenceNeedsFewBytes() throws {
        let encoder = try OpusSpeechEncoder(Self.speech)
        var sizes: [Int] = []
        for _ in 0..<100 { sizes.append(try encoder.encode([Int16](repeating: 0, count: 960)).count) }
        #expect(sizes.count { $0 <= 3 } > 80, "\(sizes)")
        #expect(sizes.allSatisfy { $0 > 0 })
    }

    /// A lost packet that is recovered from the copy in the next one is closer to the original than a concealed one.
    @Test func nextPacketRestoresTheLostOne() throws {
        let sound = Self.voice(3000, rate: 16_000)
        let encoder = try OpusSpeechEncoder(Self.speech)
        let packets = try stride(from: 0, to: sound.count, by: 960).map {
            try encoder.encode(Array(sound[$0..<$0 + 960]))
        }
        func hear(_ recover: (OpusSpeechDecoder, [UInt8]) throws -> [Int16]) throws -> [Int16] {
            let decoder = try OpusSpeechDecoder()
            var heard: [Int16] = []
            for index in packets.indices where index % 5 != 4 {
                if index > 0, index % 5 == 0 { heard += try recover(decoder, packets[index]) }
                heard += try decoder.decode(packets[index])
            }
            return heard
        }
        let whole = try {
            let decoder = try OpusSpeechDecoder()
            return try packets.flatMap { try decoder.decode($0) }
        }()
        func error(_ heard: [Int16]) -> Double {
            zip(heard, whole).reduce(0.0) { $0 + pow2(Double($1.0) - Double($1.1)) }
        }
        func pow2(_ value: Double) -> Double { value * value }
        let recovered = try hear { try $0.conceal(1440, before: $1) }
        let guessed = try hear { decoder, _ in try decoder.conceal(1440) }
        let silent = try hear { _, _ in [Int16](repeating: 0, count: 1440) }
        #expect(recovered.count == guessed.count && guessed.count == silent.count)
        #expect(error(recovered) < error(guessed) / 2)
        #expect(error(recovered) < error(silent) / 2)
    }

    @Test func randomBytesDoNotTrap() throws {
        let decoder = try OpusSpeechDecoder()
        var random = SeededGenerator(seed: 7)
        #expect(throws: OpusProblem.self) { try decoder.decode([]) }
        for round in 0..<3000 {
            let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            for packet in OpusPayload.packets(bytes) ?? [] { _ = try? decoder.decode(packet) }
            _ = try? decoder.decode(bytes)
            #expect(try decoder.conceal(round * 7 - 100, before: bytes).count <= 24 * OpusSpeechDecoder.longestGap)
        }
        #expect(try decoder.conceal(.max).count == 24 * OpusSpeechDecoder.longestGap)
        #expect(try decoder.conceal(.min).isEmpty)
    }

    @Test func packetsAreFoundInEveryContainer() throws {
        let encoder = try OpusSpeechEncoder(Self.speech)
        let sound = Self.voice(320, rate: 16_000)
        let packets = try stride(from: 0, to: sound.count, by: 320).map {
            try encoder.encode(Array(sound[$0..<$0 + 320]))
        }
        #expect(OpusPayload.packets(packets[0]) == [packets[0]])
        let withLengths = packets.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 255)] + $0 }
        #expect(OpusPayload.packets(withLengths) == packets)
        let ogg =
            Self.page([Array("OpusHead".utf8) + [1, 1, 0, 0]]) + Self.page([Array("OpusTags".utf8)])
            + Self.page(packets)
        #expect(OpusPayload.packets(ogg) == packets)
        // Cut off, or of another kind.
        #expect(OpusPayload.packets(Array(ogg.dropLast())) == nil)
        #expect(OpusPayload.packets([]) == nil)
        #expect(OpusPayload.packets([0xFF]) == nil)
        #expect(OpusPayload.packets(Array("OggS".utf8)) == nil)
    }

    private static func page(_ packets: [[UInt8]]) -> [UInt8] {
        let lacing = packets.flatMap { [UInt8](repeating: 255, count: $0.count / 255) + [UInt8($0.count % 255)] }
        return Array("OggS".utf8) + [UInt8](repeating: 0, count: 22) + [UInt8(lacing.count)] + lacing
            + packets.flatMap { $0 }
    }
}
