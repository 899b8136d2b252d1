internal import Glibc
internal import VoiceBase

/// The title at an input, which its program writes beside the sound: the last line of a file, or of a FIFO. The text is
/// from outside: one line, cleaned and bounded.
struct InputTitle {
    /// Four looks a second.
    private static let pace = Duration.milliseconds(250)
    /// Bytes of one look: the rest of a longer text waits for the next one.
    private static let block = 4096

    private let path: String
    /// The descriptor of a FIFO.
    private var descriptor: Int32 = -1
    private var next = Duration.zero
    /// The beginning of a line whose end is to come.
    private var rest: [UInt8] = []
    /// The file as it was read last.
    private var seen: (inode: UInt64, size: Int, seconds: Int, nanoseconds: Int)?
    private var title = ""

    init(_ path: String) { self.path = path }

    func close() { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// - Returns: the title if it has changed; blank if there is none.
    mutating func read(at now: Duration) -> String? {
        guard now >= next else { return nil }
        next = now + Self.pace
        guard let text = descriptor >= 0 ? line() : opened() else { return nil }
        let title = ForeignText.title(text)
        defer { self.title = title }
        return title == self.title ? nil : title
    }

    /// Opens the file or FIFO: a FIFO for good, a file for one look.
    private mutating func opened() -> String? {
        // A link could lead to a file that must not appear on a page.
        let opened = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        var status = stat()
        guard opened >= 0, fstat(opened, &status) == 0 else {
            if opened >= 0 { Glibc.close(opened) }
            defer { seen = nil }
            return seen == nil ? nil : ""
        }
        if status.st_mode & S_IFMT == S_IFIFO {
            descriptor = opened
            return line()
        }
        defer { Glibc.close(opened) }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        let now = (
            inode: UInt64(status.st_ino), size: Int(status.st_size), seconds: Int(status.st_mtim.tv_sec),
            nanoseconds: Int(status.st_mtim.tv_nsec)
        )
        if let seen, seen == now { return nil }
        seen = now
        var buffer = [UInt8](repeating: 0, count: Self.block)
        let count = max(0, pread(opened, &buffer, buffer.count, off_t(max(0, now.size - Self.block))))
        return Self.last(of: buffer[..<count])
    }

    /// The last line that has been received in full.
    private mutating func line() -> String? {
        var buffer = [UInt8](repeating: 0, count: Self.block)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        rest += buffer[..<count]
        guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else {
            // No title is this long.
            if rest.count > Self.block { rest = [] }
            return nil
        }
        defer { rest = Array(rest[(end + 1)...].prefix(Self.block)) }
        return Self.last(of: rest[...end])
    }

    private static func last(of bytes: ArraySlice<UInt8>) -> String {
        let newline = UInt8(ascii: "\n")
        let text = bytes.last == newline ? bytes.dropLast() : bytes
        return String(decoding: text[(text.lastIndex(of: newline).map { $0 + 1 } ?? text.startIndex)...], as: UTF8.self)
    }
}
