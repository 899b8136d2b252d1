import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceLive
@testable import VoiceSession

struct Base64UplinkTests {
    private static func message(_ encoder: Base64Uplink, _ samples: [Int16]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: encoder.longestMessage(samples: samples.count))
        let count = samples.withUnsafeBufferPointer { samples in
            bytes.withUnsafeMutableBytes { encoder.write(samples, into: $0) }
        }
        return Array(bytes.prefix(count))
    }

    private static func samples(_ message: [UInt8]) -> [Int16] {
        let text = Array(String(decoding: message, as: UTF8.self).split(separator: "\"")[7].utf8)
        var bytes = [UInt8](repeating: 0, count: text.count)
        let count = text.withUnsafeBytes { text in
            bytes.withUnsafeMutableBufferPointer { room in room.baseAddress.flatMap { Base64.decode(text, into: $0) } }
        }
        return stride(from: 0, to: count ?? 0, by: 2).map { Int16(bytes[$0]) | Int16(bytes[$0 + 1]) << 8 }
    }

    private static func tone(_ count: Int, from start: Int = 0, rate: Double = 24_000) -> [Int16] {
        (start..<start + count).map { Int16(8000 * sine(Double($0) * 440 / rate)) }
    }

    /// Sine of an angle in turns.
    private static func sine(_ turns: Double) -> Double {
        let part = turns - turns.rounded(.down)
        // Bhaskara's approximation, within 0.2 %: good enough to distinguish tones.
        let half = part < 0.5 ? part : part - 0.5
        let degrees = half * 360
        let value = 4 * degrees * (180 - degrees) / (40_500 - degrees * (180 - degrees))
        return part < 0.5 ? value : -value
    }

    @Test(arguments: [240, 480, 960, 2400]) func appendMessageHasItsExactForm(count: Int) {
        let samples = Self.tone(count)
        let audio = samples.withUnsafeBytes { Data($0) }.base64EncodedString()
        let wanted = #"{"type":"input_audio_buffer.append","audio":""# + audio + #""}"#
        let message = Self.message(Base64Uplink(RealtimeWire.audioMessage), samples)
        #expect(String(decoding: message, as: UTF8.self) == wanted)
    }

    /// At 16 kHz, two samples replace three, message by message, and the tone stays the same.
    @Test func aServiceAtAnotherRateHearsTheSameTone() {
        let encoder = Base64Uplink(LiveTranslator.audioMessage, rate: 16_000)
        var heard: [Int16] = []
        for start in 0..<50 {
            let message = Self.message(encoder, Self.tone(480, from: start * 480))
            #expect(String(decoding: message.prefix(45), as: UTF8.self).contains("session.input_audio.append"))
            let samples = Self.samples(message)
            #expect(samples.count == 320)
            heard += samples
        }
        // The converter's delay precedes the tone.
        let tone = heard.dropFirst(40)
        let crossings = zip(tone, tone.dropFirst()).count { $0 < 0 && $1 >= 0 }
        #expect(abs(crossings - 440) <= 2, "\(crossings) Hz")
        #expect(heard.max() ?? 0 > 7900 && heard.max() ?? 0 < 8200)
    }

    @Test func messageThatDoesNotFitIsNotWritten() {
        let encoder = Base64Uplink(RealtimeWire.audioMessage)
        var room = [UInt8](repeating: 0, count: 10)
        let count = Self.tone(240).withUnsafeBufferPointer { samples in
            room.withUnsafeMutableBytes { encoder.write(samples, into: $0) }
        }
        #expect(count == 0)
        #expect(room.allSatisfy { $0 == 0 })
    }
}
