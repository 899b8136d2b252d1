internal import Glibc
import VoiceBase

/// The resources that this process holds at the moment, from proc(5).
struct ProcessHealth: Sendable {
    /// Resident size in MB of 2^20 bytes.
    var megabytes: Double
    /// Number of threads, without those of the task pool, whose number varies.
    var threads: Int
    var descriptors: Int

    static func now() -> ProcessHealth {
        let file = try? FileReader.system.read("/proc/self/statm", 4096)
        let fields = String(decoding: file?.bytes ?? [], as: UTF8.self).split(separator: " ")
        let pages = fields.count > 1 ? Double(fields[1]) ?? .nan : .nan
        return ProcessHealth(
            megabytes: pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576,
            threads: threadNames.count { !$0.contains("-qos") },
            // The folder being read is one of the entries.
            descriptors: entries("/proc/self/fd") - 1
        )
    }

    /// Names as known to the kernel, in any order.
    static var threadNames: [String] {
        guard let folder = opendir("/proc/self/task") else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let file = try? FileReader.system.read("/proc/self/task/\(name)/comm", 64) else { continue }
            names.append(String(decoding: file.bytes.dropLast(), as: UTF8.self))
        }
        return names
    }

    private static func entries(_ path: String) -> Int {
        guard let folder = opendir(path) else { return -1 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count - 2
    }
}
