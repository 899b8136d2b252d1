internal import VoiceNetwork
internal import VoiceSimulator

/// Encodes speech as the payloads of Hero365 messages.
enum SimulatedHero365Sound {
    private static let rate = 16_000

    /// The bytes of each message of an answer; empty if encoding fails.
    static func messages(of text: String, voice: SpokenVoice, form: Hero365Script.Form) -> [[UInt8]] {
        let samples = SpokenVoice.resample(voice.samples(text), from: 24_000, to: rate)
        switch form {
        case .packet: return packets(samples, length: 60)
        case .pcm:
            return pieces(samples, length: 60).map { piece in
                piece.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
            }
        case .lengths:
            return groups(packets(samples, length: 20)).map { group in
                group.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 255)] + $0 }
            }
        case .ogg:
            return groups(packets(samples, length: 20)).map { group in
                page([Array("OpusHead".utf8) + [1, 1, 0, 0, 128, 62, 0, 0, 0, 0, 0]], number: 0)
                    + page([Array("OpusTags".utf8) + [0, 0, 0, 0, 0, 0, 0, 0]], number: 1) + page(group, number: 2)
            }
        }
    }

    private static func pieces(_ samples: [Int16], length: Int) -> [[Int16]] {
        let size = length * rate / 1000
        return stride(from: 0, to: samples.count, by: size).map { start in
            let piece = Array(samples[start..<min(start + size, samples.count)])
            return piece + [Int16](repeating: 0, count: size - piece.count)
        }
    }

    private static func packets(_ samples: [Int16], length: Int) -> [[UInt8]] {
        // The voice may be tones, which a speech codec distorts at lower bit rates.
        let options = OpusSpeechEncoder.Options(rate: rate, bitrate: 48_000, hasDTX: false)
        guard let encoder = try? OpusSpeechEncoder(options) else { return [] }
        return pieces(samples, length: length).compactMap { try? encoder.encode($0) }
    }

    private static func groups(_ packets: [[UInt8]]) -> [[[UInt8]]] {
        stride(from: 0, to: packets.count, by: 16).map { Array(packets[$0..<min($0 + 16, packets.count)]) }
    }

    /// A page of Ogg (RFC 3533) without a checksum.
    private static func page(_ packets: [[UInt8]], number: UInt8) -> [UInt8] {
        var lacing: [UInt8] = []
        for packet in packets {
            lacing += [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
        }
        let head: [UInt8] = Array("OggS".utf8) + [0, number == 0 ? 2 : 0] + [UInt8](repeating: 0, count: 8)
        return head + [1, 0, 0, 0, number, 0, 0, 0, 0, 0, 0, 0, UInt8(lacing.count)] + lacing + packets.flatMap { $0 }
    }
}
