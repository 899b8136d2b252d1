internal import Glibc
import VoiceBase

/// The resources that a process has used so far, from proc(5).
struct ProcessUsage {
    /// CPU time by thread id: name and seconds.
    var threads: [Int: (name: String, seconds: Double)] = [:]
    /// User and system time of the process in seconds, with the resolution of the kernel's clock tick.
    var ticks: Double
    /// The largest resident size, in MB of 2^20 bytes.
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
        let peak = try text("status").split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        peakMegabytes = Double(peak?.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? .nan
        peakMegabytes /= 1024
        for id in Self.threadIDs(process) {
            guard let time = try? text("task/\(id)/schedstat").split(separator: " ").first.flatMap({ Double($0) }),
                let name = try? text("task/\(id)/comm")
            else { continue }
            threads[id] = (String(name.filter { !$0.isNewline }), time / 1e9)
        }
    }

    /// CPU time in seconds since `before`, by thread name, largest first.
    func seconds(since before: ProcessUsage) -> [(name: String, seconds: Double)] {
        var sums: [String: Double] = [:]
        for (id, thread) in threads {
            sums[thread.name, default: 0] += thread.seconds - (before.threads[id]?.seconds ?? 0)
        }
        return sums.map { ($0.key, $0.value) }.sorted { $0.seconds > $1.seconds }
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
