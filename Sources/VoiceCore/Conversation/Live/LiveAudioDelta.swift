internal import VoiceBase

/// Finds the audio in a `session.output_audio.delta` message without decoding the rest: ten arrive every second.
package struct LiveAudioDelta {
    /// Range of the base64 text in the message.
    package var audio: Range<Int>

    /// Returns nil if the message is not an audio delta or not in the plain shape.
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

    /// Returns the base64 text of a message with unusually escaped fields; nil if it has none.
    package static func slowly(_ message: UnsafeRawBufferPointer) -> String? {
        OutsideJSON.decode(Message.self, from: message, atMost: AudioFormat.longestEncodedMessage)?.delta
    }

    private struct Message: Decodable {
        var delta: String
    }
}
