/// Cuts bytes the way a socket may: the sizes follow from the first byte.
enum Pieces {
    static func of(_ bytes: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer] {
        guard let first = bytes.first else { return [] }
        var rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        var pieces: [UnsafeRawBufferPointer] = []
        var size = Int(first & 0x1f) + 1
        while !rest.isEmpty {
            let count = min(size, rest.count)
            pieces.append(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            size = size % 37 + Int(first >> 5) + 1
        }
        return pieces
    }
}
