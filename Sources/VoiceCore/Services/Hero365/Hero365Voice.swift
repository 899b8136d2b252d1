internal import VoiceBase
internal import VoiceConversation
internal import VoiceNetwork
internal import VoiceSession

/// Decodes the audio of Hero365, in any of its formats, to samples at 24 kHz, and conceals losses. Lives on the network
/// thread.
package final class Hero365Voice {
    /// The longest gap concealed in one call, in ms.
    private static let longestGap = OpusSpeechDecoder.longestGap

    private var decoder: OpusSpeechDecoder?
    private let converter = AnyRateConverter()
    /// Samples of the latest message; a missing one is assumed to be as long.
    private var latest = AudioFormat.wireRate * 60 / 1000

    package init() {}

    /// Resets the decoders: an answer begins.
    package func begin() {
        decoder?.reset()
        converter.reset()
    }

    /// Returns the decoded samples; nil if the sound cannot be decoded.
    package func samples(_ sound: Hero365Sound) -> [Int16]? {
        let samples: [Int16]?
        switch sound.form {
        case .opus: samples = opus(sound.bytes)
        case .pcm(let rate): samples = converted(WaveBytes.samples(sound.bytes[...]), from: rate)
        case .wav: samples = WaveBytes(sound.bytes).flatMap { converted($0.samples, from: $0.rate) }
        case .other: samples = nil
        }
        if let samples, !samples.isEmpty { latest = samples.count }
        return samples
    }

    /// Returns concealment for `messages` missing messages before `next`.
    package func conceal(_ messages: Int, before next: Hero365Sound?) -> [Int16] {
        let most = AudioFormat.wireRate * Self.longestGap / 1000
        let missing = min(latest * min(max(0, messages), 50), most)
        guard let decoder = try? opened() else { return [] }
        let behind = next.flatMap { $0.form == .opus ? OpusPayload.packets($0.bytes)?.first : nil }
        if next?.form == .opus || next == nil, let sound = try? decoder.conceal(missing, before: behind) {
            return sound
        }
        return [Int16](repeating: 0, count: missing)
    }

    private func opened() throws(OpusProblem) -> OpusSpeechDecoder {
        if let decoder { return decoder }
        let made = try OpusSpeechDecoder(rate: AudioFormat.wireRate)
        decoder = made
        return made
    }

    /// Decodes the packets of a message; an invalid packet costs only itself.
    private func opus(_ bytes: [UInt8]) -> [Int16]? {
        guard let packets = OpusPayload.packets(bytes), let decoder = try? opened() else { return nil }
        var samples: [Int16] = []
        for packet in packets where samples.count < AudioFormat.longestMessage * AudioFormat.wireRate {
            samples += (try? decoder.decode(packet)) ?? []
        }
        return samples
    }

    /// Returns nil for a rate that is not known.
    private func converted(_ samples: [Int16], from rate: Int) -> [Int16]? {
        samples.withUnsafeBufferPointer { converter.convert($0, from: rate) { Array($0) } }
    }
}
