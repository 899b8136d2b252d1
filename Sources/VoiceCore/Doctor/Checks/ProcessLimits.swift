/// The limits of a process that matter to the daemon.
struct ProcessLimits: Sendable, Equatable {
    /// Highest priority of SCHED_FIFO; nil for no limit.
    var realtimePriority: Int?
    /// Bytes of memory that may be locked; nil for no limit.
    var lockedMemory: Int?

    init(realtimePriority: Int?, lockedMemory: Int?) {
        self.realtimePriority = realtimePriority
        self.lockedMemory = lockedMemory
    }

    /// Reads `/proc/PID/limits`: the hard limits, which a process may raise its soft ones to.
    init?(procLimits text: String) {
        func value(_ name: String) -> Substring? {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
            return line?.dropFirst(name.count).split(separator: " ").dropFirst().first
        }
        guard let priority = value("Max realtime priority"), let memory = value("Max locked memory") else { return nil }
        realtimePriority = Int(priority)
        lockedMemory = Int(memory)
    }

    /// Reads what systemd says of the unit: "LimitRTPRIO=40", "LimitMEMLOCK=infinity".
    init?(unit: [String: String]) {
        guard let priority = unit["LimitRTPRIO"], let memory = unit["LimitMEMLOCK"] else { return nil }
        realtimePriority = Int(priority)
        lockedMemory = Int(memory)
    }
}
