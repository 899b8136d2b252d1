internal import VoiceBase
package import VoiceNetwork

/// Encodes the microphone, chunk by chunk: PCM16 as base64 in a JSON message that is constant apart from the audio. Lives on
/// the network thread.
package final class Base64Uplink {
    private let prefix: [UInt8]
    private let suffix: [UInt8]
    private let converter: WireConverter?

    /// - Parameters:
    ///   - message: the JSON around the audio.
    ///   - rate: in Hz, 8000 ... 24 000.
    package init(_ message: (before: String, after: String), rate: Int = AudioFormat.wireRate) {
        prefix = Array(message.before.utf8)
        suffix = Array(message.after.utf8)
        converter = rate == AudioFormat.wireRate ? nil : WireConverter(from: AudioFormat.wireRate, to: rate)
    }

    /// Sends a chunk at 24 kHz.
    ///
    /// - Returns: the size of its message in bytes; nil if the connection does not take it.
    package func send(_ samples: UnsafeBufferPointer<Int16>, on connection: WebSocketConnection) -> Int? {
        var bytes = 0
        let isSent = connection.send(textOfAtMost: longestMessage(samples: samples.count)) { room in
            bytes = write(samples, into: room)
            return bytes
        }
        return isSent ? bytes : nil
    }

    /// The maximum size in bytes of a message of `samples` samples.
    package func longestMessage(samples: Int) -> Int {
        prefix.count + Base64.encodedCount(samples * 2) + suffix.count
    }

    /// Writes the message for these samples at 24 kHz to `output`, which has room for the longest.
    /// - Returns: its size in bytes.
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

    /// Prepares for another session: its first message contains nothing of the audio before.
    func reset() { converter?.reset() }
}
