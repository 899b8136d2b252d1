import Glibc
import Testing

@testable import VoiceAudio

struct ChannelProbeTests {
    private static let rate = 16_000

    private static func noise(_ level: Float, seed: UInt64) -> [Float] {
        var seed = seed
        return (0..<rate * 4).map { _ in
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Float(Int32(truncatingIfNeeded: seed >> 32)) / 2_147_483_648 * level * 1.732
        }
    }

    /// The probe sound after `delay` seconds, with this gain.
    private static func sound(_ gain: Float, at delay: Double) -> [Float] {
        var samples = [Float](repeating: 0, count: rate * 4)
        let start = Int(delay * Double(rate))
        for (index, value) in ChannelProbe.sound(rate: rate).enumerated() { samples[start + index] = value * gain }
        return samples
    }

    private static func add(_ one: [Float], _ other: [Float]) -> [Float] { zip(one, other).map(+) }

    private func probe(_ channels: [[Float]], isPlayed: Bool = true) -> ChannelProbe {
        ChannelProbe(
            recording: channels,
            rate: Self.rate,
            sound: isPlayed ? ChannelProbe.sound(rate: ChannelProbe.rate) : [],
            quiet: 0.3...1.2
        )
    }

    @Test func anArrayIsFoundOut() {
        let raw = Self.add(Self.noise(0.0006, seed: 1), Self.sound(0.1, at: 1.62))
        let later = Self.add(Self.noise(0.0006, seed: 2), Self.sound(0.1, at: 1.63))
        let processed = Self.add(Self.noise(0.0006, seed: 3), Self.sound(0.0018, at: 1.62))
        let silent = [Float](repeating: 0, count: 4 * Self.rate)
        let result = probe([processed, raw, later, silent, Self.sound(1, at: 1.6), raw])
        #expect(result.roles == [.processed, .raw, .raw, .silent, .reference, .raw])
        #expect(result.map()?.text == "processed, raw, raw, silent, reference, raw")
        #expect(result.channels[5].sameAs == 1)
        #expect(result.channels[2].sameAs == nil)
        #expect(abs((result.channels[2].arrival ?? 0) - (result.channels[1].arrival ?? 0) - 10) < 0.3)
        #expect(result.lines[3] == "channel 4: silent: always the same value")
        #expect(result.lines[5].hasSuffix("the same as channel 2: raw"))
        #expect(result.conclusion.first == "audio.input_channels = \"processed, raw, raw, silent, reference, raw\"")
    }

    @Test func oneBareMicrophoneIsRaw() {
        let result = probe([Self.add(Self.noise(0.001, seed: 4), Self.sound(0.05, at: 1.7))])
        #expect(result.roles == [.raw])
    }

    @Test func whatHearsNothingIsProcessedOnlyIfTheSoundWasHeard() {
        let result = probe([Self.noise(0.001, seed: 5)])
        #expect(result.roles == [nil])
        #expect(result.map() == nil)
        #expect(result.conclusion.count == 3)
        #expect(result.conclusion[0].contains("If you heard it"))
        #expect(result.conclusion[1] == "audio.input_channels = \"processed\"")
    }

    @Test func withAReferenceNobodyHasToHearIt() {
        let result = probe([Self.noise(0.001, seed: 6), Self.sound(1, at: 1.6)])
        #expect(result.roles == [.processed, .reference])
    }

    @Test func aMutedDeviceProvesNothing() {
        let result = probe([[Float](repeating: 0, count: 4 * Self.rate)])
        #expect(result.map() == nil)
        #expect(result.conclusion.count == 1)
        #expect(result.conclusion[0].contains("muted"))
    }

    @Test func withoutASoundSilenceIsStillTold() {
        let result = probe([Self.noise(0.001, seed: 7), [Float](repeating: 0, count: 4 * Self.rate)], isPlayed: false)
        #expect(result.roles == [nil, .silent])
        #expect(result.conclusion[0].contains("probe again when the output is free"))
    }
}
