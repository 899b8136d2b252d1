internal import Glibc
import VoiceBase

/// The resources that a process has used so far, from proc(5).
struct ProcessUsage {
    struct ThreadUsage {
        var name: String
        /// CPU time.
        var seconds: Double
        /// How often the thread went to sleep, and so woke.
        var wakeUps: Double
    }

    /// By thread id.
    var threads: [Int: ThreadUsage] = [:]
    /// User and system time of the process in seconds, with the resolution of the kernel's clock tick.
    var ticks: Double
    /// The resident size and the largest one so far, in MB of 2^20 bytes.
    var residentMegabytes: Double
    var peakMegabytes: Double

    init(_ process: pid_t) throws {
        func text(_ path: String) throws -> String {
            String(decoding: try FileReader.system.read("/proc/\(process)/\(path)", 1 << 16).bytes, as: UTF8.self)
        }
        // The name in parentheses may contain anything: fields are counted from after it.
        let fields = try text("stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            throw BenchProblem("/proc/\(process)/stat cannot be read")
        }
        ticks = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        let sizes = try text("status").split(separator: "\n")
        func megabytes(_ name: String) -> Double {
            let line = sizes.first { $0.hasPrefix(name) }?.split(whereSeparator: \.isWhitespace)
            return (line?.dropFirst().first.flatMap { Double($0) } ?? .nan) / 1024
        }
        residentMegabytes = megabytes("VmRSS:")
        peakMegabytes = megabytes("VmHWM:")
        for id in Self.threadIDs(process) {
            guard let time = try? text("task/\(id)/schedstat").split(separator: " ").first.flatMap({ Double($0) }),
                let name = try? text("task/\(id)/comm"), let status = try? text("task/\(id)/status")
            else { continue }
            let wakeUps = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }?
                .split(whereSeparator: \.isWhitespace).last.flatMap { Double($0) }
            threads[id] = ThreadUsage(
                name: String(name.filter { !$0.isNewline }), seconds: time / 1e9, wakeUps: wakeUps ?? .nan
            )
        }
    }

    /// Use since `before` by thread name, the largest CPU time first. What threads used that have ended meanwhile is missing.
    func use(since before: ProcessUsage) -> [ThreadUsage] {
        var sums: [String: ThreadUsage] = [:]
        for (id, thread) in threads {
            let earlier = before.threads[id]
            sums[thread.name, default: ThreadUsage(name: thread.name, seconds: 0, wakeUps: 0)].seconds +=
                thread.seconds - (earlier?.seconds ?? 0)
            sums[thread.name]?.wakeUps += thread.wakeUps - (earlier?.wakeUps ?? 0)
        }
        return sums.values.sorted { $0.seconds > $1.seconds }
    }

    private static func threadIDs(_ process: pid_t) -> [Int] {
        guard let folder = opendir("/proc/\(process)/task") else { return [] }
        defer { closedir(folder) }
        var ids: [Int] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let id = Int(name) { ids.append(id) }
        }
        return ids
    }
}

/// What a process costs while it is watched.
struct ProcessCost {
    /// By thread name, the largest CPU time first.
    let threads: [ProcessUsage.ThreadUsage]
    let residentMegabytes: Double
    private let seconds: Double

    init(_ process: pid_t, for seconds: Int) async throws {
        let before = try ProcessUsage(process)
        try await Task.sleep(for: .seconds(seconds))
        let after = try ProcessUsage(process)
        threads = after.use(since: before)
        residentMegabytes = after.residentMegabytes
        self.seconds = Double(seconds)
    }

    /// CPU time in percent of a core.
    var share: Double { threads.reduce(0) { $0 + $1.seconds } * 100 / seconds }

    /// Wake-ups per second of the threads other than those with these names.
    func wakeUps(outside names: [String] = []) -> Double {
        threads.reduce(0) { $0 + (names.contains($1.name) ? 0 : $1.wakeUps) } / seconds
    }

    /// Threads that wake more often than every other second, with their wake-ups per second.
    var wakingThreads: String {
        threads.filter { $0.wakeUps > 0.5 * seconds }.map { "\($0.name) \(($0.wakeUps / seconds).text)" }
            .joined(separator: ", ")
    }
}
