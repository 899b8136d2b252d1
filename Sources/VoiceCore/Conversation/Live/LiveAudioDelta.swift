internal import VoiceBase

/// Finds the audio in a `session.output_audio.delta` message without decoding the rest: ten come every second.
package struct LiveAudioDelta {
    /// The base64 text, as a range into the message.
    package var audio: Range<Int>

    /// Nil where the message is no audio delta or not of the plain shape.
    package init?(_ message: UnsafeRawBufferPointer) {
        var scan = TopLevelScan(message)
        var isAudio = false
        var audio: Range<Int>?
        guard scan.open() else { return nil }
        while let key = scan.key() {
            if message.holds("type", at: key) {
                guard let type = scan.string(), message.holds("session.output_audio.delta", at: type) else {
                    return nil
                }
                isAudio = true
            } else if message.holds("delta", at: key) {
                audio = scan.string()
                if audio == nil { return nil }
            } else if !scan.skipValue() {
                return nil
            }
            if !scan.next() { break }
        }
        guard scan.closed, isAudio, let audio else { return nil }
        self.audio = audio
    }

    /// Longest message with audio that is decoded the slow way, in bytes.
    private static let longest = 16 << 20

    /// The base64 text of a message whose fields are escaped in a way of its own; nil where it has none.
    package static func slowly(_ message: UnsafeRawBufferPointer) -> String? {
        OutsideJSON.decode(Message.self, from: message, atMost: longest)?.delta
    }

    private struct Message: Decodable {
        var delta: String
    }
}
