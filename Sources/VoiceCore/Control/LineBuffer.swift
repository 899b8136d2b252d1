/// Cuts a stream of bytes into lines, of which none may be longer than a bound.
///
/// Each byte is looked at once and moved at most once, however the stream comes in pieces.
struct LineBuffer {
    private let longest: Int
    private var bytes: [UInt8] = []
    /// Where the next line begins, and where the search for its end goes on.
    private var start = 0
    private var searched = 0
    /// Whether a line came that was too long; what follows it is not read.
    private(set) var hasOverflowed = false
    /// Bytes did not find room.
    private var isCut = false

    /// - Parameter longest: bytes of a line without its line feed.
    init(longest: Int) {
        self.longest = longest
    }

    /// How many bytes may be appended now: as many as the longest line and its line feed still want.
    var room: Int { hasOverflowed ? 0 : max(0, longest + 1 - (bytes.count - start)) }

    /// Takes what there is room for; more is an overflow.
    mutating func append(_ more: some Collection<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        let room = room
        bytes.append(contentsOf: more.prefix(room))
        // Whole lines before the cut may still be taken.
        isCut = isCut || more.count > room
    }

    /// The next whole line, without its end (LF or CR LF).
    mutating func next() -> [UInt8]? {
        guard !hasOverflowed else { return nil }
        guard let end = bytes[searched...].firstIndex(of: 0x0A) else {
            searched = bytes.count
            hasOverflowed = isCut || bytes.count - start > longest
            return nil
        }
        defer {
            start = end + 1
            searched = start
        }
        let line = bytes[start..<end]
        return Array(line.last == 0x0D ? line.dropLast() : line)
    }

    /// What stands behind the last line feed, once no more will come.
    mutating func rest() -> [UInt8]? {
        guard !hasOverflowed, start < bytes.count else { return nil }
        defer {
            bytes = []
            start = 0
            searched = 0
        }
        return Array(bytes[start...])
    }
}
