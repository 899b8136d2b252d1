internal import VoiceBase

/// The `input_audio_buffer.append` message, assembled in place: only the audio differs from one to the next.
package enum AudioAppend {
    private static let prefix: StaticString = #"{"type":"input_audio_buffer.append","audio":""#
    private static let suffix: StaticString = #""}"#

    /// Size in bytes of a message with `samples` samples.
    package static func messageCount(samples: Int) -> Int {
        prefix.utf8CodeUnitCount + Base64.encodedCount(samples * 2) + suffix.utf8CodeUnitCount
    }

    /// Writes the message for `samples` (24 kHz mono, little endian like every supported machine) to `output`.
    package static func write(_ samples: UnsafeBufferPointer<Int16>, into output: UnsafeMutableRawBufferPointer) {
        guard var cursor = output.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        cursor.update(from: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
        cursor += prefix.utf8CodeUnitCount
        cursor += Base64.encode(UnsafeRawBufferPointer(samples), into: cursor)
        cursor.update(from: suffix.utf8Start, count: suffix.utf8CodeUnitCount)
    }
}

/// Finds the audio in a `response.output_audio.delta` message without decoding the rest.
///
/// Makes one pass over the top level of the object: skips strings with the C library's search, and nested values by
/// counting brackets. It is several times faster than a general decoder and allocates only the identifiers. In any doubt
/// (an escape inside a value it needs, an unexpected shape) it returns nil, and the caller falls back to the general
/// decoder.
package struct AudioDelta {
    /// Ranges into the message.
    package var responseID: Range<Int>
    package var itemID: Range<Int>
    /// The base64 text.
    package var audio: Range<Int>
    package var contentIndex: Int

    /// Returns nil if the message is not an audio delta or not in the plain shape.
    package init?(_ message: UnsafeRawBufferPointer) {
        var scan = TopLevelScan(message)
        var type: Range<Int>?
        var responseID: Range<Int>?
        var itemID: Range<Int>?
        var audio: Range<Int>?
        var contentIndex = 0
        guard scan.open() else { return nil }
        while let key = scan.key() {
            if message.equals("type", at: key) {
                type = scan.string()
                guard let type, Self.names.contains(where: { message.equals($0, at: type) }) else { return nil }
            } else if message.equals("delta", at: key) {
                audio = scan.string()
            } else if message.equals("response_id", at: key) {
                responseID = scan.string()
            } else if message.equals("item_id", at: key) {
                itemID = scan.string()
            } else if message.equals("content_index", at: key) {
                guard let value = scan.integer() else { return nil }
                contentIndex = value
            } else if !scan.skipValue() {
                return nil
            }
            if !scan.next() { break }
        }
        guard scan.closed, type != nil, let audio, let responseID, let itemID else { return nil }
        self.responseID = responseID
        self.itemID = itemID
        self.audio = audio
        self.contentIndex = contentIndex
    }

    /// The event's current name and its name in the beta protocol.
    private static let names: [StaticString] = ["response.output_audio.delta", "response.audio.delta"]
}

extension UnsafeRawBufferPointer {
    fileprivate func equals(_ text: StaticString, at range: Range<Int>) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        for index in 0..<range.count where self[range.lowerBound + index] != text.utf8Start[index] { return false }
        return true
    }
}
