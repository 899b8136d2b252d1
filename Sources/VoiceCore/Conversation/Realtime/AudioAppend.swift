internal import VoiceBase

/// The `input_audio_buffer.append` message, assembled in place: it is the same every time but for the audio.
package enum AudioAppend {
    private static let prefix: StaticString = #"{"type":"input_audio_buffer.append","audio":""#
    private static let suffix: StaticString = #""}"#

    /// Bytes of the message that carries `samples` samples.
    package static func messageCount(samples: Int) -> Int {
        prefix.utf8CodeUnitCount + Base64.encodedCount(samples * 2) + suffix.utf8CodeUnitCount
    }

    /// Writes the message for `samples` (24 kHz mono, little endian as every machine we run on) to `output`.
    package static func write(_ samples: UnsafeBufferPointer<Int16>, into output: UnsafeMutableRawBufferPointer) {
        guard var cursor = output.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        cursor.update(from: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
        cursor += prefix.utf8CodeUnitCount
        cursor += Base64.encode(UnsafeRawBufferPointer(samples), into: cursor)
        cursor.update(from: suffix.utf8Start, count: suffix.utf8CodeUnitCount)
    }
}
