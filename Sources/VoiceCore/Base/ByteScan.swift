internal import Glibc

extension UnsafeRawBufferPointer {
    /// The position of the first `byte` within `range`, which is clamped to the buffer; nil if there is none.
    package func firstPlace(of byte: UInt8, in range: Range<Int>) -> Int? {
        let range = range.clamped(to: 0..<count)
        guard !range.isEmpty, let base = baseAddress,
            let hit = memchr(base + range.lowerBound, Int32(byte), range.count)
        else { return nil }
        return UnsafeRawPointer(hit) - base
    }
}
