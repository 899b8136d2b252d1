/// Splits a stream of bytes into lines of bounded length.
///
/// Each byte is examined once, and moved at most once if all complete lines are taken before more is appended.
struct LineBuffer {
    private let longest: Int
    private var bytes: [UInt8] = []
    /// Where the next line begins, and where the search for its end continues.
    private var start = 0
    private var searched = 0
    /// Whether a line was too long; nothing after it is read.
    private(set) var hasOverflowed = false
    /// Bytes were dropped for lack of room.
    private var isCut = false

    /// - Parameter longest: maximum length of a line in bytes, without its line feed.
    init(longest: Int) {
        self.longest = longest
    }

    /// Number of bytes that may be appended now: what the longest line and its line feed still need.
    var room: Int { hasOverflowed ? 0 : max(0, longest + 1 - (bytes.count - start)) }

    /// Takes what there is room for; dropped bytes are an overflow.
    mutating func append(_ more: some Collection<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        let room = room
        bytes.append(contentsOf: more.prefix(room))
        // Complete lines before the cut can still be taken.
        isCut = isCut || more.count > room
    }

    /// The next complete line, without its end (LF or CR LF).
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

    /// The bytes after the last line feed, at the end of the stream.
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
