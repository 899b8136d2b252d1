internal import Glibc

/// Who started whom, as /proc tells it.
enum ProcessTree {
    private static let deepest = 64

    /// The parent of a process; nil where it has gone or is not shown.
    static func parent(of process: pid_t) -> pid_t? {
        guard let file = try? FileReader.system.read("/proc/\(process)/stat", 4096) else { return nil }
        return parent(inStat: String(decoding: file.bytes, as: UTF8.self))
    }

    /// Whether it has gone, or is about to.
    static func hasEnded(_ process: pid_t) -> Bool {
        guard let file = try? FileReader.system.read("/proc/\(process)/stat", 4096) else { return true }
        let text = String(decoding: file.bytes, as: UTF8.self)
        guard let bracket = text.lastIndex(of: ")") else { return true }
        let state = text[text.index(after: bracket)...].split(separator: " ").first ?? ""
        return state == "Z" || state == "X"
    }

    /// The fourth field; the second, a name in brackets, may hold anything (proc_pid_stat(5)).
    static func parent(inStat text: String) -> pid_t? {
        guard let bracket = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: bracket)...].split(separator: " ")
        return fields.count > 1 ? pid_t(fields[1]) : nil
    }

    /// Whether `process` descends from `ancestor`; nil where that cannot be told.
    static func descends(
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
