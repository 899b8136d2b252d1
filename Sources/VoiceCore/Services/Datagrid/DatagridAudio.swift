internal import VoiceBase
internal import VoiceConversation

/// Finds the audio in an `audio` message without decoding the rest.
package struct DatagridAudio {
    /// Range of the base64 text in the message.
    package var data: Range<Int>
    /// Its kind, such as "audio/pcm;rate=24000"; nil if not stated.
    package var kind: Range<Int>?

    /// Returns nil if the message is not audio or not in the plain shape.
    package init?(_ message: UnsafeRawBufferPointer) {
        var isAudio = false
        var payload: Range<Int>?
        let isWhole = Self.members(of: message) { key, scan in
            if message.holds("type", at: key) {
                guard let type = scan.string(), message.holds("audio", at: type) else { return false }
                isAudio = true
                return true
            }
            let value = scan.value()
            if message.holds("payload", at: key) { payload = value }
            return value != nil
        }
        guard isWhole, isAudio, let payload else { return nil }
        var data: Range<Int>?
        var kind: Range<Int>?
        let inner = UnsafeRawBufferPointer(rebasing: message[payload])
        func place(_ range: Range<Int>?) -> Range<Int>? {
            range.map { $0.lowerBound + payload.lowerBound..<$0.upperBound + payload.lowerBound }
        }
        let isReadable = Self.members(of: inner) { key, scan in
            if inner.holds("data", at: key) {
                data = place(scan.string())
                return data != nil
            }
            if inner.holds("mime_type", at: key) {
                kind = place(scan.string())
                return kind != nil
            }
            return scan.skipValue()
        }
        guard isReadable, let data else { return nil }
        self.data = data
        self.kind = kind
    }

    /// - Returns: whether the object was read to its end.
    private static func members(
        of object: UnsafeRawBufferPointer,
        _ body: (Range<Int>, inout TopLevelScan) -> Bool
    ) -> Bool {
        var scan = TopLevelScan(object)
        guard scan.open() else { return false }
        while let key = scan.key() {
            guard body(key, &scan) else { return false }
            if !scan.next() { break }
        }
        return scan.closed
    }

    /// Returns the base64 text and its kind from a message with unusually escaped fields; nil if it has none.
    package static func slowly(_ message: UnsafeRawBufferPointer) -> (data: String, kind: String?)? {
        let limit = AudioFormat.longestEncodedMessage
        guard let payload = OutsideJSON.decode(Message.self, from: message, atMost: limit)?.payload else { return nil }
        return (payload.data, payload.kind)
    }

    private struct Message: Decodable {
        struct Payload: Decodable {
            var data: String
            var kind: String?

            enum CodingKeys: String, CodingKey {
                case data
                case kind = "mime_type"
            }
        }

        var payload: Payload
    }

    /// Whether audio of this kind can be played: 16-bit PCM at 24 kHz, or unstated.
    package static func isPlayable(_ kind: String?) -> Bool {
        guard let kind, !kind.isEmpty else { return true }
        let parts = kind.lowercased().split(separator: ";").map { $0.filter { !$0.isWhitespace } }
        guard let type = parts.first, ["audio/pcm", "audio/l16", "audio/raw", "audio/x-pcm"].contains(type) else {
            return false
        }
        let rates = parts.dropFirst().filter { $0.hasPrefix("rate=") }
        return rates.allSatisfy { $0 == "rate=\(AudioFormat.wireRate)" }
    }
}
