internal import VoiceBase

/// Finds the audio in a message of the shape `{"type": ..., "delta": ...}` without decoding the rest.
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

    package static let realtime: [StaticString] = ["response.output_audio.delta", "response.audio.delta"]
    /// The same as texts, for a message that is read in full.
    static let realtimeTypes = Set(realtime.map { "\($0)" })
    package static let live: [StaticString] = ["session.output_audio.delta"]

    /// Returns nil if the message is not an audio delta or not in the plain shape.
    ///
    /// - Parameters:
    ///   - types: the types of the service's audio deltas.
    ///   - isNamed: whether the message must name its response and item; otherwise their ranges may be empty.
    package init?(_ message: UnsafeRawBufferPointer, of types: [StaticString] = realtime, isNamed: Bool = true) {
        var scan = TopLevelScan(message)
        var type: Range<Int>?
        var responseID: Range<Int>?
        var itemID: Range<Int>?
        var audio: Range<Int>?
        var contentIndex = 0
        guard scan.open() else { return nil }
        while let key = scan.key() {
            if message.holds("type", at: key) {
                type = scan.string()
                guard let type, types.contains(where: { message.holds($0, at: type) }) else { return nil }
            } else if message.holds("delta", at: key) {
                audio = scan.string()
            } else if message.holds("response_id", at: key) {
                responseID = scan.string()
            } else if message.holds("item_id", at: key) {
                itemID = scan.string()
            } else if message.holds("content_index", at: key) {
                guard let value = scan.integer() else { return nil }
                contentIndex = value
            } else if !scan.skipValue() {
                return nil
            }
            if !scan.next() { break }
        }
        guard scan.closed, type != nil, let audio, !isNamed || responseID != nil && itemID != nil else { return nil }
        self.responseID = responseID ?? 0..<0
        self.itemID = itemID ?? 0..<0
        self.audio = audio
        self.contentIndex = contentIndex
    }

    /// The fields of an audio delta in any shape.
    package struct Fields: Decodable {
        package var responseID: String?
        package var itemID: String?
        package var contentIndex: Int?
        package var audio: String

        enum CodingKeys: String, CodingKey {
            case responseID = "response_id"
            case itemID = "item_id"
            case contentIndex = "content_index"
            case audio = "delta"
        }
    }

    /// For services that escape needlessly or order the fields differently.
    package static func slowly(_ message: UnsafeRawBufferPointer) -> Fields? {
        OutsideJSON.decode(Fields.self, from: message, atMost: AudioFormat.longestEncodedMessage)
    }
}
