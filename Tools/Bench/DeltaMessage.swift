import VoiceBase
import VoiceConversation
import VoiceCore
import VoiceSession

/// An audio delta as the service sends it.
struct DeltaMessage: Sendable {
    let text: [UInt8]
    private let part: SpokenPart
    private let samples: Int

    init(trial: Int = 1, milliseconds: Int) {
        samples = milliseconds * AudioFormat.wireRate / 1000
        part = SpokenPart(responseID: "resp_\(trial)", itemID: "item_\(trial)", contentIndex: 0)
        // Not silence, so that every character of the base64 alphabet occurs.
        let audio = (0..<samples).map { Int16(truncatingIfNeeded: $0 &* 7919 % 16_384 - 8192) }
        let base64 = Array(Base64.text(audio.withUnsafeBytes { Array($0) }).utf8)
        text =
            Array(
                #"{"type":"response.output_audio.delta","event_id":"event_0001","response_id":"\#(part.responseID)","#
                    .utf8
            ) + Array(#""item_id":"\#(part.itemID)","output_index":0,"content_index":0,"delta":""#.utf8) + base64
            + Array(#""}"#.utf8)
    }

    /// Processes the message as the link does: scan, decode, pass to the pump.
    func play(to pump: VoicePump) {
        withUnsafeTemporaryAllocation(of: Int16.self, capacity: samples + 2) { buffer in
            let count = Self.decode(text, into: buffer)
            pump.playout.receive(UnsafeBufferPointer(rebasing: buffer[..<count]), of: part)
            pump.playout.finish(part)
        }
    }

    /// Returns the number of samples; 0 if the message is not an audio delta.
    static func decode(_ text: [UInt8], into samples: UnsafeMutableBufferPointer<Int16>) -> Int {
        text.withUnsafeBytes { message in
            guard let delta = AudioDelta(message), let base = samples.baseAddress else { return 0 }
            let bytes = UnsafeMutableRawPointer(base).assumingMemoryBound(to: UInt8.self)
            return (Base64.decode(UnsafeRawBufferPointer(rebasing: message[delta.audio]), into: bytes) ?? 0) / 2
        }
    }
}
