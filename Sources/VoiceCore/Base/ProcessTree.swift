package import Glibc

/// Who started whom, as /proc tells it.
package enum ProcessTree {
    private static let deepest = 64

    /// What /proc/PID/stat says of a process.
    struct Entry: Equatable {
        var parent: pid_t
        var session: pid_t
        /// It runs no more, but may not be reaped yet.
        var hasEnded: Bool
    }

    /// Nil where the process has gone or is not shown.
    static func entry(of process: pid_t) -> Entry? {
        guard let file = try? FileReader.system.read("/proc/\(process)/stat", 4096) else { return nil }
        return entry(inStat: String(decoding: file.bytes, as: UTF8.self))
    }

    /// The third, fourth and sixth field; the second, a name in brackets, may hold anything (proc_pid_stat(5)).
    static func entry(inStat text: String) -> Entry? {
        guard let bracket = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: bracket)...].split(separator: " ")
        guard fields.count > 3, let parent = pid_t(fields[1]), let session = pid_t(fields[3]) else { return nil }
        return Entry(parent: parent, session: session, hasEnded: fields[0] == "Z" || fields[0] == "X")
    }

    /// The parent of a process; nil where it has gone or is not shown.
    package static func parent(of process: pid_t) -> pid_t? { entry(of: process)?.parent }

    /// Whether `process` descends from `ancestor`; nil where that cannot be told.
    package static func descends(
        _ process: pid_t,
        from ancestor: pid_t,
        parent: (pid_t) -> pid_t? = ProcessTree.parent(of:)
    ) -> Bool? {
        var next = process
        for _ in 0..<deepest {
            guard let above = parent(next) else { return nil }
            if above == ancestor { return true }
            if above <= 1 { return false }
            next = above
        }
        return nil
    }
}
