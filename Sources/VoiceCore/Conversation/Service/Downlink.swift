internal import VoiceBase

/// Decodes the base64 of a service's sound into 16-bit little-endian samples. Lives with its connection.
package final class Downlink {
    /// Grows to the largest message seen.
    private var room = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 8192)
    /// The odd byte at the end of the latest message: half a sample.
    private var oddByte: UInt8?
    private let queued: () -> Int
    /// Samples of the latest message; valid until the next one.
    package private(set) var samples = UnsafeBufferPointer<Int16>(start: nil, count: 0)

    /// - Parameter queued: the samples on their way to the loudspeaker.
    package init(queued: @escaping () -> Int = { 0 }) { self.queued = queued }

    deinit { room.deallocate() }

    /// Samples on their way to the loudspeaker.
    package var waiting: Int { queued() }

    /// - Parameter continues: whether the message continues the latest one, perhaps within a sample.
    /// - Returns: the samples, without an odd byte at the end; nil if the input is not base64.
    package func decode(
        _ base64: UnsafeRawBufferPointer,
        continues: Bool = false
    ) -> UnsafeBufferPointer<Int16>? {
        let needed = base64.count / 4 * 3 / 2 + 2
        if room.count < needed {
            room.deallocate()
            room = .allocate(capacity: needed)
        }
        samples = UnsafeBufferPointer(start: nil, count: 0)
        if !continues { oddByte = nil }
        guard let base = room.baseAddress else { return nil }
        let bytes = UnsafeMutableRawPointer(base).assumingMemoryBound(to: UInt8.self)
        if let oddByte { bytes[0] = oddByte }
        let start = oddByte == nil ? 0 : 1
        guard let decoded = Base64.decode(base64, into: bytes + start) else { return nil }
        let count = start + decoded
        oddByte = count % 2 == 1 ? bytes[count - 1] : nil
        samples = UnsafeBufferPointer(start: base, count: count / 2)
        return samples
    }
}
