/// Cuts a stream of bytes into lines, of which none may be longer than a bound.
struct LineBuffer {
    private let longest: Int
    private var bytes: [UInt8] = []
    /// Whether a line came that was too long; what follows it is not read.
    private(set) var hasOverflowed = false

    /// - Parameter longest: bytes of a line without its line feed.
    init(longest: Int) {
        self.longest = longest
    }

    mutating func append(_ more: some Sequence<UInt8>) {
        bytes.append(contentsOf: more)
    }

    /// The next whole line, without its end (LF or CR LF).
    mutating func next() -> [UInt8]? {
        guard !hasOverflowed else { return nil }
        guard let end = bytes.firstIndex(of: 0x0A) else {
            hasOverflowed = bytes.count > longest
            return nil
        }
        guard end <= longest else {
            hasOverflowed = true
            return nil
        }
        var line = Array(bytes[..<end])
        bytes.removeSubrange(...end)
        if line.last == 0x0D { line.removeLast() }
        return line
    }

    /// What stands behind the last line feed, once no more will come.
    mutating func rest() -> [UInt8]? {
        guard !hasOverflowed, !bytes.isEmpty else { return nil }
        defer { bytes = [] }
        return bytes
    }
}
