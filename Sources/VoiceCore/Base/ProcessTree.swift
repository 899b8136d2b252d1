package import Glibc

/// Ancestry of processes, according to /proc.
package enum ProcessTree {
    private static let deepest = 64

    /// The fields of /proc/PID/stat used here.
    struct Entry: Equatable {
        var parent: pid_t
        var session: pid_t
        /// It no longer runs, but may not be reaped yet.
        var hasEnded: Bool
    }

    /// nil if the process has gone or is hidden.
    static func entry(of process: pid_t) -> Entry? {
        guard let file = try? FileReader.system.read("/proc/\(process)/stat", 4096) else { return nil }
        return entry(inStat: String(decoding: file.bytes, as: UTF8.self))
    }

    /// Parses the third, fourth and sixth field. The second, a name in brackets, may contain anything (proc_pid_stat(5)).
    static func entry(inStat text: String) -> Entry? {
        guard let bracket = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: bracket)...].split(separator: " ")
        guard fields.count > 3, let parent = pid_t(fields[1]), let session = pid_t(fields[3]) else { return nil }
        return Entry(parent: parent, session: session, hasEnded: fields[0] == "Z" || fields[0] == "X")
    }

    /// The parent of a process; nil if it has gone or is hidden.
    package static func parent(of process: pid_t) -> pid_t? { entry(of: process)?.parent }

    /// Whether `process` descends from `ancestor`; nil if that cannot be determined.
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
