internal import VoiceBase

/// Encodes the microphone into messages, one chunk after another. Lives on the network thread.
package protocol UplinkEncoder: AnyObject {
    /// The maximum size in bytes of a message of `samples` samples.
    func longestMessage(samples: Int) -> Int

    /// Writes the message for these samples at 24 kHz to `output`, which has room for the longest.
    /// - Returns: its size in bytes.
    func write(_ samples: UnsafeBufferPointer<Int16>, into output: UnsafeMutableRawBufferPointer) -> Int

    /// Prepares for another session: its first message contains nothing of the audio before.
    func reset()
}

/// PCM16 as base64 in a JSON message that is constant apart from the audio.
package final class Base64Uplink: UplinkEncoder {
    private let prefix: [UInt8]
    private let suffix: [UInt8]
    private let converter: WireConverter?

    /// A message with the field `audio` beside its type.
    ///
    /// - Parameters:
    ///   - type: the message type, without characters that JSON escapes.
    ///   - rate: in Hz, 8000 ... 24 000.
    package convenience init(type: String = "input_audio_buffer.append", rate: Int = AudioFormat.wireRate) {
        self.init(before: "{\"type\":\"\(type)\",\"audio\":\"", after: "\"}", rate: rate)
    }

    /// - Parameters:
    ///   - before, after: the JSON around the audio.
    ///   - rate: in Hz, 8000 ... 24 000.
    package init(before: String, after: String, rate: Int = AudioFormat.wireRate) {
        prefix = Array(before.utf8)
        suffix = Array(after.utf8)
        converter = rate == AudioFormat.wireRate ? nil : WireConverter(from: AudioFormat.wireRate, to: rate)
    }

    package func longestMessage(samples: Int) -> Int {
        prefix.count + Base64.encodedCount(samples * 2) + suffix.count
    }

    package func write(_ samples: UnsafeBufferPointer<Int16>, into output: UnsafeMutableRawBufferPointer) -> Int {
        guard let converter else { return encode(samples, into: output) }
        return converter.convert(samples) { encode($0, into: output) }
    }

    private func encode(_ samples: UnsafeBufferPointer<Int16>, into output: UnsafeMutableRawBufferPointer) -> Int {
        let count = longestMessage(samples: samples.count)
        guard count <= output.count, let start = output.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            return 0
        }
        var cursor = start
        cursor.update(from: prefix, count: prefix.count)
        cursor += prefix.count
        cursor += Base64.encode(UnsafeRawBufferPointer(samples), into: cursor)
        cursor.update(from: suffix, count: suffix.count)
        return count
    }

    package func reset() { converter?.reset() }
}
