internal import VoiceBase

/// Decodes the base64 text of a message into 16-bit little-endian samples. Lives on the network thread.
final class Base64Downlink {
    /// Grows to the largest message seen.
    private var room = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 8192)
    /// Samples of the latest message; valid until the next one.
    private(set) var samples = UnsafeBufferPointer<Int16>(start: nil, count: 0)

    deinit { room.deallocate() }

    /// - Returns: the samples, without an odd byte at the end; nil if the input is not base64.
    func decode(_ base64: UnsafeRawBufferPointer) -> UnsafeBufferPointer<Int16>? {
        let needed = base64.count / 4 * 3 / 2 + 2
        if room.count < needed {
            room.deallocate()
            room = .allocate(capacity: needed)
        }
        samples = UnsafeBufferPointer(start: nil, count: 0)
        guard let base = room.baseAddress else { return nil }
        let bytes = UnsafeMutableRawPointer(base).assumingMemoryBound(to: UInt8.self)
        guard let count = Base64.decode(base64, into: bytes) else { return nil }
        samples = UnsafeBufferPointer(start: base, count: count / 2)
        return samples
    }
}
